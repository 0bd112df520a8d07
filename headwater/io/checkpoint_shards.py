"""The files of a sharded checkpoint of format V1, and how new ones take the place of old ones.

The shards are found by a pattern, and only one name can be replaced in one step. So the new shards
are written to a folder of their own, whose renaming is that step: from then on readers take what
is in the folder. Then the files get their usual names as well, and the folder goes.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable

from headwater.base import errors
from headwater.io.draft_files import draft_path, make_draft_folder, remove_abandoned, unlock
from headwater.io.files import (
    copy_file,
    folder_of,
    is_folder,
    is_remote,
    join_path,
    link_file,
    name_of,
    names_in,
    remove_file,
    remove_tree,
    rename_file,
)
from headwater.io.matching import matching_names

_SHARDS = re.compile(r"-\?{5}-of-(\d{5})$")
_SHARD = re.compile(r"-\d{5}-of-\d{5}$")


def shard_files(pattern: str) -> list[str]:
    """The files of a path or of a pattern of shards, sorted.

    Args:
        pattern: what `save_shards` returns, or any path or pattern.

    Raises:
        NotFoundError: if the folder of the files does not exist.
    """
    match = _SHARDS.search(pattern)
    if match is not None and not is_remote(pattern):
        folder = _new_folder(pattern[: match.start()], match[1])
        with contextlib.suppress(errors.NotFoundError, errors.FailedPreconditionError):
            return _shards_in(folder)
    return sorted(matching_names(pattern))


def save_shards(prefix: str, write: Callable[[str], str]) -> str:
    """Writes the shards of a checkpoint; those of the same name are replaced in one step.

    Args:
        prefix: the beginning of the names of the files.
        write: writes the shards of a prefix and returns the pattern of their names.

    Returns:
        The pattern of the names.

    Raises:
        OpError: of the class that fits, if a file cannot be written or renamed.
    """
    if is_remote(prefix) or not _is_complete(prefix):
        return write(prefix)
    remove_abandoned(folder_of(prefix) or ".")
    folder, lock = make_draft_folder(prefix)
    try:
        pattern = write(join_path(folder, name_of(prefix)))
        shards = pattern[-5:]
        _publish(prefix, shards)  # what a killed writer has left
        rename_file(folder, _new_folder(prefix, shards))
        # The new checkpoint is complete now, also if the rest fails.
        with contextlib.suppress(errors.OpError):
            _publish(prefix, shards)
    except BaseException:
        with contextlib.suppress(errors.OpError):
            remove_tree(folder)
        raise
    finally:
        unlock(lock)
    return f"{prefix}-?????-of-{shards}"


def remove_shards(pattern: str) -> None:
    """Removes the shards of a checkpoint.

    Args:
        pattern: a path or a pattern of shards.

    Raises:
        OpError: of the class that fits, if a file cannot be removed.
    """
    match = _SHARDS.search(pattern)
    if match is not None:
        _drop(_new_folder(pattern[: match.start()], match[1]))
    for shard in matching_names(pattern):
        remove_file(shard, missing_ok=True)


def _new_folder(prefix: str, shards: str) -> str:
    """The folder of new shards that do not have their usual names yet."""
    return f"{prefix}-of-{shards}.new"


def _shards_in(folder: str) -> list[str]:
    return sorted(join_path(folder, name) for name in names_in(folder) if _SHARD.search(name))


def _is_complete(prefix: str) -> bool:
    """Whether all shards of a checkpoint are here, or a writer was about to put them here."""
    try:
        names = matching_names(f"{prefix}-?????-of-?????")
    except errors.OpError:
        return False  # the writer will say what is wrong with the folder
    counts = [name[-5:] for name in names if _SHARD.search(name)]
    return any(
        counts.count(shards) == int(shards) or is_folder(_new_folder(prefix, shards))
        for shards in set(counts)
    )


def _publish(prefix: str, shards: str) -> None:
    """Gives new shards their usual names."""
    folder = _new_folder(prefix, shards)
    if not is_folder(folder):
        return
    for shard in _shards_in(folder):
        name = join_path(folder_of(prefix), name_of(shard))
        # Renaming one file to the name of another would wait for the disk.
        remove_file(name, missing_ok=True)
        try:
            link_file(shard, name)
        except (errors.UnimplementedError, errors.PermissionDeniedError):
            copy_file(shard, name)  # a file system without links
    _drop(folder)


def _drop(folder: str) -> None:
    """Removes a folder of new shards; first, in one step, for readers."""
    if is_folder(folder):
        drop = draft_path(folder)
        rename_file(folder, drop)
        with contextlib.suppress(errors.OpError):
            remove_tree(drop)
