"""The features of a batch of Examples, read from their bytes by the native kernels."""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np

from headwater.base import native
from headwater.ops.parsing.wire import FIRST, SECOND, Batch

_TYPES = {FIRST: np.int64, SECOND: np.float32}


class Lists(NamedTuple):
    """The lists of the wanted features: in each array a row for each key.

    Attributes:
        begin: where in the bytes the values of each message begin.
        end: where they end.
        counts: how many there are; -1 if the message has no such list.
    """

    begin: np.ndarray
    end: np.ndarray
    counts: np.ndarray


@functools.lru_cache(256)
def _table(keys: tuple[bytes, ...], tags: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    """The keys one after the other, where they end, and the tags of their lists."""
    joined = np.frombuffer(b"".join([*keys, b"\0"]), np.uint8)
    ends = np.cumsum([len(key) for key in keys], dtype=np.int64)
    return joined, ends, np.array(tags, np.uint8)


def lists_of(batch: Batch, keys: tuple[bytes, ...], tags: tuple[int, ...]) -> Lists | None:
    """Finds features.

    Args:
        batch: the messages.
        keys: the features that are wanted, all different.
        tags: the tags of their lists.

    Returns:
        Where they are; None without the kernels, or if the batch has another form.
    """
    kernels = native.library()
    if kernels is None:
        return None
    messages = len(batch.end)
    found = np.empty((3, len(keys), messages), np.int64)
    address, row = found.ctypes.data, found[0].nbytes
    addresses = [array.ctypes.data for array in _table(keys, tags)]
    places = [address + i * row for i in range(3)]
    ends = batch.end.ctypes.data
    if kernels.headwater_scan_examples(batch.whole, ends, messages, *addresses, len(keys), *places):
        return None
    return Lists(*found)


def values_of(batch: Batch, lists: Lists, keys: slice, tag: int) -> np.ndarray | None:
    """Reads the values of some keys, all of one kind.

    Args:
        batch: the messages.
        lists: what `lists_of` found.
        keys: which of its rows.
        tag: the tag of their lists.

    Returns:
        The values, one row after the other; None if the batch has another form.
    """
    kernels = native.library()
    assert kernels is not None
    begin, end, counts = (array[keys] for array in lists)
    count = int(np.maximum(counts, 0).sum())
    values = np.empty(count, _TYPES.get(tag, np.int64))
    ends = np.empty(count, np.int64) if tag == FIRST else values
    addresses = [array.ctypes.data for array in (begin, end)]
    written = [array.ctypes.data for array in (values, ends)]
    if kernels.headwater_read_lists(batch.whole, tag, *addresses, begin.size, *written):
        return None
    return batch.strings(values, ends) if tag == FIRST else values
