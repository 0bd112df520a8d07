"""Loading of native libraries, which TensorFlow's programs do to get further ops."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NoReturn

from headwater.base import errors
from headwater.base.export import export


def _refuse(path: Any, what: str) -> NoReturn:
    if not Path(path).exists():
        raise errors.NotFoundError(
            None, None, f"{path}: cannot open shared object file: No such file or directory"
        )
    raise errors.UnimplementedError(
        None,
        None,
        f"{path}: {what} of native libraries cannot be loaded.",
        hint="they are compiled for TensorFlow's own runtime; tf.py_func runs Python code instead.",
    )


@export("load_op_library")
def load_op_library(library_filename: Any) -> Any:
    """Would load ops and kernels from a native library.

    Args:
        library_filename: the path of the library.

    Raises:
        NotFoundError: if there is no such file.
        UnimplementedError: if the file exists.
    """
    _refuse(library_filename, "ops")


@export("load_file_system_library")
def load_file_system_library(library_filename: Any) -> None:
    """Would load a file system from a native library.

    Args:
        library_filename: the path of the library.

    Raises:
        NotFoundError: if there is no such file.
        UnimplementedError: if the file exists.
    """
    _refuse(library_filename, "file systems")


@export("load_library")
def load_library(library_location: Any) -> None:
    """Would load ops, kernels and file systems from native libraries.

    Args:
        library_location: the path of a library or of a folder with libraries.

    Raises:
        NotFoundError: if there is no such file.
        UnimplementedError: if the file exists.
    """
    if not Path(library_location).exists():
        raise errors.NotFoundError(
            None,
            None,
            f"The file or folder to load kernel libraries from does not exist. {library_location}",
        )
    _refuse(library_location, "ops")


@export("contrib.util.loader.load_op_library")
def load_contributed_op_library(path: Any) -> Any:
    """Would load contributed ops from a native library.

    Args:
        path: the path of the library.

    Raises:
        NotFoundError: if there is no such file.
        UnimplementedError: if the file exists.
    """
    _refuse(path, "ops")
