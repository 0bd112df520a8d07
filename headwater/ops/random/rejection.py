"""Random numbers by rejection: gamma and Poisson.

Each number has a stream of its own, `RESERVED_PER_OUTPUT` blocks long, so the order of the
outputs does not matter. Functions take `xp`, which is numpy or jax.numpy.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from headwater.base.lazy import lax
from headwater.base.typing import Array
from headwater.ops.random import distributions, philox

# log(k!) for k = 0, 1, ..., 15
_LOG_FACTORIALS = np.array([math.lgamma(k + 1.0) for k in range(16)])


def streams(xp: ModuleType, samples: int, parameters: int) -> Array:
    """Returns where the streams of [samples, parameters] numbers begin, uint64, flat.

    The streams are in the order [parameters, samples].
    """
    sample = xp.arange(samples, dtype=xp.uint64)[:, None]
    parameter = xp.arange(parameters, dtype=xp.uint64)[None]
    index = parameter * samples + sample
    return (index * philox.RESERVED_PER_OUTPUT).reshape(-1)


def repeat_until_done(
    xp: ModuleType,
    step: Callable[[Any, Any], list[Any]],
    given: list[Any],
    state: list[Any],
) -> list[Any]:
    """Applies `step` to each element until its flag is set.

    Args:
        step: function (given, state) -> state, elementwise.
        given: arrays [n] that stay as they are.
        state: arrays [n]; the last are the flags. Elements whose flag is set do not change.

    Returns:
        The final state.
    """
    if xp is not np:

        def body(state: list[Any]) -> list[Any]:
            done = state[-1]
            return [xp.where(done, old, new) for old, new in zip(state, step(given, state))]

        return lax.while_loop(lambda state: ~state[-1].all(), body, state)
    state = [array.copy() for array in state]
    pending = np.flatnonzero(~state[-1])
    while pending.size:
        new = step([array[pending] for array in given], [array[pending] for array in state])
        for array, values in zip(state, new):
            array[pending] = values
        pending = pending[~new[-1]]
    return state


def _next_uniform(
    xp: ModuleType,
    stream: Array,
    start: Array,
    block: Array,
    left: Array,
    kept: Array,
    wanted: Array,
) -> tuple[Any, Any, Any, Any]:
    """Takes a uniform double from each stream that wants one.

    A block makes two; the second is taken first and the first is kept for the next time.

    Returns:
        The numbers, and the new values of `block`, `left` and `kept`.
    """
    pair = [distributions.float64_of(xp, p) for p in philox.blocks_at(xp, stream, start + block)]
    fresh = wanted & ~left
    number = xp.where(left, kept, pair[1])
    return number, block + fresh, left ^ wanted, xp.where(fresh, pair[0], kept)


def gamma(xp: ModuleType, stream: Array, start: Array, alpha: Array) -> Array:
    """Returns gamma numbers with scale 1 by the method of Marsaglia and Tsang (2000).

    Args:
        start: uint64[n], the streams; see `streams`.
        alpha: float64[n], the shape parameters.
    """
    small = alpha < 1.0
    d = alpha + xp.where(small, 2.0 / 3.0, -1.0 / 3.0)
    c = 1.0 / 3.0 / xp.sqrt(d)

    def step(given: list[Any], state: list[Any]) -> list[Any]:
        start, d, c = given
        block, normal_left, normal_kept, left, kept, *_ = state
        fresh = distributions.normal_doubles(xp, philox.blocks_at(xp, stream, start + block))
        x = xp.where(normal_left, normal_kept, fresh[1])
        normal_kept = xp.where(normal_left, normal_kept, fresh[0])
        block = block + ~normal_left
        v = 1.0 + c * x
        possible = ~(v <= 0.0)
        u, block, left, kept = _next_uniform(xp, stream, start, block, left, kept, possible)
        v = v * v * v
        square = x * x
        # The first condition saves TensorFlow two logarithms; the second alone decides otherwise.
        squeezed = u < 1.0 - 0.0331 * square * square
        accepted = possible & (squeezed | (xp.log(u) < 0.5 * square + d * (1.0 - v + xp.log(v))))
        return [block, ~normal_left, normal_kept, left, kept, d * v, accepted]

    number, flag = xp.zeros(start.shape), xp.zeros(start.shape, bool)
    state = [xp.zeros_like(start), flag, number, flag, number, number, alpha == 1.0]
    block, _, _, left, kept, result, _ = repeat_until_done(xp, step, [start, d, c], state)
    # An exponential number if alpha is 1, and the power that lifts small alphas otherwise.
    u, *_ = _next_uniform(xp, stream, start, block, left, kept, ~flag)
    result = xp.where(small, result * u ** (1.0 / alpha), result)
    return xp.where(alpha == 1.0, -xp.log(1.0 - u), result)


def log_factorial(xp: ModuleType, k: Array) -> Array:
    """Returns log(k!) for whole numbers k >= 0 of float64; Stirling's series from 16 on."""
    small = k < 16
    z = xp.where(small, 16.0, k + 1.0)
    w = 1.0 / (z * z)
    series = (1 / 12 - w * (1 / 360 - w * (1 / 1260 - w * (1 / 1680 - w / 1188)))) / z
    large = (z - 0.5) * xp.log(z) - z + 0.5 * math.log(2 * math.pi) + series
    index = xp.clip(xp.where(small, k, 0.0), 0, 15).astype(xp.int32)
    return xp.where(small, xp.asarray(_LOG_FACTORIALS)[index], large)


