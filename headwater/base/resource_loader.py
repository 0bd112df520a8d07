"""tf.resource_loader: paths of files that are shipped with a program."""

from __future__ import annotations

import sys
from pathlib import Path

from headwater.base.export import export_module

__all__ = [
    "get_data_files_path",
    "get_path_to_datafile",
    "get_root_dir_with_all_resources",
    "load_resource",
    "readahead_file_path",
]


def _folder_of_caller() -> str:
    """The folder of the file that called the caller of this function."""
    return str(Path(sys._getframe(2).f_code.co_filename).parent)


def load_resource(path: str) -> bytes:
    """Reads a file of the installed package.

    Args:
      path: its path relative to the package.

    Returns:
      Its contents.

    Raises:
      OSError: if it cannot be read.
    """
    return (Path(__file__).parent.parent / path).read_bytes()


def get_data_files_path() -> str:
    """Returns the folder of the file that calls this function."""
    return _folder_of_caller()


def get_root_dir_with_all_resources() -> str:
    """Returns the folder below which the data of the calling file lie: its own."""
    return _folder_of_caller()


def get_path_to_datafile(path: str) -> str:
    """Returns the path of a file next to the calling one.

    Args:
      path: the path relative to the folder of the calling file.

    Returns:
      The joined path.
    """
    return str(Path(_folder_of_caller(), path))


def readahead_file_path(path: str, readahead: str = "128M") -> str:
    """Returns the path unchanged: read-ahead is left to the operating system."""
    return path


export_module("resource_loader", sys.modules[__name__])
