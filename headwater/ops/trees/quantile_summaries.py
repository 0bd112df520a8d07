"""Quantiles of weighted streams of numbers, approximate with a bounded error.

Sources: Greenwald, Khanna, "Space-efficient online computation of quantile summaries", SIGMOD 2001,
with weights as in Chen, Guestrin, "XGBoost", KDD 2016, appendix; levels of merged summaries as in
Zhang, Wang, "A fast algorithm for approximate quantiles in high speed data streams", SSDBM 2007.
"""

from __future__ import annotations

import math

import numpy as np

_F = np.float32
# The columns of a summary.
_VALUE, _WEIGHT, _MIN_RANK, _MAX_RANK = range(4)
EMPTY = np.zeros((0, 4), _F)


def summary_of(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The exact summary of weighted values.

    Returns:
        A matrix with a row (value, weight, min_rank, max_rank) for each distinct value.
    """
    present = weights > 0
    values, weights = values[present], weights[present]
    order = np.argsort(values, kind="stable")
    distinct, starts = np.unique(values[order], return_index=True)
    if not len(distinct):
        return EMPTY
    weight = np.add.reduceat(weights[order], starts, dtype=_F)
    ends = np.cumsum(weight, dtype=_F)
    begins = np.concatenate([np.zeros(1, _F), ends[:-1]])
    return np.stack([distinct.astype(_F), weight, begins, ends], 1)


def _next_min(summary: np.ndarray) -> np.ndarray:
    """The least rank of what follows each entry."""
    return summary[:, _MIN_RANK] + summary[:, _WEIGHT]


def _previous_max(summary: np.ndarray) -> np.ndarray:
    """The greatest rank of what precedes each entry."""
    return summary[:, _MAX_RANK] - summary[:, _WEIGHT]


def _total(summary: np.ndarray) -> float:
    return float(summary[-1, _MAX_RANK]) if len(summary) else 0.0


def _moved_by(summary: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The entries of a summary, with the ranks that they have together with another summary."""
    result = summary.copy()
    values = summary[:, _VALUE]
    before = np.searchsorted(other[:, _VALUE], values, "left")
    after = np.searchsorted(other[:, _VALUE], values, "right")
    least = np.concatenate([np.zeros(1, _F), _next_min(other)])[before]
    greatest = np.concatenate([_previous_max(other), other[-1:, _MAX_RANK]])[after]
    shared = after > before
    same = other[np.minimum(before, len(other) - 1)]
    result[:, _MIN_RANK] += np.where(shared, same[:, _MIN_RANK], least)
    result[:, _MAX_RANK] += np.where(shared, same[:, _MAX_RANK], greatest)
    result[:, _WEIGHT] += np.where(shared, same[:, _WEIGHT], _F(0))
    return result


def merged(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The summary of two streams together."""
    if not len(a) or not len(b):
        return a if len(a) else b
    only_b = ~np.isin(b[:, _VALUE], a[:, _VALUE])
    entries = np.concatenate([_moved_by(a, b), _moved_by(b, a)[only_b]])
    return entries[np.argsort(entries[:, _VALUE], kind="stable")]


def compressed(summary: np.ndarray, size: int, epsilon: float = 0.0) -> np.ndarray:
    """A summary of about so many entries; its error grows by 1 / size, or by epsilon if larger."""
    size = max(size, 2)
    count = len(summary)
    if count <= size:
        return summary
    allowed = _total(summary) * max(1.0 / size, epsilon)
    # A running maximum, to be searched: the first entry above a bound is that of the column.
    previous = np.maximum.accumulate(_previous_max(summary))
    following = _next_min(summary)
    kept = [0]
    read = credit = 0
    while read + 1 < count:
        steps = max(0, -(-(count - credit) // size))
        # previous - following <= allowed, in the precision of the difference.
        window = previous[read + 1 : read + 1 + steps] - following[read]
        skipped = int(np.searchsorted(window, allowed, "right"))
        credit += skipped * size
        read = max(read + 1, read + skipped)
        kept.append(read)
        credit -= count
    if kept[-1] != count - 1:
        kept.append(count - 1)
    return summary[kept]


def approximation_error(summary: np.ndarray) -> float:
    """The largest error of a rank, as a part of the total weight."""
    total = _total(summary)
    if len(summary) < 2 or total == 0:
        return 0.0
    rest = summary[1:]
    inside = rest[:, _MAX_RANK] - rest[:, _MIN_RANK] - rest[:, _WEIGHT]
    between = _previous_max(rest) - _next_min(summary[:-1])
    return float(max(_F(0), inside.max(), between.max()) / _F(total))


def _distinct(values: np.ndarray) -> np.ndarray:
    return values[np.concatenate([np.ones(1, bool), values[1:] != values[:-1]])[: len(values)]]


def boundaries(summary: np.ndarray, count: int) -> np.ndarray:
    """At least so many values, if there are, that divide the stream evenly."""
    if not len(summary):
        return np.zeros(0, _F)
    epsilon = _F(approximation_error(summary) + 1.0 / count)
    return _distinct(compressed(summary, count, float(epsilon))[:, _VALUE])


def quantiles(summary: np.ndarray, count: int) -> np.ndarray:
    """The distinct ones of the quantiles 0, 1 / count, ..., 1."""
    if not len(summary):
        return np.zeros(0, _F)
    count = max(count, 2)
    ranks = np.arange(count + 1) * _total(summary) / count * 2
    middles = summary[:, _MIN_RANK] + summary[:, _MAX_RANK]
    after = np.searchsorted(middles[1:], ranks, "right") + 1
    before = after - 1
    behind = np.minimum(after, len(summary) - 1)
    nearer = ranks < _next_min(summary)[before] + _previous_max(summary)[behind]
    chosen = np.where((after == len(summary)) | nearer, before, behind)
    return _distinct(summary[chosen, _VALUE])


def block_size_of(epsilon: float, max_elements: int) -> int:
    """How many entries a summary keeps, for an error in a stream of so many elements."""
    if epsilon <= np.finfo(np.float64).tiny:
        return max(max_elements, 2)
    levels, block = 1, 2
    while (1 << levels) * block < max_elements:
        block = max(math.ceil(levels / epsilon) + 1, 2)
        levels += 1
    return block


class QuantileStream:
    """Summarizes a stream of weighted values.

    Args:
        epsilon: the allowed error of a rank, as a part of the total weight.
        max_elements: how many elements may come.
    """

    def __init__(self, epsilon: float, max_elements: int) -> None:
        self._epsilon = epsilon
        self._block = block_size_of(epsilon, max_elements)
        self._buffer = min(self._block * 2, max_elements)
        self._levels: list[np.ndarray] = []

    def push(self, values: np.ndarray, weights: np.ndarray) -> None:
        """Adds elements, all of the stream at once."""
        present = weights > 0
        values, weights = values[present], weights[present]
        for start in range(0, len(values), self._buffer):
            part = slice(start, start + self._buffer)
            self.push_summary(summary_of(values[part], weights[part]))

    def push_summary(self, summary: np.ndarray) -> None:
        """Adds the summary of a part of the stream."""
        summary = compressed(summary, self._block, self._epsilon)
        if not len(summary):
            return
        level = 0
        while True:
            if level == len(self._levels):
                self._levels.append(EMPTY)
            held = self._levels[level]
            summary = merged(summary, held)
            if not len(held) or len(summary) <= self._block + 1:
                self._levels[level] = summary
                return
            summary = compressed(summary, self._block, self._epsilon)
            self._levels[level] = EMPTY
            level += 1

    def levels(self) -> list[np.ndarray]:
        """The summaries that the stream consists of, at least one."""
        return self._levels or [EMPTY]

    def restore(self, levels: list[np.ndarray]) -> None:
        """Replaces the stream by one of these summaries."""
        self._levels = levels

    def summary(self) -> np.ndarray:
        """The summary of all elements."""
        result = EMPTY
        for level in self._levels:
            result = merged(result, level)
        return result