def poisson(xp: ModuleType, stream: Array, start: Array, rate: Array, highest: float) -> Array:
    """Returns Poisson numbers.

    Below a rate of 10 uniform numbers are multiplied (Knuth), above it numbers of a dominating
    distribution are accepted or rejected (Hoermann, "The transformed rejection method for
    generating Poisson random variables", 1993, algorithm PTRS).

    Args:
        start: uint64[n], the streams; see `streams`.
        rate: float64[n].
        highest: the largest number that the output type holds; a rate that is not below it
            comes back as it is.
    """
    multiply = rate < 10.0
    limit = xp.exp(-rate)
    log_rate = xp.log(rate)
    b = 0.931 + 2.53 * xp.sqrt(rate)
    a = -0.059 + 0.02483 * b

    def step(given: list[Any], state: list[Any]) -> list[Any]:
        start, rate, multiply, limit, log_rate, a, b = given
        block, product, count, _ = state
        words = philox.blocks_at(xp, stream, start + block)
        pair = [distributions.float64_of(xp, p) for p in words]
        once = product * pair[1]
        twice = once * pair[0]
        ended = once <= limit
        counted = xp.where(ended, count, count + 1.0)

        u, v = pair[1] - 0.5, pair[0]
        shifted = 0.5 - abs(u)
        k = xp.floor((2.0 * a / shifted + b) * u + rate + 0.43)
        inside = (shifted >= 0.07) & (v <= 0.9277 - 3.6224 / (b - 2.0))
        outside = (k < 0.0) | ((shifted < 0.013) & (v > shifted))
        inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
        left = xp.log(v * inverse_alpha / (a / (shifted * shifted) + b))
        right = -rate + k * log_rate - log_factorial(xp, xp.maximum(k, 0.0))
        accepted = (k <= highest) & (inside | (~outside & (left <= right)))
        return [
            block + 1,
            twice,
            xp.where(multiply, xp.where(twice > limit, counted + 1.0, counted), k),
            xp.where(multiply, ended | (twice <= limit), accepted),
        ]

    hopeless = ~(rate < highest)
    number = xp.zeros(start.shape)
    given = [start, rate, multiply, limit, log_rate, a, b]
    state = [xp.zeros_like(start), number + 1.0, xp.where(hopeless, rate, number), hopeless]
    return repeat_until_done(xp, step, given, state)[2]
