"""Reads the text of a number."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.dtypes import DType
from headwater.base.typing import Array

_BLANKS = b" \t\n\v\f\r"
_SPACE = rb"[ \t\n\v\f\r]*"
_INTEGER = re.compile(_SPACE + rb"(-?[0-9]+)" + _SPACE)
_DECIMAL = re.compile(_SPACE + rb"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)" + _SPACE)
_NAMED = re.compile(_SPACE + rb"([+-]?(?:inf|nan))" + _SPACE, re.IGNORECASE)
_HEXADECIMAL = re.compile(_SPACE + rb"([+-]?0[xX][0-9a-fA-F]+)" + _SPACE)


_DECIMAL_BYTES = b"0123456789+-.eE"
_INTEGER_BYTES = b"0123456789-"
_SMALLEST_NORMAL = 2.0**-126


def parse_floats(texts: Sequence[bytes], dtype: DType) -> np.ndarray | None:
    """The numbers in plain texts, rounded once; None if one needs the full parser."""
    if b"".join(texts).translate(None, _DECIMAL_BYTES):
        return None
    try:
        doubles = np.fromiter(map(float, texts), np.float64, len(texts))
    except ValueError:
        return None
    return narrowed_floats(doubles, dtype)


def narrowed_floats(doubles: np.ndarray, dtype: DType) -> np.ndarray | None:
    """Doubles that are texts rounded once, as numbers of a type; None if one needs the text."""
    if dtype is not dtypes.float32:
        return doubles
    # A double exactly halfway between two float32 numbers may be the result of rounding.
    if np.any((doubles.view(np.uint64) & np.uint64(0x1FFFFFFF)) == 0x10000000):
        return None
    if np.any((np.abs(doubles) < _SMALLEST_NORMAL) & (doubles != 0)):
        return None
    with np.errstate(over="ignore"):
        return doubles.astype(np.float32)


def parse_integers(texts: Sequence[bytes], dtype: DType) -> np.ndarray | None:
    """The integers in plain texts; None if one is not an integer of this type."""
    if b"".join(texts).translate(None, _INTEGER_BYTES):
        return None
    try:
        numbers = np.fromiter(map(int, texts), np.int64, len(texts))
    except (ValueError, OverflowError):
        return None
    return narrowed_integers(numbers, dtype)


def narrowed_integers(numbers: np.ndarray, dtype: DType) -> np.ndarray | None:
    """Integers as those of a type; None if one is out of its range."""
    if numbers.size and not dtype.min <= numbers.min() <= numbers.max() <= dtype.max:
        return None
    return numbers.astype(dtype.numpy_dtype, copy=False)


def parse_integer(text: bytes, dtype: DType) -> int | None:
    """The integer in a text; None if it is not an integer of this type."""
    match = _INTEGER.fullmatch(text)
    if match is None:
        return None
    number = int(match[1])
    return number if dtype.min <= number <= dtype.max else None


def parse_float(text: bytes, dtype: DType) -> np.floating[Any] | None:
    """The number in a text, rounded once, 0 for white space; None if it is not a number."""
    kind = np.float32 if dtype is dtypes.float32 else np.float64
    match = _DECIMAL.fullmatch(text) or _NAMED.fullmatch(text)
    if match is None:
        match = _HEXADECIMAL.fullmatch(text)
        if match is not None:
            return kind(int(match[1], 16))
        return kind(0) if text and not text.strip(_BLANKS) else None
    double = float(match[1])
    with np.errstate(over="ignore", under="ignore"):
        number = kind(double)
        if kind is np.float32 and np.isfinite(double) and float(number) != double:
            return _nearest(match[1], double, number)
    return number


def _nearest(text: bytes, double: float, number: Array) -> Array:
    """The float32 nearest to a text whose double is not one: ties are resolved exactly."""
    other = np.nextafter(number, np.float32(np.inf if double > float(number) else -np.inf))
    if not np.isfinite(other) or not np.isfinite(number):
        return number
    if abs(double - float(number)) != abs(float(other) - double):
        return number
    exact = Fraction(text.decode())
    if exact == Fraction(double):
        return number
    return max(number, other) if exact > Fraction(double) else min(number, other)
