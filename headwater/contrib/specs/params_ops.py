"""Random values of parameters."""

from __future__ import annotations

import math
import random

from headwater.base.export import export


@export("contrib.specs.Lf")
def Lf(lo: float, hi: float) -> float:
    """Returns a number whose logarithm is uniform.

    Args:
        lo: the lower bound.
        hi: the upper bound.

    Returns:
        A float.
    """
    return math.exp(random.uniform(math.log(lo), math.log(hi)))


@export("contrib.specs.Li")
def Li(lo: int, hi: int) -> int:
    """Returns an integer whose logarithm is uniform.

    Args:
        lo: the lower bound.
        hi: the upper bound, included.

    Returns:
        An int.
    """
    return math.floor(Lf(lo, hi + 1 - 1e-5))


@export("contrib.specs.Nt")
def Nt(mu: float, sigma: float, limit: float = 3.0) -> float:
    """Returns a normal number, clipped.

    Args:
        mu: the mean.
        sigma: the standard deviation.
        limit: how many standard deviations it may be away.

    Returns:
        A float.
    """
    value = random.gauss(mu, sigma)
    return min(max(value, mu - limit * sigma), mu + limit * sigma)


@export("contrib.specs.Uf")
def Uf(lo: float = 0.0, hi: float = 1.0) -> float:
    """Returns a uniform number.

    Args:
        lo: the lower bound.
        hi: the upper bound.

    Returns:
        A float.
    """
    return random.uniform(lo, hi)


@export("contrib.specs.Ui")
def Ui(lo: int, hi: int) -> int:
    """Returns a uniform integer.

    Args:
        lo: the lower bound.
        hi: the upper bound, included.

    Returns:
        An int.
    """
    return random.randint(lo, hi)
