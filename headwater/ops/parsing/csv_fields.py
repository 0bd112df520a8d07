"""Comma-separated fields in the bytes of many records.

The places of the field marks tell where each field is, and the numbers of a column are read with
array operations, eight digits at a time. What is unusual is left to the parser of single fields.
"""

from __future__ import annotations

import numpy as np

_DIGITS_AT_ONCE = 8
_MOST_DIGITS = 2 * _DIGITS_AT_ONCE
# So many digits are exact in a float64, and their quotient by a power of ten is rounded once.
_EXACT_DIGITS = 15
PADDING = b"0" * _MOST_DIGITS
_MINUS, _POINT, _ZERO = b"-.0"

_ZEROS = np.uint64(0x3030303030303030)
_ABOVE_NINE = np.uint64(0x7676767676767676)
_HIGH_BITS = np.uint64(0x8080808080808080)
_PAIRS = np.uint64(0x00FF00FF00FF00FF)
_FOURS = np.uint64(0x0000FFFF0000FFFF)
_EIGHT = np.uint64(0x00000000FFFFFFFF)
# Masks for the last n bytes of a little-endian word.
_LAST = np.array([(1 << 64) - (1 << (64 - 8 * n)) for n in range(9)], np.uint64)
_POWERS = np.array([10**n for n in range(_MOST_DIGITS + 1)], np.uint64)


