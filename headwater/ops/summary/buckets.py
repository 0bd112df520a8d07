"""Counts of values in buckets, as HistogramProtos have them."""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from headwater.protos.summary_pb2 import HistogramProto

_LARGEST = sys.float_info.max


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
            values: finite doubles, of shape (n,).
        """
        if not values.size:
            return
        limits = bucket_limits()
        positions = np.searchsorted(limits, values, side="right").clip(max=len(limits) - 1)
        self._counts += np.bincount(positions, minlength=len(limits))
        self._min = min(self._min, float(values.min()))
        self._max = max(self._max, float(values.max()))
        # Sequential sums, so that the rounding is that of a loop.
        self._sum = float(np.cumsum(np.append(self._sum, values))[-1])
        self._sum_squares = float(np.cumsum(np.append(self._sum_squares, values * values))[-1])

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


def fill_histogram(histogram: HistogramProto, values: np.ndarray) -> None:
    """Fills a HistogramProto with the distribution of values.

    Args:
        histogram: the proto.
        values: finite doubles, of shape (n,).
    """
    counted = Histogram()
    counted.add(values)
    counted.fill(histogram)
