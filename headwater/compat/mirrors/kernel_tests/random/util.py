"""tensorflow.python.kernel_tests.random.util: statistics of samples."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base.typing import Array

__all__ = [
    "anderson_darling",
    "chi_squared",
    "normal_cdf",
    "test_moment_matching",
    "test_truncated_normal",
]

# The variance of a normal distribution that is cut at two standard deviations.
_TRUNCATED_VARIANCE = 1 - 4 * math.exp(-2) / math.sqrt(2 * math.pi) / math.erf(math.sqrt(2))


def test_moment_matching(
    samples: Array, number_moments: int, dist: Any, stride: int = 0
) -> list[float]:
    """How far moments of samples are from those of a distribution, in standard deviations.

    Args:
      samples: the samples.
      number_moments: the number of moments.
      dist: an object whose method `moment` returns a moment of the distribution.
      stride: the distance of the samples that are used; 0 for all.

    Returns:
      A number for each moment.
    """
    used = np.asarray(samples, np.float64).ravel()[:: stride or 1]
    distances = []
    for number in range(1, number_moments + 1):
        expected = dist.moment(number)
        variance = dist.moment(2 * number) - expected**2
        miss = np.mean(used**number) - expected
        distances.append(float(abs(miss) / math.sqrt(variance / used.size)))
    return distances


def chi_squared(x: Array, bins: int) -> float:
    """The chi-squared statistic of samples that should be uniform in [0, 1).

    Args:
      x: the samples.
      bins: the number of bins.

    Returns:
      The statistic.
    """
    counts, _ = np.histogram(np.asarray(x).ravel(), bins=bins, range=(0, 1))
    expected = np.size(x) / bins
    return float(np.sum((counts - expected) ** 2) / expected)


def normal_cdf(x: float) -> float:
    """Returns the probability that a standard normal variable is at most `x`."""
    return 0.5 * math.erfc(-x / math.sqrt(2))


def anderson_darling(x: Array) -> float:
    """The Anderson-Darling statistic of samples that should be standard normal.

    Args:
      x: the samples.

    Returns:
      The statistic.
    """
    ordered = np.sort(np.ravel(x))
    below = np.array([normal_cdf(value) for value in ordered])
    weights = 2 * np.arange(1, ordered.size + 1) - 1
    terms = weights * (np.log(below) + np.log(1 - below[::-1]))
    return float(-ordered.size - np.mean(terms))


def test_truncated_normal(
    assert_equal: Callable[..., Any],
    assert_all_close: Callable[..., Any],
    n: int,
    y: Array,
    mean_atol: float = 5e-4,
    median_atol: float = 8e-4,
    variance_rtol: float = 1e-3,
) -> None:
    """Checks that samples come from a normal distribution cut at two standard deviations.

    Args:
      assert_equal: asserts that two values are equal.
      assert_all_close: asserts that two values are close.
      n: the number of samples.
      y: the samples.
      mean_atol: how far the mean may be from zero.
      median_atol: how far the median may be from zero.
      variance_rtol: the relative error of the variance.
    """
    y = np.asarray(y)
    assert_equal(np.sum(y > -2), n)
    assert_equal(np.sum(y < 2), n)
    assert_all_close(np.mean(y), 0.0, atol=mean_atol)
    assert_all_close(np.median(y), 0.0, atol=median_atol)
    assert_all_close(np.var(y), _TRUNCATED_VARIANCE, rtol=variance_rtol)


# Test runners take them for tests by their names.
test_moment_matching.__test__ = False  # type: ignore[attr-defined]
test_truncated_normal.__test__ = False  # type: ignore[attr-defined]
