"""Counts of values in buckets, as HistogramProtos have them."""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING

import numpy as np

from headwater.base import errors

if TYPE_CHECKING:
    from headwater.protos.summary_pb2 import HistogramProto, Summary

_LARGEST = sys.float_info.max
# Values are counted in chunks that stay in the cache; few of them without a table.
_CHUNK = 1 << 15
_FEW = 1 << 10


@functools.cache
def bucket_limits() -> np.ndarray:
    """The upper limits of all buckets: 0, +-1e-12 * 1.1^k below 1e20, +-the largest double."""
    positive = []
    limit = 1e-12
    while limit < 1e20:
        positive.append(limit)
        limit *= 1.1
    positive.append(_LARGEST)
    return np.array([-v for v in reversed(positive)] + [0.0] + positive)


class _Cells:
    """Buckets by the leading bits of a float: each cell has at most one limit inside.

    A cell has 1 + 2^-8 times as large values at its end as at its beginning, a bucket 1.1 times.

    Args:
        dtype: float32 or float64.
    """

    def __init__(self, dtype: np.dtype) -> None:
        self.bits = np.dtype(f"u{dtype.itemsize}")
        self.shift = np.finfo(dtype).nmant - 8
        cells = np.arange(1 << (8 * dtype.itemsize - self.shift), dtype=self.bits)
        ends = [cells << self.shift, ((cells + 1) << self.shift) - 1]
        with np.errstate(invalid="ignore"):
            values = np.stack([end.astype(self.bits).view(dtype) for end in ends])
            lowest = np.fmin(values[0], values[1]).astype(np.float64)
        limits = bucket_limits()
        # The bucket of the lowest value of each cell.
        self.first = np.searchsorted(limits, lowest, side="right").clip(max=len(limits) - 1)
        self.first = self.first.astype(np.int16)
        # The limits as numbers of the type: what is below one is below the other.
        with np.errstate(over="ignore"):
            self.limits = limits.astype(dtype)
            low = self.limits < limits
            self.limits[low] = np.nextafter(self.limits[low], dtype.type(np.inf))
        self.limits[-1] = np.inf

    def positions(self, values: np.ndarray) -> np.ndarray:
        cells = (values.view(self.bits) >> self.shift).astype(np.intp)
        first = self.first.take(cells)
        return first + (values >= self.limits.take(first))


_cells = functools.cache(_Cells)


def bucket_positions(values: np.ndarray) -> np.ndarray:
    """The index of the bucket of each value.

    Args:
        values: finite numbers, of shape (n,).
    """
    if values.size < _FEW:
        limits = bucket_limits()
        doubles = values.astype(np.float64)
        return np.searchsorted(limits, doubles, side="right").clip(max=len(limits) - 1)
    exact = values.dtype.itemsize <= 2 or values.dtype == np.float32
    floats = np.ascontiguousarray(values, np.float32 if exact else np.float64)
    return _cells(floats.dtype).positions(floats)


class Histogram:
    """The distribution of the values that have been added to it."""

    def __init__(self) -> None:
        self._counts = np.zeros(len(bucket_limits()), np.int64)
        self._min = _LARGEST
        self._max = -_LARGEST
        self._sum = 0.0
        self._sum_squares = 0.0

    def add(self, values: np.ndarray) -> None:
        """Adds values.

        Args:
            values: finite numbers, of shape (n,).
        """
        if not values.size:
            return
        self._min = min(self._min, float(values.min()))
        self._max = max(self._max, float(values.max()))
        for start in range(0, values.size, _CHUNK):
            self._add_chunk(values[start : start + _CHUNK])

    def _add_chunk(self, values: np.ndarray) -> None:
        positions = bucket_positions(values)
        self._counts += np.bincount(positions, minlength=len(self._counts))
        # Sequential sums, so that the rounding is that of a loop.
        doubles = values.astype(np.float64)
        squares = doubles * doubles
        doubles[0] += self._sum
        squares[0] += self._sum_squares
        self._sum = float(np.cumsum(doubles)[-1])
        self._sum_squares = float(np.cumsum(squares)[-1])

    def fill(self, histogram: HistogramProto) -> None:
        """Fills a HistogramProto; runs of empty buckets become one."""
        full = self._counts > 0
        kept = full | np.append(full[1:], False)
        kept[-1] = True
        histogram.min, histogram.max = self._min, self._max
        histogram.num = int(self._counts.sum())
        histogram.sum, histogram.sum_squares = self._sum, self._sum_squares
        histogram.bucket_limit.extend(bucket_limits()[kept].tolist())
        histogram.bucket.extend(self._counts[kept].tolist())


def add_histogram(summary: Summary, tag: str, values: np.ndarray) -> None:
    """Adds the distribution of values to a summary.

    Args:
        summary: the summary.
        tag: the tag.
        values: real numbers, of any shape.

    Raises:
        InvalidArgumentError: if one is not finite.
    """
    flat = values.reshape(-1)
    if not _all_finite(flat):
        first = flat[~np.isfinite(flat)][0]
        what = "Nan" if np.isnan(first) else "Infinity"
        raise errors.InvalidArgumentError(None, None, f"{what} in summary histogram for: {tag}")
    fill_histogram(summary.value.add(tag=tag).histo, flat)


def _all_finite(values: np.ndarray) -> bool:
    # An extreme value is not finite if any value is not.
    return not values.size or bool(np.isfinite(values.min()) and np.isfinite(values.max()))


def fill_histogram(histogram: HistogramProto, values: np.ndarray) -> None:
    """Fills a HistogramProto with the distribution of values.

    Args:
        histogram: the proto.
        values: finite numbers, of shape (n,).
    """
    counted = Histogram()
    counted.add(values)
    counted.fill(histogram)
