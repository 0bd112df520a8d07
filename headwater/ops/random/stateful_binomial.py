"""Binomial numbers whose state is a variable: StatefulRandomBinomial."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from headwater.base import cancellation
from headwater.base.dtypes import DType
from headwater.base.typing import ArrayModule, Shape
from headwater.graph import RunsOn, ShapeContext, register_op
from headwater.ops.random import arguments, distributions, philox, rejection, variable_stream

# Fewer expected successes are drawn by counting failures.
_FEW_SUCCESSES = 10
_BLOCKS = 256


def _uniforms(stream: np.ndarray) -> Iterator[float]:
    """Yields doubles of [0, 1); of each block the second comes first."""
    for start in itertools.count(0, _BLOCKS):
        first, second = philox.blocks(np, stream, _BLOCKS, start)
        halves = [distributions.float64_of(np, half) for half in (second, first)]
        yield from np.stack(halves, 1).ravel().tolist()


def _by_inversion(count: float, probability: float, uniforms: Iterator[float]) -> float:
    """Adds up the distances between successes, which have a geometric distribution."""
    place, successes = 0.0, 0
    scale = math.log1p(-probability)
    while True:
        u = next(uniforms)
        place += math.ceil(math.log(u) / scale) if u else math.inf
        if place > count:
            return successes
        successes += 1


def _stirling(k: float) -> float:
    """log(k!) less its approximation by Stirling."""
    exact = float(rejection.log_factorial(np, np.array([k]))[0])
    return exact - ((k + 0.5) * math.log(k + 1) - (k + 1) + 0.5 * math.log(2 * math.pi))


def _by_rejection(count: float, probability: float, uniforms: Iterator[float]) -> float:
    """Draws from a dominating distribution.

    Source: Hoermann, "The generation of binomial random variates" (1993), algorithm BTRS.
    """
    deviation = math.sqrt(count * probability * (1 - probability))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * probability
    c = count * probability + 0.5
    accepted_at_once = 0.92 - 4.2 / b
    odds = probability / (1 - probability)
    alpha = (2.83 + 5.1 / b) * deviation
    mode = math.floor((count + 1) * probability)
    while True:
        u, v = next(uniforms) - 0.5, next(uniforms)
        distance = 0.5 - abs(u)
        if not distance:
            continue
        k = math.floor((2 * a / distance + b) * u + c)
        if distance >= 0.07 and v <= accepted_at_once:
            return k
        if k < 0 or k > count or not v:
            continue
        left = math.log(v * alpha / (a / (distance * distance) + b))
        right = (
            (mode + 0.5) * math.log((mode + 1) / (odds * (count - mode + 1)))
            + (count + 1) * math.log((count - mode + 1) / (count - k + 1))
            + (k + 0.5) * math.log(odds * (count - k + 1) / (k + 1))
            + _stirling(mode)
            + _stirling(count - mode)
            - _stirling(k)
            - _stirling(count - k)
        )
        if left <= right:
            return k


def _number(count: float, probability: float, uniforms: Iterator[float]) -> float:
    """One binomial number; NaN for parameters that have none."""
    if not (count >= 0 and 0 <= probability <= 1) or math.isinf(count):
        return math.nan
    if probability > 0.5:
        return count - _number(count, 1 - probability, uniforms)
    if not count or not probability:
        return 0.0
    draw = _by_inversion if count * probability < _FEW_SUCCESSES else _by_rejection
    return draw(count, probability, uniforms)


def kernel_stateful_random_binomial(
    xp: ArrayModule,
    state: np.ndarray,
    algorithm: np.ndarray,
    shape: np.ndarray,
    counts: np.ndarray,
    probs: np.ndarray,
    *,
    dtype: DType,
) -> tuple[np.ndarray, np.ndarray]:
    stream = variable_stream.stream_of_variable(np, state, algorithm)
    sizes = arguments.sizes_of(shape)
    parameters = []
    for name, values in (("counts", counts), ("probs", probs)):
        if values.ndim > 1 or (values.ndim and len(values) not in (1, *sizes[:1])):
            raise arguments.invalid(
                f"Input {name} should have length 1 or shape[0], got shape: "
                f"[{','.join(map(str, values.shape))}]"
            )
        parameters.append(np.broadcast_to(values.astype(np.float64), sizes[:1]))
    batches = sizes[0] if sizes else 1
    each = arguments.count_of(sizes) // batches if batches else 0
    uniforms = _uniforms(stream)
    rows = zip(*(np.broadcast_to(p, (batches,)).tolist() for p in parameters))
    wanted = ((count, p) for count, p in rows for _ in range(each))
    numbers = (_number(count, p, uniforms) for count, p in cancellation.checked(wanted))
    result = np.fromiter(numbers, np.float64, batches * each)
    if not dtype.is_floating:
        result = np.nan_to_num(result)
    after = variable_stream.after(np, state, len(result))
    return after, result.astype(dtype.numpy_dtype).reshape(sizes)


def shape_stateful_random_binomial(c: ShapeContext) -> Shape:
    c.with_rank("shape", 1)
    return c.value_as_shape("shape")


register_op(
    "StatefulRandomBinomial",
    inputs="resource: resource, algorithm: int64, shape: S, counts: T, probs: T",
    outputs="output: dtype",
    attrs="S: {int32, int64}, T: {half, float, double, int32, int64} = double, "
    "dtype: {half, float, double, int32, int64} = int64",
    shape=shape_stateful_random_binomial,
    kernel=kernel_stateful_random_binomial,
    updates=("resource",),
    runs_on=RunsOn.HOST,
    stateful=True,
)
