"""Features of Examples in the form in which serializers write them, found by tables.

The messages of a batch have equally many features, in any order; lengths take as few bytes as
possible, and lists of numbers are packed. Then all bytes between the beginning of a feature and its
values follow from its key, the kind of its list and its size: they are compared with tables, for
all features of all messages at once. `Batch.entries` reads batches of other forms.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from headwater.ops.parsing.wire import (
    FIRST,
    KINDS,
    LONGEST_KEY,
    SECOND,
    Batch,
    Entries,
    Unusual,
)

# Lengths of more than two bytes are not read here.
_SIZES = 1 << 14
# What follows the key of a feature that is not wanted: any message.
_ANY = 0
_CODES = {kind: code for code, kind in enumerate(KINDS.values(), _ANY + 1)}
_TAGS = np.array([0, *KINDS], np.uint8)
# Before a key stand its tag and its size; after it the tag of the value.
_AROUND_KEY = 3
# Keys that are not wanted but known, so that they are passed over.
_MOST_KEYS = 512
_ATTEMPTS = 64


class _Fields(NamedTuple):
    """Fields of up to two bytes of length, by the two bytes that follow the tag.

    Attributes:
        header: the number of bytes from the tag to the content; 0 for other lengths.
        whole: the number of bytes from the tag to the end of the content; 0 for other lengths.
    """

    header: np.ndarray
    whole: np.ndarray


@functools.cache
def _fields() -> _Fields:
    pairs = np.arange(1 << 16)
    low, high = pairs & 0xFF, pairs >> 8
    short, two = low < 0x80, (low >= 0x80) & (high > 0) & (high < 0x80)
    header = np.where(short, 2, np.where(two, 3, 0))
    size = np.where(short, low, (low & 0x7F) | high << 7)
    return _Fields(header, np.where(header > 0, header + size, 0))


class _Tails(NamedTuple):
    """What stands between a key and the values, by kind and size: at `kind * _SIZES + size`.

    The size is that of all that follows the tag of the value.

    Attributes:
        expected: eight bytes, as a number.
        mask: which of them count; if none does, there is no such size, and `expected` is 1.
        skipped: how many there are.
    """

    expected: np.ndarray
    mask: np.ndarray
    skipped: np.ndarray


class _Header:
    """The bytes of nested headers for all sizes, put together from the outside to the inside."""

    def __init__(self) -> None:
        self.word = np.zeros(_SIZES, np.uint64)
        self.skipped = np.zeros(_SIZES, np.int64)
        self.left = np.arange(_SIZES)
        self.exists = np.ones(_SIZES, bool)

    def _append(self, bytes_: np.ndarray, count: np.ndarray | int, where: np.ndarray) -> None:
        shift = (8 * np.minimum(self.skipped, 7)).astype(np.uint64)
        self.word |= np.where(where, bytes_, 0).astype(np.uint64) << shift
        self.skipped += np.where(where, count, 0)
        self.left -= np.where(where, count, 0)

    def tag(self, tag: int, where: np.ndarray | bool = True) -> None:
        """Appends a tag."""
        self.exists &= ~np.asarray(where) | (self.left > 0)
        self._append(np.full(_SIZES, tag), 1, where & self.exists)

    def length(self, where: np.ndarray | bool = True) -> None:
        """Appends the length of what is left."""
        short = self.left - 1 < 0x80
        content = np.where(short, self.left - 1, self.left - 2)
        possible = (content >= 0) & (short | (content >= 0x80))
        self.exists &= ~np.asarray(where) | possible
        bytes_ = np.where(short, content, (content & 0x7F) | 0x80 | content >> 7 << 8)
        self._append(bytes_, np.where(short, 1, 2), where & self.exists)


def _header(kind: str | None) -> _Header:
    """The header of values of a kind; of any for None."""
    header = _Header()
    header.length()
    if kind is None:
        return header
    header.tag({name: tag for tag, name in KINDS.items()}[kind])
    header.length()
    if kind != "string":
        # Numbers are packed into one field; an empty list has none.
        filled = header.exists & (header.left > 0)
        header.tag(FIRST, filled)
        header.length(filled)
    return header


@functools.cache
def _tails() -> _Tails:
    headers = [_header(None), *map(_header, KINDS.values())]
    masks = [(1 << (8 * count)) - 1 for count in range(9)]
    tables = [
        (
            np.where(header.exists, header.word, np.uint64(1)),
            np.where(header.exists, np.array(masks, np.uint64)[header.skipped], np.uint64(0)),
            header.skipped,
        )
        for header in headers
    ]
    return _Tails(*map(np.concatenate, zip(*tables)))


class _KeyTable(NamedTuple):
    """Known keys, found by a number of their bytes.

    Attributes:
        wanted: how many are wanted; these come first.
        words: of each key, the bytes from its tag to that of the value, in words of eight.
        masks: for each size of a key, which bytes of the words count.
        factors: of the words, whose sum of products is the number of a key.
        shift: leaves the highest bits of a number, which are a place in `columns`.
        columns: by place, the number of the key; -1 for none.
        kinds: of each key, where the sizes of its kind begin in the tables of tails.
        tags: of each key, the tag of its list.
    """

    wanted: int
    words: np.ndarray
    masks: np.ndarray
    factors: np.ndarray
    shift: np.uint64
    columns: np.ndarray
    kinds: np.ndarray
    tags: np.ndarray


def _key_table(keys: Sequence[bytes], kinds: Sequence[str], unwanted: Sequence[bytes]) -> _KeyTable:
    known = [*keys, *unwanted]
    count = -(-(max(map(len, known)) + _AROUND_KEY) // 8)
    rows = [
        (bytes([FIRST, len(key)]) + key + bytes([SECOND])).ljust(8 * count, b"\0") for key in known
    ]
    words = np.frombuffer(b"".join(rows), "<u8").reshape(-1, count)
    sizes = np.arange(256)[:, np.newaxis] + _AROUND_KEY
    masks = (np.arange(8 * count) < sizes).astype(np.uint8) * np.uint8(0xFF)
    # Places for numbers without collisions: more, if there are none for so many.
    random, bits = np.random.RandomState(0), max(len(known).bit_length() + 1, 4)
    for attempt in range(1, 1 << 30):
        factors = random.randint(0, 1 << 32, (2, count), np.uint64)
        factors = (factors[0] << np.uint64(32)) | factors[1] | np.uint64(1)
        shift = np.uint64(64 - bits)
        places = _numbers(words, factors) >> shift
        if len(np.unique(places)) == len(known):
            break
        bits += attempt % _ATTEMPTS == 0
    columns = np.full(1 << bits, -1)
    columns[places.view(np.int64)] = np.arange(len(known))
    codes = np.array([_CODES[kind] for kind in kinds] + [_ANY] * len(unwanted))
    return _KeyTable(
        len(keys),
        words,
        masks.view("<u8"),
        factors,
        shift,
        columns,
        codes * _SIZES,
        _TAGS[codes],
    )


def _numbers(words: np.ndarray, factors: np.ndarray) -> np.ndarray:
    numbers: np.ndarray = words[:, 0] * factors[0]
    for i in range(1, len(factors)):
        numbers += words[:, i] * factors[i]
    return numbers


class _Keys:
    """The keys of the features of some messages: those that are wanted, and others seen so far."""

    def __init__(self, keys: tuple[bytes, ...], kinds: tuple[str, ...]) -> None:
        self._keys, self._kinds = keys, kinds
        self._unwanted: tuple[bytes, ...] = ()
        self.table = _key_table(keys, kinds, ())

    def learn(self, seen: Sequence[bytes]) -> None:
        """Notes keys that may be new."""
        known = {*self._keys, *self._unwanted}
        new = [key for key in dict.fromkeys(seen) if key not in known and len(key) <= LONGEST_KEY]
        if new and len(known) + len(new) <= _MOST_KEYS:
            unwanted = (*self._unwanted, *new)
            self._unwanted, self.table = unwanted, _key_table(self._keys, self._kinds, unwanted)


_keys = functools.lru_cache(256)(_Keys)


def regular_entries(batch: Batch, keys: Sequence[bytes], kinds: Sequence[str]) -> Entries | None:
    """The features of a batch of Examples that are wanted; lists of numbers without headers.

    Args:
        batch: the messages.
        keys: the features that are wanted, all different.
        kinds: the kind of each.

    Returns:
        The features, those of the wanted kinds; None if the batch has another form.
    """
    bounds = _bounds(batch)
    if bounds is None:
        return None
    known = _keys(tuple(keys), tuple(kinds))
    table = known.table
    starts, stop, body = bounds
    size = batch.data[body + 1]
    width = table.words.shape[1]
    found = batch.pieces(body, 8 * width).view("<u8").reshape(-1, width)
    found &= table.masks.take(size, 0)
    places = (_numbers(found, table.factors) >> table.shift).view(np.int64)
    column = table.columns.take(places)
    if (found != table.words.take(column, 0)).any():
        known.learn(_first_keys(batch))
        return None
    after_key = body + size
    after_key += _AROUND_KEY
    rest = stop - after_key
    if rest.min() < 0:
        return None
    tails = _tails()
    rest += table.kinds.take(column)
    words = batch.words(after_key)
    words &= tails.mask.take(rest)
    if np.count_nonzero(words != tails.expected.take(rest)):
        return None
    begin = after_key + tails.skipped.take(rest)
    owner = np.tile(np.arange(len(batch.begin)), starts)
    if table.wanted < len(table.words):
        wanted = column < table.wanted
        column, owner, begin, stop = column[wanted], owner[wanted], begin[wanted], stop[wanted]
    return Entries(column, owner, table.tags.take(column), begin, stop)


def _bounds(batch: Batch) -> tuple[int, np.ndarray, np.ndarray] | None:
    """The number of features per message, and where they end and their contents begin.

    The first features of all messages come first, then the second ones, and so on. None if the
    messages have not equally many features.
    """
    messages = len(batch.begin)
    fields, first = _fields(), _first_fields(batch) if messages else []
    count = len(first)
    if not count:
        return None
    # The bytes that follow a position.
    pairs = np.ndarray((len(batch.data) - 2,), "V2", batch.whole, 1, (1,))
    # Where the messages begin, then their features, then where the last ones end.
    at = np.empty((count + 2, messages), np.int64)
    at[0] = batch.begin
    outer = pairs[batch.begin].view("<u2")
    np.add(batch.begin, fields.header.take(outer), out=at[1])
    try:
        for i in range(1, count + 1):
            np.add(at[i], fields.whole.take(pairs[at[i]].view("<u2")), out=at[i + 1])
    except IndexError:
        # A message of fewer features, whose neighbour's bytes were taken for a length.
        return None
    if np.count_nonzero(at[-1] != batch.end) or not batch.all_have(at[:-1], FIRST):
        return None
    if np.count_nonzero(batch.begin + fields.whole.take(outer) != batch.end):
        return None
    starts = at[1:-1].ravel()
    header = fields.header.take(pairs[starts].view("<u2"))
    if not header.all():
        return None
    return count, at[2:].ravel(), starts + header


def _first_fields(batch: Batch) -> list[tuple[int, int]]:
    """The features of the first message; empty if it is unusual."""
    try:
        outer = batch.fields(int(batch.begin[0]), int(batch.end[0]))
        return batch.fields(*outer[0]) if len(outer) == 1 else []
    except (Unusual, IndexError):
        return []


def _first_keys(batch: Batch) -> list[bytes]:
    """The keys of the features of the first message."""
    whole = batch.whole
    return [whole[at + 2 : at + 2 + whole[at + 1]] for at, _ in _first_fields(batch)]
