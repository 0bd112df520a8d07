"""The files of a checkpoint of format V2, and how a new one takes the place of an old one."""

from __future__ import annotations

import contextlib
import re
import secrets
from collections.abc import Callable, Sequence

from headwater.base import errors
from headwater.io.atomic_file import AtomicFile
from headwater.io.checkpoint_table import table_bytes
from headwater.io.draft_files import lock_path, remove_if_abandoned, unlock
from headwater.io.files import (
    file_exists,
    folder_of,
    is_file,
    is_remote,
    join_path,
    link_file,
    name_of,
    names_in,
    remove_file,
    rename_file,
)
from headwater.protos.lazy import tensor_bundle_pb2

HEADER_KEY = b""

# Numbers of shards that no checkpoint has but one that is being replaced.
_INTERIM = range(90_000, 100_000)
_INTERIM_END = re.compile(r"\.data-\d{5}-of-(9\d{4})")


def index_path(prefix: str) -> str:
    """The file of the index."""
    return f"{prefix}.index"


def data_path(prefix: str, shard: int, shards: int) -> str:
    """The file of the values of one shard."""
    return f"{prefix}.data-{shard:05d}-of-{shards:05d}"


def publish(
    prefix: str, renames: Sequence[Callable[[str], None]], entries: dict[bytes, bytes]
) -> None:
    """Makes complete files of values a checkpoint; one of the same name stays valid until then.

    Only one file can be replaced in one step, but an index and its files of values belong
    together. So the new files get names that nothing uses, by another number of shards; the new
    index, which counts so many shards, replaces the old one; then the files get their usual names
    as well, and an index with the usual number follows. Readers of TensorFlow take each of these
    states for a whole checkpoint.

    Args:
        prefix: the beginning of the names of its files.
        renames: for each shard, what gives its file a name.
        entries: serialized BundleEntryProto by key.

    Raises:
        OpError: of the class that fits, if a file cannot be written or renamed.
    """
    shards = len(renames)
    names = [data_path(prefix, shard, shards) for shard in range(shards)]
    replaces = not is_remote(prefix) and is_file(index_path(prefix))
    if not replaces or not any(map(file_exists, names)):
        for lock in _publish_as(names, renames, _index_draft(prefix, entries, shards)):
            unlock(lock)
        if replaces:
            # A writer that was killed in the last steps below has left files of unusual names only.
            _remove_abandoned(prefix)
        return
    count = secrets.choice(_INTERIM)
    interim = [data_path(prefix, shard, count) for shard in range(shards)]
    locks = _publish_as(interim, renames, _index_draft(prefix, entries, count))
    # The new checkpoint is whole now; should the rest fail, it keeps its unusual names.
    with contextlib.suppress(errors.OpError):
        index = _index_draft(prefix, entries, shards)
        for old, new in zip(interim, names):
            _replace_unused(old, new)
        index.commit()
        for name in interim:
            remove_file(name, missing_ok=True)
    for lock in locks:
        unlock(lock)
    _remove_abandoned(prefix)


def _publish_as(
    names: list[str], renames: Sequence[Callable[[str], None]], index: AtomicFile
) -> list[int | None]:
    """Names the files of values, then the index; returns locks on the former."""
    locks = []
    try:
        for rename, name in zip(renames, names):
            rename(name)
            locks.append(lock_path(name))
        index.commit()
    except BaseException:
        index.abandon()
        for lock in locks:
            unlock(lock)
        raise
    return locks


def _replace_unused(old: str, new: str) -> None:
    """Gives a file another name too; the file that had it is not part of a checkpoint any more."""
    # Renaming one file to the name of another would wait for the disk.
    remove_file(new, missing_ok=True)
    try:
        link_file(old, new)
    except errors.OpError:
        # Somebody who deletes this checkpoint at the same time may have removed the file.
        with contextlib.suppress(errors.NotFoundError):
            rename_file(old, new)


def _remove_abandoned(prefix: str) -> None:
    """Removes files that a killed writer was about to give their usual names."""
    folder, start = folder_of(prefix), name_of(prefix)
    with contextlib.suppress(errors.OpError):
        for name in names_in(folder or "."):
            path = join_path(folder, name)
            if name.startswith(start) and _INTERIM_END.fullmatch(name[len(start) :]):
                remove_if_abandoned(path)


def _index_draft(prefix: str, entries: dict[bytes, bytes], shards: int) -> AtomicFile:
    """Writes an index, which takes effect when it is committed."""
    header = tensor_bundle_pb2.BundleHeaderProto(num_shards=shards)
    header.version.producer = 1
    index = AtomicFile(index_path(prefix))
    try:
        index.write(table_bytes({HEADER_KEY: header.SerializeToString(), **entries}))
        index.close()
    except BaseException:
        index.abandon()
        raise
    return index
