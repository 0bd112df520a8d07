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
FIRST, SECOND, THIRD = 0x0A, 0x12, 0x1A
KINDS = {FIRST: "string", SECOND: "float", THIRD: "int64"}
_MESSAGES_IN_STEP = 16
_LONGEST_LENGTH = 5
_LONGEST_VARINT = 10
LONGEST_KEY = 64
_FEW_BYTES = 32

_IS_KIND = np.isin(np.arange(256), list(KINDS))


# The numbers of varints of one or two bytes, by the bytes; -1 for longer ones.
_PAIRS = np.arange(1 << 16)
_SHORT_VARINTS = np.where(
    _PAIRS & 0x80 == 0,
    _PAIRS & 0x7F,
    np.where(_PAIRS & 0x8000 == 0, (_PAIRS & 0x7F) | (_PAIRS >> 8 << 7), -1),
)

# Masks for the first n bytes of a little-endian word.
_MASKS = np.array([(1 << (8 * count)) - 1 for count in range(9)], np.uint64)
_SEVEN = np.uint64(0x7F)
# The bits of shorter varints are put together one byte after the other.
_FEW_STEPS = 4
_NONE = np.empty(0, np.int64)
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


def _seven_bits(words: np.ndarray) -> np.ndarray:
    """Numbers of varints of up to eight bytes: seven bits of each byte, the lowest first."""
    # Neighbours are joined, then pairs, then fours.
    for step, low, high in (
        (1, 0x007F007F007F007F, 0x7F007F007F007F00),
        (2, 0x00003FFF00003FFF, 0x3FFF00003FFF0000),
        (4, 0x000000000FFFFFFF, 0x0FFFFFFF00000000),
    ):
        words = (words & np.uint64(low)) | ((words & np.uint64(high)) >> np.uint64(step))
    return words


