"""The features of a batch of Examples, read from their bytes."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from headwater.ops.parsing.native_wire import lists_of, values_of
from headwater.ops.parsing.regular_wire import regular_entries
from headwater.ops.parsing.wire import (
    FIRST,
    KINDS,
    LONGEST_KEY,
    SECOND,
    THIRD,
    Batch,
    Entries,
    Unusual,
)

_READERS = {FIRST: Batch.texts, SECOND: Batch.floats, THIRD: Batch.integers}
_TAGS = {kind: tag for tag, kind in KINDS.items()}


class Column:
    """The values of one feature of a batch.

    Args:
        values: of all messages, concatenated.
        counts: how many each message has.
        missing: for each message, whether it has no such feature; None if all have it.
    """

    def __init__(self, values: np.ndarray, counts: np.ndarray, missing: np.ndarray | None) -> None:
        self.values, self.counts, self.missing = values, counts, missing


def read_batch(
    messages: Sequence[bytes], keys: Sequence[bytes], kinds: Sequence[str]
) -> list[Column] | None:
    """Reads features of Examples.

    Args:
        messages: serialized Examples.
        keys: the features that are wanted, all different.
        kinds: what each has: ``"string"``, ``"float"`` or ``"int64"``.

    Returns:
        The features in the order of the keys, or None if the batch needs the full parser.
    """
    wanted = _wanted(tuple(keys), tuple(kinds))
    batch = Batch(messages)
    if not wanted.possible or len(batch.whole) > 2**31:
        return None
    columns = _native_columns(batch, wanted)
    if columns is not None:
        return columns
    try:
        entries = regular_entries(batch, wanted.keys, wanted.kinds)
        packed = entries is not None
        return _columns(batch, entries or batch.entries(wanted.keys), wanted, packed)
    except Unusual:
        return None


class _Wanted(NamedTuple):
    """The features that are wanted, in the order of their kinds.

    Attributes:
        keys: the keys.
        kinds: their kinds.
        groups: the tag of each kind, and where its keys begin and end.
        places: for each key as it was given, where it is now.
        possible: whether such keys can be read from the bytes.
    """

    keys: tuple[bytes, ...]
    kinds: tuple[str, ...]
    groups: list[tuple[int, int, int]]
    places: list[int]
    possible: bool


@functools.lru_cache(256)
def _wanted(keys: tuple[bytes, ...], kinds: tuple[str, ...]) -> _Wanted:
    order = sorted(range(len(keys)), key=lambda i: kinds[i])
    ordered = [kinds[i] for i in order]
    groups = [
        (_TAGS[kind], ordered.index(kind), ordered.index(kind) + ordered.count(kind))
        for kind in dict.fromkeys(ordered)
    ]
    places = [order.index(i) for i in range(len(keys))]
    possible = len(set(keys)) == len(keys) and max(map(len, keys)) <= LONGEST_KEY
    return _Wanted(tuple(keys[i] for i in order), tuple(ordered), groups, places, possible)


def _native_columns(batch: Batch, wanted: _Wanted) -> list[Column] | None:
    """The columns in the order in which the keys were given; None without native kernels."""
    lists = lists_of(batch, wanted.keys, tuple(_TAGS[kind] for kind in wanted.kinds))
    if lists is None:
        return None
    columns: list[Column] = []
    for tag, first, last in wanted.groups:
        rows = slice(first, last)
        values = values_of(batch, lists, rows, tag)
        if values is None:
            return None
        counts = lists.counts[rows].ravel()
        missing = counts < 0
        absent = missing if missing.any() else None
        columns += _split(values, np.maximum(counts, 0), absent, last - first)
    return [columns[place] for place in wanted.places]


def _columns(batch: Batch, entries: Entries, wanted: _Wanted, packed: bool) -> list[Column]:
    """The columns in the order in which the keys were given.

    Args:
        batch: the messages.
        entries: their features.
        wanted: which are wanted.
        packed: whether the entries of numbers are without headers.

    Raises:
        Unusual: if an entry is of another kind.
    """
    messages = len(batch.begin)
    columns: list[Column] = []
    where = np.full(messages * len(wanted.keys), -1)
    # The last entry of a key counts; NumPy keeps the last of equal positions.
    where[entries.column * messages + entries.owner] = np.arange(len(entries.column))
    if packed and len(where) and where.min() >= 0:
        begin, end = entries.begin[where], entries.end[where]
        for tag, first, last in wanted.groups:
            rows = slice(first * messages, last * messages)
            read = _values(batch, begin[rows], end[rows], tag, packed)
            columns += _split(*read, None, last - first)
    else:
        for tag, first, last in wanted.groups:
            rows = slice(first * messages, last * messages)
            columns += _incomplete(batch, entries, where[rows], tag, packed, last - first)
    return [columns[place] for place in wanted.places]


def _incomplete(
    batch: Batch, entries: Entries, where: np.ndarray, tag: int, packed: bool, number: int
) -> list[Column]:
    """Columns of one kind, which some messages may lack."""
    there = where >= 0
    there[there] = entries.kind[where[there]] != 0
    chosen = where[there]
    if np.count_nonzero(entries.kind[chosen] != tag):
        raise Unusual
    values, sizes = _values(batch, entries.begin[chosen], entries.end[chosen], tag, packed)
    counts = np.zeros(len(where), np.int64)
    counts[there] = sizes
    return _split(values, counts, None if len(chosen) == len(where) else ~there, number)


def _values(
    batch: Batch, begin: np.ndarray, end: np.ndarray, tag: int, packed: bool
) -> tuple[np.ndarray, np.ndarray]:
    """The values of some lists of one kind, and how many each has."""
    if tag != FIRST and not packed:
        begin, end = batch.packed(begin, end)
    return _READERS[tag](batch, begin, end)


def _split(
    values: np.ndarray, counts: np.ndarray, missing: np.ndarray | None, number: int
) -> list[Column]:
    """Columns of equally many messages that follow each other."""
    if number == 1:
        return [Column(values, counts, missing)]
    rows = counts.reshape(number, -1)
    absent = [None] * number if missing is None else missing.reshape(number, -1)
    columns, begin = [], 0
    for row, lacking, stop in zip(rows, absent, rows.sum(1).cumsum().tolist()):
        columns.append(Column(values[begin:stop], row, lacking))
        begin = stop
    return columns