class Fields:
    """The fields of records of equal numbers of fields.

    Args:
        text: the records after PADDING; each field is followed by a mark, or the end of a line.
        ends: the places of these.
        width: how many fields a record has.
        mark: the byte between fields.
        lines: whether records are lines, each with its end.

    Attributes:
        width: how many fields a record has.
        count: how many fields all records have.
    """

    def __init__(self, text: bytes, ends: np.ndarray, width: int, mark: bytes, lines: bool) -> None:
        self._text = text
        self._lines = lines
        self._bytes = np.frombuffer(text, np.uint8)
        self._mark = mark
        self._points: np.ndarray | None = None
        self.width, self.count = width, len(ends)
        self._ends = ends
        self._starts = np.empty_like(ends)
        self._starts[0], self._starts[1:] = len(PADDING), ends[:-1] + 1
        # The eight bytes from each place on.
        words = len(text) - _DIGITS_AT_ONCE + 1
        self._words = np.ndarray((words,), "<u8", text, 0, (1,))

    @classmethod
    def of_records(cls, records: list[bytes], mark: bytes) -> Fields | None:
        """The fields of at least one record, none of them empty; None if the numbers differ."""
        text = PADDING + mark.join(records) + mark
        lengths = np.fromiter(map(len, records), np.int64, len(records))
        stops = np.cumsum(lengths + 1) + (len(PADDING) - 1)
        marks = np.flatnonzero(np.frombuffer(text, np.uint8) == mark[0])
        width, rest = divmod(len(marks), len(records))
        if rest or (marks[width - 1 :: width] != stops).any():
            return None
        return cls(text, marks, width, mark, lines=False)

    @classmethod
    def of_lines(cls, block: bytes, width: int, mark: bytes) -> Fields | None:
        r"""The fields of whole lines, each ended by "\n"; None if the numbers are not `width`."""
        text = PADDING + block
        codes = np.frombuffer(text, np.uint8)
        ends = np.flatnonzero((codes == ord("\n")) | (codes == mark[0]))
        stops = codes[ends] == ord("\n")
        if len(stops) % width:
            return None
        stops = stops.reshape(-1, width)
        if not stops[:, -1].all() or stops[:, :-1].any():
            return None
        return cls(text, ends, width, mark, lines=True)

    def has_any(self, marks: bytes) -> bool:
        """Whether one of some bytes occurs."""
        return any(mark in self._text for mark in marks)

    def column(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        """Where the fields of a column begin and end."""
        return self._starts[number :: self.width], self._ends[number :: self.width]

    def equal(self, starts: np.ndarray, ends: np.ndarray, text: bytes) -> np.ndarray:
        """Which fields are a text."""
        result = ends - starts == len(text)
        if text:
            places = starts[result][:, None] + np.arange(len(text))
            wanted = np.frombuffer(text, np.uint8)
            result[result] = (self._bytes[places] == wanted).all(1)
        return result

    def texts(self, numbers: list[int]) -> list[list[bytes]]:
        """The fields of columns as texts."""
        if 3 * len(numbers) < self.width:
            text = self._text
            return [
                [text[a:b] for a, b in zip(*(edge.tolist() for edge in self.column(number)))]
                for number in numbers
            ]
        text = self._text[len(PADDING) : -1]
        if self._lines:
            text = text.replace(b"\n", self._mark)
        fields = text.split(self._mark)
        return [fields[number :: self.width] for number in numbers]

    def integers(self, starts: np.ndarray, ends: np.ndarray) -> np.ndarray | None:
        """The numbers of fields, int64; None if one has another form or 17 or more digits."""
        negative, begins = self._signs(starts, ends)
        numbers = self._digits(begins, ends)
        if numbers is None or (begins == ends).any():
            return None
        values = numbers.view(np.int64)
        np.negative(values, out=values, where=negative)
        return values

    def doubles(self, starts: np.ndarray, ends: np.ndarray) -> np.ndarray | None:
        """The numbers of fields, float64; None if one has another form or 16 or more digits."""
        if self._points is None:
            self._points = np.append(np.flatnonzero(self._bytes == _POINT), len(self._bytes))
        negative, begins = self._signs(starts, ends)
        first = np.searchsorted(self._points, begins)
        points = np.minimum(self._points[first], ends)
        fractions = np.minimum(points + 1, ends)
        places = ends - fractions
        digits = points - begins + places
        if digits.size and (digits.min() < 1 or digits.max() > _EXACT_DIGITS):
            return None
        whole, part = self._digits(begins, points), self._digits(fractions, ends)
        if whole is None or part is None:
            return None
        values = (whole * _POWERS[places] + part) / _POWERS[places].astype(np.float64)
        np.negative(values, out=values, where=negative)
        return values

    def _signs(self, starts: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Which fields begin with a minus, and where their digits begin."""
        negative = (self._bytes[starts] == _MINUS) & (starts < ends)
        return negative, starts + negative

    def _digits(self, begins: np.ndarray, ends: np.ndarray) -> np.ndarray | None:
        """Numbers without a sign, uint64, 0 for no digits; None if there is anything but digits."""
        lengths = ends - begins
        longest = int(lengths.max(initial=0))
        if longest > _MOST_DIGITS:
            return None
        last = self._word(ends, np.minimum(lengths, _DIGITS_AT_ONCE))
        if last is None or longest <= _DIGITS_AT_ONCE:
            return last
        more = np.maximum(lengths - _DIGITS_AT_ONCE, 0)
        high = self._word(ends - _DIGITS_AT_ONCE, more)
        return None if high is None else high * _POWERS[_DIGITS_AT_ONCE] + last

    def _word(self, ends: np.ndarray, lengths: np.ndarray) -> np.ndarray | None:
        """The numbers of up to eight digits that end at some places."""
        # The last digit is in the highest byte. Neighbours are joined, then pairs, then fours.
        digits = (self._words[ends - _DIGITS_AT_ONCE] ^ _ZEROS) & _LAST[lengths]
        if ((digits | (digits + _ABOVE_NINE)) & _HIGH_BITS).any():
            return None
        digits = (digits * np.uint64(10) + (digits >> np.uint64(8))) & _PAIRS
        digits = (digits * np.uint64(100) + (digits >> np.uint64(16))) & _FOURS
        return (digits * np.uint64(10000) + (digits >> np.uint64(32))) & _EIGHT
