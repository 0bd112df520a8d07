"""Files and folders, local or named by a URL, with TensorFlow's errors.

All of the package that reads or writes files comes through here, so that checkpoints, event files
and records can be anywhere.
"""

from __future__ import annotations

import os
import posixpath
import re
import shutil
from typing import Any, BinaryIO, Final

from headwater.base import errors
from headwater.io.file_errors import file_errors
from headwater.io.file_system import FileStatistics, FileSystem
from headwater.io.local_files import LocalFiles
from headwater.io.remote_files import RemoteFiles

_SCHEME: Final = re.compile(r"([a-zA-Z][0-9a-zA-Z.+-]*)://")
_LOCAL: Final = LocalFiles()
_COPY_BYTES: Final = 1 << 20


def path_text(path: Any) -> str:
    """A path that may be text, bytes or a path object, as text."""
    return os.fsdecode(path)


def _found(path: Any) -> tuple[FileSystem, str]:
    """The file system of a path and the name in it."""
    name = path_text(path)
    match = _SCHEME.match(name)
    if match is None:
        return _LOCAL, name
    if match[1] == "file":
        return _LOCAL, name[match.end() :]
    return RemoteFiles(match[1], name), name


def is_remote(path: Any) -> bool:
    """Whether a path is a URL of files that are not those of this machine."""
    match = _SCHEME.match(path_text(path))
    return match is not None and match[1] != "file"


def is_absolute(path: Any) -> bool:
    """Whether a path says all of where it is: a URL does."""
    name = path_text(path)
    return bool(_SCHEME.match(name)) or os.path.isabs(name)  # noqa: PTH117 (text may be a URL)


def folder_of(path: Any) -> str:
    """The folder that a path stands in; "" for a name alone."""
    name = path_text(path)
    match = _SCHEME.match(name)
    root = match[0] if match else ""
    return root + posixpath.dirname(name[len(root) :])


def name_of(path: Any) -> str:
    """The last part of a path."""
    return posixpath.basename(path_text(path))


def join_path(folder: Any, name: str) -> str:
    """The path of something in a folder."""
    return posixpath.join(path_text(folder), name)


def relative_to(path: Any, folder: Any) -> str:
    """A path as it is seen from a folder; the path itself if it is of another file system."""
    name, start = path_text(path), path_text(folder)
    if not (is_remote(name) or is_remote(start)):
        return os.path.relpath(name, start)
    return name.removeprefix(start.rstrip("/") + "/")


def open_file(path: Any, mode: str) -> BinaryIO:
    """Opens a file in a binary mode.

    Args:
        path: text, bytes or a path object.
        mode: "rb", "wb" or "ab".

    Raises:
        OpError: of the class that fits (NotFoundError for example), if it cannot be opened. So do
            reading, writing and closing it.
    """
    system, name = _found(path)
    return system.open(name, mode)


def read_bytes(path: Any) -> bytes:
    """The content of a file; raises the OpError that fits if it cannot be read."""
    with open_file(path, "rb") as file:
        return file.read()


def file_statistics(path: Any) -> FileStatistics:
    """What is known of a file or folder.

    Raises:
        OpError: of the class that fits (NotFoundError for example), if that cannot be known.
    """
    system, name = _found(path)
    return system.statistics(name)


def _statistics(path: Any) -> FileStatistics | None:
    """What is known of a file or folder; None if there is none."""
    try:
        return file_statistics(path)
    except errors.NotFoundError:
        return None
    except errors.FailedPreconditionError:
        return None  # something above it is a file


def file_exists(path: Any) -> bool:
    """Whether there is a file or folder; raises the OpError that fits if that cannot be known."""
    return _statistics(path) is not None


def modified_time(path: Any) -> float:
    """When a file was last written, in seconds since 1970.

    Raises:
        OpError: of the class that fits (NotFoundError for example), if that cannot be known.
    """
    return file_statistics(path).mtime_nsec / 1e9


def is_file(path: Any) -> bool:
    """Whether there is a file; raises the OpError that fits if that cannot be known."""
    found = _statistics(path)
    return found is not None and not found.is_directory


def is_folder(path: Any) -> bool:
    """Whether there is a folder; raises the OpError that fits if that cannot be known."""
    found = _statistics(path)
    return found is not None and found.is_directory


def make_folder(path: Any) -> None:
    """Makes a folder in one that is there, unless something of that name is there."""
    system, name = _found(path)
    if name:
        system.make_folder(name)


def make_folders(path: Any) -> None:
    """Makes a folder and those above it, unless something of that name is there."""
    system, name = _found(path)
    if name:
        system.make_folders(name)


def names_in(folder: Any) -> list[str]:
    """The names of what is in a folder; raises the OpError that fits if it cannot be read."""
    system, name = _found(folder)
    return system.names_in(name)


def remove_file(path: Any, missing_ok: bool = False) -> None:
    """Removes a file.

    Args:
        path: text, bytes or a path object.
        missing_ok: whether there may be no such file.

    Raises:
        OpError: of the class that fits, if it cannot be removed.
    """
    system, name = _found(path)
    try:
        system.remove_file(name)
    except errors.NotFoundError:
        if not missing_ok:
            raise


def remove_folder(path: Any) -> None:
    """Removes an empty folder.

    Raises:
        OpError: of the class that fits, if there is none or it is not empty.
    """
    system, name = _found(path)
    system.remove_folder(name)


def remove_tree(path: Any) -> None:
    """Removes a folder and all that is in it; links are removed, not followed.

    Raises:
        OpError: of the class that fits, if something cannot be removed.
    """
    system, name = _found(path)
    system.remove_tree(name)


def rename_file(path: Any, target: Any) -> None:
    """Renames a file, locally as an atomic step; an existing file of that name is replaced.

    Raises:
        UnimplementedError: if the new name is in another file system.
        OpError: of the class that fits, if it cannot be renamed.
    """
    system, name = _found(path)
    _, target_name = _found(target)
    schemes = [match and match[1] for match in map(_SCHEME.match, (name, target_name))]
    if schemes[0] != schemes[1]:
        text = f"Renaming {path_text(path)} to {path_text(target)} not implemented"
        raise errors.UnimplementedError(None, None, text, hint="Copy it and remove the original.")
    system.rename(name, target_name)


def link_file(path: Any, target: Any) -> None:
    """Gives a file a second name.

    Raises:
        AlreadyExistsError: if something has that name.
        OpError: of the class that fits, if the file system has no such links.
    """
    system, name = _found(path)
    system.link(name, _found(target)[1])


def copy_file(path: Any, target: Any) -> None:
    """Copies a file (locally with its permissions); an existing file of that name is replaced.

    Raises:
        OpError: of the class that fits, if it cannot be read or written.
    """
    system, name = _found(path)
    target_system, target_name = _found(target)
    with system.open(name, "rb") as source, target_system.open(target_name, "wb") as copy:
        shutil.copyfileobj(source, copy, _COPY_BYTES)
    if system is target_system is _LOCAL:
        with file_errors(target_name):
            shutil.copymode(name, target_name)
