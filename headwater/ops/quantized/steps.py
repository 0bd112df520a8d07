"""The steps of quantized types: which integer stands for which number of a range."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.dtypes import DType
from headwater.base.typing import Array, TensorLike

_F = np.float32
KINDS = "{qint8, quint8, qint32, qint16, quint16}"


class Steps:
    """The integers of a quantized type."""

    def __init__(self, kind: DType) -> None:
        assert kind.numpy_dtype is not None
        self.kind = kind.numpy_dtype
        self.storage = self.kind[0]
        info = np.iinfo(self.storage)
        self.low, self.high = int(info.min), int(info.max)
        self.count = self.high - self.low + 1
        self.signed = self.low < 0

    def integers(self, x: np.ndarray) -> np.ndarray:
        """The integers of a quantized array."""
        return np.ascontiguousarray(x).view(self.storage).reshape(np.shape(x))

    def array(self, x: np.ndarray) -> np.ndarray:
        """The quantized array of whole numbers; those outside the type become its ends."""
        limited = np.clip(x.astype(np.float64), self.low, self.high)
        return limited.astype(self.storage).view(self.kind).reshape(x.shape)

    def from_first(self, x: np.ndarray, low: Array, high: Array) -> np.ndarray:
        """Counts steps from the lower end of the range (MIN_FIRST)."""
        scale = _F(0) if high == low else _F((self.count - 1.0) / (high - low))
        start = _F(away(low * scale))
        steps = away(x * scale) - (start - _F(self.low))
        # The largest int32 is no float32; the one below it is the end.
        return self.array(np.minimum(steps, _F(2147483520)))

    def to_first(self, x: np.ndarray, low: Array, high: Array) -> np.ndarray:
        """The numbers that `from_first` rounds to."""
        scale = _F((high - low) / (self.count - 1.0))
        start = low if high == low else _F(away(low / scale) * scale)
        return (start - _F(self.low) * scale) + self.integers(x).astype(_F) * scale

    def integer(self, x: float, low: Array, high: Array) -> int:
        """The integer for one number, computed in float64; it may be out of range."""
        low, high = _F(low), _F(high)
        if low == high:
            return self.low
        scale = self.count / (float(high - low) * (self.count / (self.count - 1.0)))
        return int(away(float(x) * scale)) - int(away(float(low) * scale)) + self.low

    def clipped(self, x: float, low: Array, high: Array) -> int:
        """The integer of the type that is nearest to one number."""
        return min(max(self.integer(x, low, high), self.low), self.high)

    def numbers(self, integers: Array, low: Array, high: Array) -> Array:
        """The float32 numbers of integers, computed in float64."""
        low, high = _F(low), _F(high)
        integers = np.asarray(integers)
        if low == high:
            return np.full(integers.shape, low, _F)
        step = float(high - low) * (self.count / (self.count - 1.0)) / self.count
        first = float(away(low / _F(step))) * float(_F(step))
        return _F(first + (integers.astype(np.float64) - self.low) * step)

    def unit(self, low: np.ndarray, high: np.ndarray) -> np.float32:
        """The number that one step of the integers is."""
        return _F((_F(high) - _F(low)) / _F(self.high - self.low))


def away(x: TensorLike) -> np.ndarray:
    """The nearest whole number; halves go away from 0."""
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) >= 0.5, whole + np.sign(x), whole)


def product_range(
    a: Steps, range_a: tuple[Any, Any], b: Steps, range_b: tuple[Any, Any], out: Steps
) -> tuple[np.float32, np.float32]:
    """The range in which products of integers of two types stand for the products of numbers."""
    unit = a.unit(*range_a) * b.unit(*range_b)
    return _F(unit * _F(out.low)), _F(unit * _F(out.high))


def requantize(
    source: Steps, x: np.ndarray, old: tuple[Any, Any], target: Steps, new: tuple[Any, Any]
) -> np.ndarray:
    """The quantized array of the numbers of `x` in another type and range.

    Args:
        source: the type of `x`.
        x: the integers.
        old: the range of `x`.
        target: the type of the result.
        new: the range of the result.
    """
    if source.kind == dtypes.qint32.as_numpy_dtype and target.kind == dtypes.quint8.as_numpy_dtype:
        return target.array(_eight_bits(x, old, new))
    numbers = source.to_first(x.view(source.kind), _F(old[0]), _F(old[1]))
    return target.from_first(numbers, _F(new[0]), _F(new[1]))


def _eight_bits(x: np.ndarray, old: tuple[Any, Any], new: tuple[Any, Any]) -> np.ndarray:
    """32 bits to 8 in fixed-point arithmetic with 16 fractional bits, as in TensorFlow."""
    low, high = _F(new[0]), _F(new[1])
    width = high - low
    if width == 0:
        return np.zeros(x.shape, np.int64)
    one = 1 << 16
    middle = _F((_F(old[0]) + _F(old[1])) / 2.0)
    scale = int(255.0 * one * float(_F(old[1]) - _F(old[0])) / float(width))
    offset = int(middle * _F(255.0 / float(width)) * _F(one))
    first = int(one * (float(low) * 255.0) / float(width))
    value = (x.astype(np.int64) * scale >> 32) + offset
    return (value - first + one // 2) >> 16
