"""Reads the text of a number."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.dtypes import DType

_SPACE = rb"[ \t\n\v\f\r]*"
_INTEGER = re.compile(_SPACE + rb"(-?[0-9]+)" + _SPACE)
_DECIMAL = re.compile(_SPACE + rb"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)" + _SPACE)
_NAMED = re.compile(_SPACE + rb"([+-]?(?:inf|nan))" + _SPACE, re.IGNORECASE)
_HEXADECIMAL = re.compile(_SPACE + rb"([+-]?0[xX][0-9a-fA-F]+)" + _SPACE)


def parse_integer(text: bytes, dtype: DType) -> int | None:
    """The integer that a text stands for; None if it is none of this type."""
    match = _INTEGER.fullmatch(text)
    if match is None:
        return None
    number = int(match[1])
    return number if dtype.min <= number <= dtype.max else None


def parse_float(text: bytes, dtype: DType) -> np.floating[Any] | None:
    """The number that a text stands for, rounded once; None if it is no number."""
    kind = np.float32 if dtype is dtypes.float32 else np.float64
    match = _DECIMAL.fullmatch(text) or _NAMED.fullmatch(text)
    if match is None:
        match = _HEXADECIMAL.fullmatch(text)
        return None if match is None else kind(int(match[1], 16))
    double = float(match[1])
    with np.errstate(over="ignore", under="ignore"):
        number = kind(double)
        if kind is np.float32 and np.isfinite(double) and float(number) != double:
            return _nearest(match[1], double, number)
    return number


def _nearest(text: bytes, double: float, number: Any) -> Any:
    """The float32 nearest to a text whose double is not one: ties are looked at exactly."""
    other = np.nextafter(number, np.float32(np.inf if double > float(number) else -np.inf))
    if not np.isfinite(other) or not np.isfinite(number):
        return number
    if abs(double - float(number)) != abs(float(other) - double):
        return number
    exact = Fraction(text.decode())
    if exact == Fraction(double):
        return number
    return max(number, other) if exact > Fraction(double) else min(number, other)
