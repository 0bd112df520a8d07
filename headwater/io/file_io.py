"""Functions of files and folders: `tf.io.gfile`, and `tf.gfile` with the older names."""

from __future__ import annotations

import os
import secrets
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from headwater.base import errors
from headwater.base.export import export
from headwater.io import files
from headwater.io.file_object import FileIO, checked_name
from headwater.io.file_system import FileStatistics
from headwater.io.matching import matching_names

_BLOCK_BYTES = 16 * 1024 * 1024


@export("io.gfile.exists")
def file_exists_v2(path: Any) -> bool:
    """Tells whether there is a file or folder.

    Args:
        path: its path or URL.

    Returns:
        True if there is one.
    """
    return files.file_exists(checked_name(path))


@export("gfile.Exists")
def file_exists(filename: Any) -> bool:
    """Tells whether there is a file or folder.

    Args:
        filename: its path or URL.

    Returns:
        True if there is one.
    """
    return file_exists_v2(filename)


@export("io.gfile.remove")
def delete_file_v2(path: Any) -> None:
    """Removes a file.

    Args:
        path: its path or URL.

    Raises:
        NotFoundError: if there is none.
        FailedPreconditionError: if it is a folder.
    """
    files.remove_file(checked_name(path))


@export("gfile.Remove")
def delete_file(filename: Any) -> None:
    """Removes a file.

    Args:
        filename: its path or URL.

    Raises:
        NotFoundError: if there is none.
        FailedPreconditionError: if it is a folder.
    """
    delete_file_v2(filename)


@export("io.gfile.glob")
def get_matching_files_v2(pattern: Any) -> list[str]:
    """The files and folders whose paths match a pattern.

    Args:
        pattern: a path in whose parts ``*``, ``?`` and ``[...]`` stand for characters, or several
            of them.

    Returns:
        The paths, in order for each pattern.

    Raises:
        NotFoundError: if the folder before the first wildcard does not exist.
    """
    patterns = [pattern] if isinstance(pattern, str) else pattern
    texts = [os.fsdecode(checked_name(text)) for text in patterns]
    return [name for text in texts for name in sorted(matching_names(text))]


@export("gfile.Glob")
def get_matching_files(filename: Any) -> list[str]:
    """The files and folders whose paths match a pattern.

    Args:
        filename: a path in whose parts ``*``, ``?`` and ``[...]`` stand for characters, or several
            of them.

    Returns:
        The paths, in order for each pattern.

    Raises:
        NotFoundError: if the folder before the first wildcard does not exist.
    """
    return get_matching_files_v2(filename)


@export("io.gfile.mkdir")
def create_dir_v2(path: Any) -> None:
    """Makes a folder in one that is there; nothing happens if it is there already.

    Args:
        path: its path or URL.

    Raises:
        NotFoundError: if the folder above it is missing.
    """
    files.make_folder(checked_name(path))


@export("gfile.MkDir")
def create_dir(dirname: Any) -> None:
    """Makes a folder in one that is there; nothing happens if it is there already.

    Args:
        dirname: its path or URL.

    Raises:
        NotFoundError: if the folder above it is missing.
    """
    create_dir_v2(dirname)


@export("io.gfile.makedirs")
def recursive_create_dir_v2(path: Any) -> None:
    """Makes a folder and those above it; nothing happens if it is there already.

    Args:
        path: its path or URL.

    Raises:
        FailedPreconditionError: if something above it is a file.
    """
    files.make_folders(checked_name(path))


@export("gfile.MakeDirs")
def recursive_create_dir(dirname: Any) -> None:
    """Makes a folder and those above it; nothing happens if it is there already.

    Args:
        dirname: its path or URL.

    Raises:
        FailedPreconditionError: if something above it is a file.
    """
    recursive_create_dir_v2(dirname)


def _check_free(path: bytes, overwrite: bool) -> None:
    if not overwrite and files.file_exists(path):
        raise errors.AlreadyExistsError(None, None, "file already exists")


