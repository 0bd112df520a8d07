"""How well two clusterings agree: measures between 0 and 1, of labels on the host."""

from __future__ import annotations

from collections.abc import Callable
from math import lgamma

import numpy as np

from headwater.base.typing import Array

_LEAST = np.finfo(np.float64).eps


def _table(first: Array, second: Array) -> Array:
    """How many elements each pair of clusters shares."""
    _, rows = np.unique(first, return_inverse=True)
    _, columns = np.unique(second, return_inverse=True)
    table = np.zeros((rows.max() + 1, columns.max() + 1))
    np.add.at(table, (rows.ravel(), columns.ravel()), 1)
    return table


def _entropy(counts: Array) -> float:
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log(shares)).sum())


def _information(table: Array) -> float:
    """The mutual information."""
    count = table.sum()
    independent = table.sum(1, keepdims=True) * table.sum(0, keepdims=True)
    shared = table > 0
    logs = np.log(table[shared] * count / independent[shared])
    return float((table[shared] / count * logs).sum())


def _mean_entropy(table: Array) -> float:
    return (_entropy(table.sum(1)) + _entropy(table.sum(0))) / 2


def _expected_information(table: Array) -> float:
    """The mutual information of random clusterings with clusters of the same sizes.

    Vinh, Epps and Bailey, "Information theoretic measures for clusterings comparison".
    """
    count = int(table.sum())
    total = 0.0
    for a in table.sum(1).astype(int):
        for b in table.sum(0).astype(int):
            for n in range(max(1, a + b - count), min(a, b) + 1):
                ways = (
                    *(lgamma(k + 1) for k in (a, b, count - a, count - b)),
                    *(-lgamma(k + 1) for k in (count, n, a - n, b - n, count - a - b + n)),
                )
                total += n / count * np.log(n * count / (a * b)) * np.exp(sum(ways))
    return total


def normalized_information(first: Array, second: Array) -> float:
    """The mutual information over the mean entropy.

    Args:
        first: the cluster of each element.
        second: the same of the other clustering.
    """
    table = _table(first, second)
    if table.size == 1:
        return 1.0
    return max(_information(table), 0.0) / max(_mean_entropy(table), _LEAST)


def adjusted_information(first: Array, second: Array) -> float:
    """The mutual information beyond that of random clusterings.

    Args:
        first: the cluster of each element.
        second: the same of the other clustering.
    """
    table = _table(first, second)
    if table.size == 1:
        return 1.0
    expected = _expected_information(table)
    largest = _mean_entropy(table) - expected
    largest = min(largest, -_LEAST) if largest < 0 else max(largest, _LEAST)
    return max((_information(table) - expected) / largest, 0.0)


def adjusted_rand(first: Array, second: Array) -> float:
    """The share of pairs on which the clusterings agree, beyond that of random ones.

    Args:
        first: the cluster of each element.
        second: the same of the other clustering.
    """
    table = _table(first, second)
    if table.size == 1 or table.shape == (len(first), len(first)):
        return 1.0

    def pairs(counts: Array) -> float:
        return float((counts * (counts - 1) / 2).sum())

    rows, columns = pairs(table.sum(1)), pairs(table.sum(0))
    expected = rows * columns / pairs(np.array([len(first)]))
    return max((pairs(table) - expected) / ((rows + columns) / 2 - expected), 0.0)


def all_equal(first: Array, second: Array) -> float:
    """1 if all elements are in the same cluster, else 0.

    Args:
        first: the cluster of each element.
        second: the same of the other clustering.
    """
    return float(np.array_equal(first, second))


SCORES: dict[str, Callable[[Array, Array], float]] = {
    "nmi": normalized_information,
    "ami": adjusted_information,
    "ari": adjusted_rand,
    # the harmonic mean of homogeneity and completeness is the same number
    "vmeasure": normalized_information,
    "const": all_equal,
}
