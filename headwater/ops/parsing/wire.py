"""Batches of Example protos read from their bytes, all at once.

The messages of a batch are read in lockstep: every pass reads one field of each with array
operations. Bytes of an unusual form (fields in another order, unknown fields, damage) are left to
the parser of the protocol buffers: `read_batch` returns None.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from headwater.base.typing import Array

# Field 1 or 2 or 3, with a length; the lists of a Feature are its fields 1 to 3.
_FIRST, _SECOND, _THIRD = 0x0A, 0x12, 0x1A
KINDS = {_FIRST: "string", _SECOND: "float", _THIRD: "int64"}
_MESSAGES_IN_STEP = 16
_LONGEST_LENGTH = 5
_LONGEST_VARINT = 10
_LONGEST_KEY = 64
_FEW_BYTES = 32

# A tag and the highest bit of the byte after it; a byte; the bits of a varint in it.
_SHORT_HEAD, _BYTE, _SEVEN = np.uint64(0x80FF), np.uint64(8), np.uint64(0x7F)
_LONG = np.uint64(0x8000)
_IS_KIND = np.isin(np.arange(256), list(KINDS))


# Masks for the first n bytes of a little-endian word, and for the highest bits of these.
_MASKS = np.array([(1 << (8 * count)) - 1 for count in range(9)], np.uint64)
_HIGH_BITS = _MASKS & np.uint64(0x8080808080808080)
# The highest bit of the n-th byte; none for n = 0.
_LAST_BITS = np.array([0] + [1 << (8 * count - 1) for count in range(1, 9)], np.uint64)
_FACTORS = (
    0x9E3779B97F4A7C15,
    0xC2B2AE3D27D4EB4F,
    0x165667B19E3779F9,
    0xD6E8FEB86659FD93,
    0xFF51AFD7ED558CCD,
    0xC4CEB9FE1A85EC53,
    0x94D049BB133111EB,
    0xBF58476D1CE4E5B9,
)


def _words(data: np.ndarray) -> np.ndarray:
    """The eight bytes at each position, as one number."""
    return np.ndarray((len(data) - 7,), "<u8", buffer=data.data, strides=(1,))


def _seven_bits(words: np.ndarray) -> np.ndarray:
    """Numbers of varints of up to eight bytes: seven bits of each byte, the lowest first."""
    # Neighbours are joined, then pairs, then fours.
    for step, low, high in (
        (1, 0x007F007F007F007F, 0x7F007F007F007F00),
        (2, 0x00003FFF00003FFF, 0x3FFF00003FFF0000),
        (4, 0x000000000FFFFFFF, 0x0FFFFFFF00000000),
    ):
        words = (words & np.uint64(low)) | ((words & np.uint64(high)) >> np.uint64(step))
    return words.view(np.int64)


class Unusual(Exception):
    """The bytes have a form that is left to another parser."""


class Entries:
    """Features of a batch: the positions of their lists in the bytes.

    Args:
        column: for each feature, the number of its key among the wanted ones.
        owner: the number of its message.
        kind: the tag of its list, 0 if it has none.
        begin: where the values begin.
        end: where they end.
    """

    def __init__(
        self, column: np.ndarray, owner: np.ndarray, kind: Array, begin: np.ndarray, end: np.ndarray
    ) -> None:
        self.column, self.owner, self.kind, self.begin, self.end = column, owner, kind, begin, end


class _KeyTable(NamedTuple):
    """Keys as words of eight bytes, ordered by one number of each.

    Attributes:
        order: for each place, the number of the key.
        numbers: sorted; the sum of size and words times factors.
        sizes: the lengths of the keys.
        words: the first words of all keys, the second ones, ...
        factors: of the words.
    """

    order: np.ndarray
    numbers: np.ndarray
    sizes: np.ndarray
    words: list[np.ndarray]
    factors: list[np.uint64]


@functools.lru_cache(256)
def _key_table(keys: tuple[bytes, ...]) -> _KeyTable:
    words = -(-max(map(len, keys)) // 8) or 1
    padded = np.array([list(key.ljust(8 * words, b"\0")) for key in keys], np.uint8)
    wanted = padded.view("<u8")
    sizes = np.array([len(key) for key in keys], np.int64)
    factors = [np.uint64(n) for n in (_FACTORS[:words] if words > 1 else (1,))]
    numbers: np.ndarray = sizes.astype(np.uint64)
    for i, factor in enumerate(factors):
        numbers = numbers + wanted[:, i] * factor
    order = np.argsort(numbers)
    columns = [wanted[order, i] for i in range(words)]
    return _KeyTable(order, numbers[order], sizes[order], columns, factors)


class Batch:
    """The concatenated bytes of some messages."""

    def __init__(self, messages: Sequence[bytes]) -> None:
        # A field read past the end of the last message fails the length check.
        self.whole = b"".join([*messages, bytes(_LONGEST_KEY + 8)])
        self.data = np.frombuffer(self.whole, np.uint8)
        self.words = _words(self.data)
        lengths = np.fromiter(map(len, messages), np.int64, len(messages))
        self.end = np.cumsum(lengths)
        self.begin = self.end - lengths

    def lengths(self, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The varint lengths at some positions, and the positions after them."""
        value = self.data[at].astype(np.int64)
        at = at + 1
        if not value.size or value.max() < 0x80:
            return value, at
        value &= 0x7F
        more = np.flatnonzero(self.data[at - 1] >= 0x80)
        for step in range(1, _LONGEST_LENGTH):
            byte = self.data[at[more]].astype(np.int64)
            value[more] |= (byte & 0x7F) << (7 * step)
            at[more] += 1
            more = more[byte >= 0x80]
            if not more.size:
                return value, at
        raise Unusual

    def tagged(self, at: np.ndarray, end: np.ndarray, tag: int) -> tuple[np.ndarray, np.ndarray]:
        """Where fields with a certain tag begin and end."""
        begin, stop = self._tagged(at, tag)
        if (stop > end).any():
            raise Unusual
        return begin, stop

    def filling(self, at: np.ndarray, end: np.ndarray, tag: int) -> np.ndarray:
        """Where fields with a certain tag begin that end at certain places."""
        begin, stop = self._tagged(at, tag)
        if (stop != end).any():
            raise Unusual
        return begin

    def _tagged(self, at: np.ndarray, tag: int) -> tuple[np.ndarray, np.ndarray]:
        # Tag and length are mostly one byte each.
        head = self.words[at]
        if ((head & _SHORT_HEAD) == tag).all():
            begin = at + 2
            return begin, begin + ((head >> _BYTE) & _SEVEN).view(np.int64)
        if (self.data[at] != tag).any():
            raise Unusual
        length, begin = self.lengths(at + 1)
        return begin, begin + length

    def split(self, at: np.ndarray, end: np.ndarray) -> tuple[Any, Any, Any]:
        """The fields 1 of which messages are made: owner, begin and end, in order."""
        owners, begins, ends = [], [], []
        owner = np.flatnonzero(at < end)
        at, end = at[owner], end[owner]
        while owner.size >= _MESSAGES_IN_STEP:
            begin, stop = self._tagged(at, _FIRST)
            owners.append(owner)
            begins.append(begin)
            ends.append(stop)
            left = stop < end
            if left.all():
                at = stop
            else:
                if (stop > end).any():
                    raise Unusual
                owner, at, end = owner[left], stop[left], end[left]
        rest = [
            (number, *field)
            for number, first, last in zip(owner.tolist(), at.tolist(), end.tolist())
            for field in self._fields(first, last)
        ]
        if rest:
            for parts, numbers in zip((owners, begins, ends), zip(*rest)):
                parts.append(np.array(numbers, np.int64))
        if not owners:
            none = np.empty(0, np.int64)
            return none, none, none
        if len(owners) == 1:
            return owners[0], begins[0], ends[0]
        owner = np.concatenate(owners)
        order = np.argsort(owner, kind="stable")
        return owner[order], np.concatenate(begins)[order], np.concatenate(ends)[order]

    def _fields(self, at: int, end: int) -> list[tuple[int, int]]:
        """The fields 1 of one message, without arrays."""
        whole, fields = self.whole, []
        while at < end:
            if whole[at] != _FIRST:
                raise Unusual
            length, shift = 0, 0
            while True:
                at += 1
                byte = whole[at]
                length |= (byte & 0x7F) << shift
                shift += 7
                if byte < 0x80:
                    break
                if shift == 7 * _LONGEST_LENGTH:
                    raise Unusual
            begin = at + 1
            at = begin + length
            if at > end:
                raise Unusual
            fields.append((begin, at))
        return fields

    def columns(self, begin: np.ndarray, end: np.ndarray, keys: Sequence[bytes]) -> np.ndarray:
        """The index of the key at each position; -1 for any other key."""
        size = end - begin
        table = _key_table(tuple(keys))
        found = [
            self.words[begin + 8 * i] & _MASKS[np.minimum(np.maximum(size - 8 * i, 0), 8)]
            for i in range(len(table.words))
        ]
        # Compares one number per key first, then the bytes of the candidates.
        marks = size.view(np.uint64)
        for word, factor in zip(found, table.factors):
            marks = marks + word * factor
        place = np.minimum(np.searchsorted(table.numbers, marks), len(keys) - 1)
        equal = table.sizes[place] == size
        for wanted, word in zip(table.words, found):
            equal &= wanted[place] == word
        return np.where(equal, table.order[place], -1)

    def entries(self, keys: Sequence[bytes]) -> Entries:
        """The features of a batch of Examples whose keys are wanted."""
        filled = self.begin < self.end
        at, end = self.begin[filled], self.end[filled]
        features = self.filling(at, end, _FIRST)
        owner, at, end = self.split(features, end)
        owner = np.flatnonzero(filled)[owner]
        key, key_end = self.tagged(at, end, _FIRST)
        value = self.filling(key_end, end, _SECOND)
        column = self.columns(key, key_end, keys)
        wanted = np.flatnonzero(column >= 0)
        column, owner = column[wanted], owner[wanted]
        value, end = value[wanted], end[wanted]
        some = value < end
        if some.all():
            kind = self.data[value]
            if not _IS_KIND[kind].all():
                raise Unusual
            head = self.words[value]
            begin = value + 2
            if (head & _LONG).any():
                length, begin = self.lengths(value + 1)
            else:
                length = ((head >> _BYTE) & _SEVEN).view(np.int64)
            if (begin + length != end).any():
                raise Unusual
            return Entries(column, owner, kind, begin, end)
        kind = np.where(some, self.data[np.where(some, value, 0)], 0)
        if (some & (kind != _FIRST) & (kind != _SECOND) & (kind != _THIRD)).any():
            raise Unusual
        length, begin = self.lengths(np.where(some, value + 1, len(self.data) - 1))
        begin = np.where(some, begin, end)
        if (some & (begin + length != end)).any():
            raise Unusual
        return Entries(column, owner, kind, begin, end)

    def packed(self, begin: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The positions of the packed numbers of lists; empty lists included."""
        some = begin < end
        if some.all():
            return self.filling(begin, end, _FIRST), end
        if (some & (self.data[np.where(some, begin, 0)] != _FIRST)).any():
            raise Unusual
        length, first = self.lengths(np.where(some, begin + 1, len(self.data) - 1))
        first = np.where(some, first, end)
        if (some & (first + length != end)).any():
            raise Unusual
        return first, end

    def joined(self, begin: np.ndarray, end: np.ndarray) -> np.ndarray:
        """The concatenated bytes of some ranges."""
        size = end - begin
        largest = int(size.max(initial=0))
        if largest and largest == size.min():
            # Each range as one element.
            count = len(self.data) - largest + 1
            return np.ndarray((count,), f"V{largest}", self.whole, 0, (1,))[begin].view(np.uint8)
        if largest <= _FEW_BYTES:
            steps = np.arange(int(size.sum())) - np.repeat(np.cumsum(size) - size, size)
            return self.data[np.repeat(begin, size) + steps]
        whole = self.whole
        parts = [whole[a:b] for a, b in zip(begin.tolist(), end.tolist())]
        return np.frombuffer(bytearray().join(parts), np.uint8)

    def floats(self, begin: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The values of lists of floats, and how many each has."""
        first, end = self.packed(begin, end)
        counts, rest = np.divmod(end - first, 4)
        if rest.any():
            raise Unusual
        return self.joined(first, end).view("<f4"), counts

    def integers(self, begin: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The values of lists of integers, and how many each has."""
        first, end = self.packed(begin, end)
        size = end - first
        short = np.minimum(size, 8)
        word = self.words[first] & _MASKS[short]
        # The last byte of a varint has no highest bit.
        single = (~word & _HIGH_BITS[short] == _LAST_BITS[short]) & (size == short) & (size > 0)
        if single.all():
            return _seven_bits(word), np.ones(len(size), np.int64)
        counts = np.ones(len(size), np.int64)
        rest, counts[~single] = self._many_integers(first[~single], end[~single])
        values = np.empty(int(counts.sum()), np.int64)
        place = np.cumsum(counts)[single] - 1
        values[place] = _seven_bits(word[single])
        others = np.ones(len(values), bool)
        others[place] = False
        values[others] = rest
        return values, counts

    def _many_integers(self, first: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The values of packed lists of any lengths, and how many each has."""
        data = self.joined(first, end)
        size = end - first
        stop = np.cumsum(size)
        ends = np.flatnonzero(data < 0x80)
        if len(ends) == len(data):
            return data.astype(np.int64), size
        if (data[stop[size > 0] - 1] >= 0x80).any():
            raise Unusual
        starts = np.empty_like(ends)
        starts[0] = 0
        np.add(ends[:-1], 1, out=starts[1:])
        width = ends - starts + 1
        widest = int(width.max())
        if widest > _LONGEST_VARINT:
            raise Unusual
        data = np.concatenate([data, np.zeros(_LONGEST_VARINT, np.uint8)])
        raw = _words(data)[starts] & _MASKS[np.minimum(width, 8)]
        values = raw & np.uint64(0x7F)
        for step in range(1, min(widest, 8)):
            values |= (raw >> np.uint64(step)) & np.uint64(0x7F << (7 * step))
        more = np.flatnonzero(width > 8)
        for step in range(8, widest):
            more = more[width[more] > step]
            byte = (data[starts[more] + step] & 0x7F).astype(np.uint64)
            values[more] |= byte << np.uint64(7 * step)
        counts = np.searchsorted(ends, stop) - np.searchsorted(ends, stop - size)
        return values.view(np.int64), counts

    def texts(self, begin: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The values of lists of strings, and how many each has."""
        owner, first, stop = self.split(begin, end)
        whole = self.whole
        values = np.empty(len(owner), object)
        values[:] = [whole[a:b] for a, b in zip(first.tolist(), stop.tolist())]
        return values, np.bincount(owner, minlength=len(begin))


_READERS = {_FIRST: Batch.texts, _SECOND: Batch.floats, _THIRD: Batch.integers}
TAGS = {kind: tag for tag, kind in KINDS.items()}


class Column:
    """The values of one feature of a batch.

    Args:
        values: of all messages, concatenated.
        counts: how many each message has.
        missing: for each message, whether it has no such feature.
    """

    def __init__(self, values: np.ndarray, counts: np.ndarray, missing: np.ndarray) -> None:
        self.values, self.counts, self.missing = values, counts, missing


def _columns_of_kind(batch: Batch, entries: Entries, where: np.ndarray, tag: int) -> list[Column]:
    """The columns of one kind of values.

    Args:
        batch: the messages.
        entries: their features.
        where: which entry each column takes of each message, -1 for none.
        tag: the tag of the kind.
    """
    there = where >= 0
    if there.all() and (entries.kind[where] == tag).all():
        chosen = where.ravel()
        values, sizes = _READERS[tag](batch, entries.begin[chosen], entries.end[chosen])
        counts = sizes.reshape(where.shape)
    else:
        there[there] = entries.kind[where[there]] != 0
        chosen = where[there]
        if (entries.kind[chosen] != tag).any():
            raise Unusual
        values, sizes = _READERS[tag](batch, entries.begin[chosen], entries.end[chosen])
        counts = np.zeros(where.shape, np.int64)
        counts[there] = sizes
    if len(where) == 1:
        return [Column(values, counts[0], ~there[0])]
    stops = np.cumsum(counts.sum(1))
    columns, begin = [], 0
    for row, present, stop in zip(counts, there, stops.tolist()):
        columns.append(Column(values[begin:stop], row, ~present))
        begin = stop
    return columns


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
    batch = Batch(messages)
    if len(batch.whole) > 2**31 or len(set(keys)) < len(keys):
        return None
    if max(map(len, keys)) > _LONGEST_KEY:
        return None
    count = len(messages)
    try:
        entries = batch.entries(keys)
        # The last entry of a key counts; NumPy keeps the last of equal positions.
        where = np.full((len(keys), count), -1, np.int64)
        where[entries.column, entries.owner] = np.arange(len(entries.column))
        columns: list[Any] = [None] * len(keys)
        for kind, tag in TAGS.items():
            numbers = [i for i, wanted in enumerate(kinds) if wanted == kind]
            if numbers:
                read = _columns_of_kind(batch, entries, where[numbers], tag)
                for i, column in zip(numbers, read):
                    columns[i] = column
    except Unusual:
        return None
    return columns