def _varints(data: np.ndarray, starts: np.ndarray, widths: np.ndarray) -> np.ndarray:
    """The numbers of varints that begin at some positions and have some widths."""
    widest = int(widths.max())
    if widest > _LONGEST_VARINT:
        raise Unusual
    padded = b"".join([data.data, bytes(_LONGEST_VARINT)])
    words = np.ndarray((len(data) + 2,), "V8", padded, 0, (1,))[starts].view("<u8")
    words &= _MASKS[np.minimum(widths, 8)]
    if widest > _FEW_STEPS:
        values = _seven_bits(words)
    else:
        values = words & _SEVEN
        for step in range(1, widest):
            values |= (words >> np.uint64(step)) & np.uint64(0x7F << (7 * step))
    more = np.arange(len(widths)) if widest > 8 else _NONE
    for step in range(8, widest):
        more = more[widths[more] > step]
        byte = (data[starts[more] + step] & 0x7F).astype(np.uint64)
        values[more] |= byte << np.uint64(7 * step)
    return values.view(np.int64)


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
        self.whole = b"".join([*messages, bytes(LONGEST_KEY + 8)])
        self.data = np.frombuffer(self.whole, np.uint8)
        lengths = np.fromiter(map(len, messages), np.int64, len(messages))
        self.end = np.cumsum(lengths)
        self.begin = self.end - lengths

    def pieces(self, at: np.ndarray, size: int) -> np.ndarray:
        """The bytes at some positions, so many at each, one piece after the other."""
        # Elements of an opaque type are copied whole, wherever they begin.
        count = len(self.data) - size + 1
        return np.ndarray((count,), f"V{size}", self.whole, 0, (1,))[at].view(np.uint8)

    def words(self, at: np.ndarray) -> np.ndarray:
        """The eight bytes at some positions, as numbers."""
        return self.pieces(at, 8).view("<u8")

    def lengths(self, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The varint lengths at some positions, and the positions after them."""
        byte = self.data[at]
        after = at + 1
        if byte.tobytes().isascii():
            # None has the bit that announces another byte.
            return byte.astype(np.int64), after
        value = _SHORT_VARINTS.take(byte | self.data[after].astype(np.uint16) << 8)
        after += byte >> 7
        if value.min() >= 0:
            return value, after
        for i in np.flatnonzero(value < 0).tolist():
            value[i], after[i] = self._length(int(at[i]))
        return value, after

    def _length(self, at: int) -> tuple[int, int]:
        """One varint length, and the position after it, without arrays."""
        whole, value = self.whole, 0
        for step in range(_LONGEST_LENGTH):
            byte = whole[at + step]
            value |= (byte & 0x7F) << (7 * step)
            if byte < 0x80:
                return value, at + step + 1
        raise Unusual

    def tagged(self, at: np.ndarray, end: np.ndarray, tag: int) -> tuple[np.ndarray, np.ndarray]:
        """Where fields with a certain tag begin and end."""
        begin, stop = self._tagged(at, tag)
        if np.count_nonzero(stop > end):
            raise Unusual
        return begin, stop

    def filling(self, at: np.ndarray, end: np.ndarray, tag: int) -> np.ndarray:
        """Where fields with a certain tag begin that end at certain places."""
        begin, stop = self._tagged(at, tag)
        if np.count_nonzero(stop != end):
            raise Unusual
        return begin

    def _tagged(self, at: np.ndarray, tag: int) -> tuple[np.ndarray, np.ndarray]:
        if not self.all_have(at, tag):
            raise Unusual
        length, begin = self.lengths(at + 1)
        return begin, begin + length

    def all_have(self, at: np.ndarray, tag: int) -> bool:
        """Whether there is a certain tag at all of some positions."""
        return self.data[at].tobytes().count(tag) == at.size

    def split(self, at: np.ndarray, end: np.ndarray) -> tuple[Any, Any, Any]:
        """The fields 1 of which messages are made: owner, begin and end.

        The fields of one message are in order. If all messages have equally many, the first fields
        of all come first, then the second ones, and so on.
        """
        if len(at) >= _MESSAGES_IN_STEP and (equal := self._equally_split(at, end)) is not None:
            return equal
        owners, begins, ends = [], [], []
        owner = np.flatnonzero(at < end)
        at, end = at[owner], end[owner]
        while owner.size >= _MESSAGES_IN_STEP:
            begin, stop = self.tagged(at, end, FIRST)
            owners.append(owner)
            begins.append(begin)
            ends.append(stop)
            left = stop < end
            owner, at, end = owner[left], stop[left], end[left]
        rest = [
            (number, *field)
            for number, first, last in zip(owner.tolist(), at.tolist(), end.tolist())
            for field in self.fields(first, last)
        ]
        if rest:
            for parts, numbers in zip((owners, begins, ends), zip(*rest)):
                parts.append(np.array(numbers, np.int64))
        if not owners:
            return _NONE, _NONE, _NONE
        owner = np.concatenate(owners)
        order = np.argsort(owner, kind="stable")
        return owner[order], np.concatenate(begins)[order], np.concatenate(ends)[order]

    def _equally_split(
        self, at: np.ndarray, end: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
        """The fields of messages that have as many as the first one; None if some do not."""
        count = len(self.fields(int(at[0]), int(end[0])))
        if not count:
            return None
        starts = np.empty((count + 1, len(at)), np.int64)
        begins = np.empty((count, len(at)), np.int64)
        starts[0] = at
        try:
            for i in range(count):
                length, begins[i] = self.lengths(starts[i] + 1)
                np.add(begins[i], length, out=starts[i + 1])
        except IndexError:
            # A message of fewer fields, whose neighbour's bytes were taken for a length.
            return None
        if np.count_nonzero(starts[count] != end) or not self.all_have(starts[:-1], FIRST):
            return None
        owner = np.arange(len(at))
        if count > 1:
            owner = np.tile(owner, count)
        return owner, begins.ravel(), starts[1:].ravel()

    def fields(self, at: int, end: int) -> list[tuple[int, int]]:
        """The fields 1 of one message, without arrays."""
        whole, fields = self.whole, []
        while at < end:
            if whole[at] != FIRST:
                raise Unusual
            length, begin = whole[at + 1], at + 2
            if length >= 0x80:
                length, begin = self._length(at + 1)
            at = begin + length
            if at > end:
                raise Unusual
            fields.append((begin, at))
        return fields

    def columns(self, begin: np.ndarray, end: np.ndarray, keys: Sequence[bytes]) -> np.ndarray:
        """The index of the key at each position; -1 for any other key."""
        size = end - begin
        known = self._equal_columns(begin, size, keys)
        if known is not None:
            return known
        table = _key_table(tuple(keys))
        found = [
            self.words(begin + 8 * i) & _MASKS[np.minimum(np.maximum(size - 8 * i, 0), 8)]
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

    def _equal_columns(
        self, begin: np.ndarray, size: np.ndarray, keys: Sequence[bytes]
    ) -> np.ndarray | None:
        """As `columns`, if all messages have the same keys in the same order; else None.

        That is how a program writes them. The first keys of all messages come first, and so on.
        """
        messages = len(self.begin)
        count, rest = divmod(len(begin), messages or 1)
        if rest or not count:
            return None
        size = size.reshape(count, messages)
        sizes = size[:, :1]
        words = -(-int(sizes.max()) // 8)
        if 8 * words > LONGEST_KEY or np.count_nonzero(size != sizes):
            return None
        if words:
            found = self.pieces(begin, 8 * words).view("<u8").reshape(count, messages, words)
            found &= _MASKS[np.clip(sizes - 8 * np.arange(words), 0, 8)][:, np.newaxis]
            if np.count_nonzero(found != found[:, :1]):
                return None
        places = {key: i for i, key in enumerate(keys)}
        firsts = zip(begin[::messages].tolist(), sizes.ravel().tolist())
        columns = [places.get(self.whole[at : at + length], -1) for at, length in firsts]
        return np.repeat(np.array(columns), messages)

    def entries(self, keys: Sequence[bytes]) -> Entries:
        """The features of a batch of Examples whose keys are wanted."""
        filled = self.begin < self.end
        at, end = self.begin, self.end
        all_filled = np.count_nonzero(filled) == len(filled)
        if not all_filled:
            at, end = at[filled], end[filled]
        owner, at, end = self.split(self.filling(at, end, FIRST), end)
        if not all_filled:
            owner = np.flatnonzero(filled)[owner]
        key, key_end = self.tagged(at, end, FIRST)
        value = self.filling(key_end, end, SECOND)
        column = self.columns(key, key_end, keys)
        wanted = column >= 0
        if np.count_nonzero(wanted) < len(wanted):
            column, owner = column[wanted], owner[wanted]
            value, end = value[wanted], end[wanted]
        some = value < end
        if np.count_nonzero(some) == len(some):
            kind = self.data[value]
            if np.count_nonzero(_IS_KIND[kind]) < len(kind):
                raise Unusual
            length, begin = self.lengths(value + 1)
            if np.count_nonzero(begin + length != end):
                raise Unusual
            return Entries(column, owner, kind, begin, end)
        kind = np.where(some, self.data[np.where(some, value, 0)], 0)
        if (some & ~_IS_KIND[kind]).any():
            raise Unusual
        length, begin = self.lengths(np.where(some, value + 1, len(self.data) - 1))
        begin = np.where(some, begin, end)
        if (some & (begin + length != end)).any():
            raise Unusual
        return Entries(column, owner, kind, begin, end)

    def packed(self, begin: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The positions of the packed numbers of lists; empty lists included."""
        some = begin < end
        if np.count_nonzero(some) == len(some):
            return self.filling(begin, end, FIRST), end
        if (some & (self.data[np.where(some, begin, 0)] != FIRST)).any():
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
        if not largest:
            return np.empty(0, np.uint8)
        if largest == size.min():
            return self.pieces(begin, largest)
        if largest <= _FEW_BYTES:
            rows = self.pieces(begin, largest).reshape(-1, largest)
            return rows[np.arange(largest) < size[:, np.newaxis]]
        whole = self.whole
        parts = [whole[a:b] for a, b in zip(begin.tolist(), end.tolist())]
        return np.frombuffer(bytearray().join(parts), np.uint8)

    def floats(self, begin: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The values of packed floats, and how many each list has."""
        size = end - begin
        if np.count_nonzero(size & 3):
            raise Unusual
        return self.joined(begin, end).view("<f4"), size >> 2

    def integers(self, begin: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The values of packed integers, and how many each list has."""
        data = self.joined(begin, end)
        size = end - begin
        # The last byte of a varint has no highest bit.
        ends = (data < 0x80).nonzero()[0]
        if len(ends) == len(data):
            return data.astype(np.int64), size
        stop = size.cumsum()
        if not data[stop[size > 0] - 1].tobytes().isascii():
            raise Unusual
        counts = ends.searchsorted(stop)
        counts[1:] -= counts[:-1].copy()
        starts = np.empty_like(ends)
        starts[0] = 0
        np.add(ends[:-1], 1, out=starts[1:])
        return _varints(data, starts, ends - starts + 1), counts

    def texts(self, begin: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The values of lists of strings, and how many each has."""
        single = self._single(begin, end)
        if single is not None:
            return self.strings(single, end), np.ones(len(end), np.int64)
        owner, first, stop = self.split(begin, end)
        counts = np.bincount(owner, minlength=len(begin))
        if len(owner) > len(begin) and owner[0] != owner[1]:
            # The second fields come after the first ones of all messages.
            order = np.argsort(owner, kind="stable")
            first, stop = first[order], stop[order]
        return self.strings(first, stop), counts

    def _single(self, begin: np.ndarray, end: np.ndarray) -> np.ndarray | None:
        """Where the strings of lists of one string begin; None if one has another number."""
        if not self.all_have(begin, FIRST):
            return None
        try:
            length, first = self.lengths(begin + 1)
        except (Unusual, IndexError):
            return None
        return None if np.count_nonzero(first + length != end) else first

    def strings(self, begin: np.ndarray, end: np.ndarray) -> np.ndarray:
        """The bytes of some ranges."""
        whole = self.whole
        values = np.empty(len(begin), object)
        values[:] = [whole[a:b] for a, b in zip(begin.tolist(), end.tolist())]
        return values