@export("io.gfile.copy")
def copy_v2(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Copies a file.

    Args:
        src: its path or URL.
        dst: the path or URL of the copy.
        overwrite: whether a file of that name is replaced.

    Raises:
        AlreadyExistsError: if there is a file of that name that is not to be replaced.
        NotFoundError: if there is no file to copy.
    """
    source, target = checked_name(src), checked_name(dst)
    _check_free(target, overwrite)
    if files.is_folder(source):
        text = f"{os.fsdecode(target)}; Invalid argument"
        raise errors.InvalidArgumentError(None, None, text, hint="Only files can be copied.")
    if source != target:
        files.copy_file(source, target)


@export("gfile.Copy")
def copy(oldpath: Any, newpath: Any, overwrite: bool = False) -> None:
    """Copies a file.

    Args:
        oldpath: its path or URL.
        newpath: the path or URL of the copy.
        overwrite: whether a file of that name is replaced.

    Raises:
        AlreadyExistsError: if there is a file of that name that is not to be replaced.
        NotFoundError: if there is no file to copy.
    """
    copy_v2(oldpath, newpath, overwrite)


@export("io.gfile.rename")
def rename_v2(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Renames a file or folder.

    Args:
        src: its path or URL.
        dst: the new one.
        overwrite: whether a file of that name is replaced.

    Raises:
        AlreadyExistsError: if there is a file of that name that is not to be replaced.
        NotFoundError: if there is nothing to rename.
        UnimplementedError: if the new name is in another file system.
    """
    target = checked_name(dst)
    _check_free(target, overwrite)
    files.rename_file(checked_name(src), target)


@export("gfile.Rename")
def rename(oldname: Any, newname: Any, overwrite: bool = False) -> None:
    """Renames a file or folder.

    Args:
        oldname: its path or URL.
        newname: the new one.
        overwrite: whether a file of that name is replaced.

    Raises:
        AlreadyExistsError: if there is a file of that name that is not to be replaced.
        NotFoundError: if there is nothing to rename.
        UnimplementedError: if the new name is in another file system.
    """
    rename_v2(oldname, newname, overwrite)


@export("io.gfile.rmtree")
def delete_recursively_v2(path: Any) -> None:
    """Removes a folder and all that is in it; links are removed, not followed.

    Args:
        path: its path or URL.

    Raises:
        NotFoundError: if there is none.
        FailedPreconditionError: if it is a file.
    """
    name = checked_name(path)
    if not files.file_exists(name):
        raise errors.NotFoundError(None, None, f"{os.fsdecode(name)} not found")
    files.remove_tree(name)


@export("gfile.DeleteRecursively")
def delete_recursively(dirname: Any) -> None:
    """Removes a folder and all that is in it; links are removed, not followed.

    Args:
        dirname: its path or URL.

    Raises:
        NotFoundError: if there is none.
        FailedPreconditionError: if it is a file.
    """
    delete_recursively_v2(dirname)


@export("io.gfile.isdir")
def is_directory_v2(path: Any) -> bool:
    """Tells whether there is a folder.

    Args:
        path: its path or URL.

    Returns:
        True if there is one; False for a file or nothing.
    """
    try:
        return files.is_folder(checked_name(path))
    except errors.OpError:
        return False


@export("gfile.IsDirectory")
def is_directory(dirname: Any) -> bool:
    """Tells whether there is a folder.

    Args:
        dirname: its path or URL.

    Returns:
        True if there is one; False for a file or nothing.
    """
    return is_directory_v2(dirname)


@export("io.gfile.listdir")
def list_directory_v2(path: Any) -> list[str]:
    """The names of what is in a folder.

    Args:
        path: its path or URL.

    Returns:
        The names without the folder, in order.

    Raises:
        NotFoundError: if there is no such folder.
    """
    name = os.fsdecode(checked_name(path))
    if not is_directory_v2(name):
        raise errors.NotFoundError(None, None, f"Could not find directory {name}")
    return sorted(files.names_in(name))


@export("gfile.ListDirectory")
def list_directory(dirname: Any) -> list[str]:
    """The names of what is in a folder.

    Args:
        dirname: its path or URL.

    Returns:
        The names without the folder, in order.

    Raises:
        NotFoundError: if there is no such folder.
    """
    return list_directory_v2(dirname)


@export("io.gfile.walk")
def walk_v2(
    top: Any, topdown: bool = True, onerror: Callable[[Any], object] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Goes through a folder and those below it.

    Args:
        top: its path or URL.
        topdown: whether a folder comes before those in it.
        onerror: called with the error if a folder cannot be read; such folders are left out.

    Yields:
        The path of a folder, the names of the folders in it and those of the files.
    """
    name = os.fsdecode(checked_name(top))
    try:
        names = list_directory_v2(name)
    except errors.NotFoundError as error:
        if onerror:
            onerror(error)
        return
    folders = [entry for entry in names if is_directory_v2(files.join_path(name, entry))]
    found = (name, folders, [entry for entry in names if entry not in set(folders)])
    if topdown:
        yield found
    for folder in folders:
        yield from walk_v2(files.join_path(name, folder), topdown, onerror)
    if not topdown:
        yield found


@export("gfile.Walk")
def walk(top: Any, in_order: bool = True) -> Iterator[tuple[str, list[str], list[str]]]:
    """Goes through a folder and those below it.

    Args:
        top: its path or URL.
        in_order: whether a folder comes before those in it.

    Yields:
        The path of a folder, the names of the folders in it and those of the files.
    """
    return walk_v2(top, in_order)


@export("io.gfile.stat")
def stat_v2(path: Any) -> FileStatistics:
    """What is known of a file or folder.

    Args:
        path: its path or URL.

    Returns:
        An object with `length` (bytes), `mtime_nsec` and `is_directory`.

    Raises:
        NotFoundError: if there is none.
    """
    return files.file_statistics(checked_name(path))


@export("gfile.Stat")
def stat(filename: Any) -> FileStatistics:
    """What is known of a file or folder.

    Args:
        filename: its path or URL.

    Returns:
        An object with `length` (bytes), `mtime_nsec` and `is_directory`.

    Raises:
        NotFoundError: if there is none.
    """
    return stat_v2(filename)


def read_file_to_string(filename: Any, binary_mode: bool = False) -> Any:
    """The content of a file, as text or bytes."""
    with FileIO(filename, "rb" if binary_mode else "r") as file:
        return file.read()


def write_string_to_file(filename: Any, file_content: Any) -> None:
    """Writes a file; one of that name is replaced."""
    with FileIO(filename, "w") as file:
        file.write(file_content)


def atomic_write_string_to_file(filename: Any, contents: Any, overwrite: bool = True) -> None:
    """Writes a file that appears under its name only when it is complete."""
    draft = f"{os.fsdecode(checked_name(filename))}.tmp{secrets.token_hex(16)}"
    write_string_to_file(draft, contents)
    try:
        rename(draft, filename, overwrite)
    except errors.OpError:
        delete_file(draft)
        raise


def file_crc32(filename: Any, block_size: int = _BLOCK_BYTES) -> str:
    """The CRC32 of a file in hexadecimal, read in blocks of so many bytes."""
    crc = 0
    with FileIO(filename, "rb") as file:
        while block := file.read(block_size):
            crc = zlib.crc32(block, crc)
    return hex(crc)


def filecmp(filename_a: Any, filename_b: Any) -> bool:
    """Tells whether two files have the same size and checksum."""
    if FileIO(filename_a, "rb").size() != FileIO(filename_b, "rb").size():
        return False
    return file_crc32(filename_a) == file_crc32(filename_b)
