"""Normal numbers between bounds, row by row: ParameterizedTruncatedNormal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base import cancellation, dtypes, errors
from headwater.base.dtypes import DType, as_dtype
from headwater.base.typing import Array, ArrayModule, DTypeLike, Shape, TensorLike
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    RunsOn,
    Sample,
    ShapeContext,
    Tensor,
    build,
    convert_to_tensor,
    name_scope,
    register_op,
)
from headwater.graph.seeds import op_seeds
from headwater.graph.shapes import show
from headwater.ops.random import arguments, compositions, distributions, float32_libm, philox

PARAMETERS = ("means", "stddevs", "minvals", "maxvals")

# Rows of this length are made where all parameters are scalars.
BATCH = 100

# The maximum number of consecutive rejections.
LARGEST_RUN = 1000

# If both bounds are at least this many deviations from the mean, plain normal numbers are tried.
FAR_BOUND = 1.3


def shape_parameterized_truncated_normal(c: ShapeContext) -> Shape:
    c.with_rank("shape", 1)
    for shape in c.shapes[1:]:
        if shape is not None and len(shape) > 1:
            c.fail(f"Shape must be at most rank 1 but is rank {len(shape)}")
    return c.value_as_shape("shape")


class Row:
    """The numbers of one row: its bounds in standard deviations, and how they are sampled.

    Source: Robert, "Simulation of truncated normal variables", 1995; a uniform distribution serves
    between near bounds, an exponential one in the tail.
    """

    def __init__(self, state: np.ndarray, start: int, parameters: np.ndarray) -> None:
        self.state = philox.skip(np, state, start)
        self.mean, self.deviation, low, high = parameters
        self.dtype = parameters.dtype
        if not (self.deviation > 0 and low < high and (np.isfinite(low) or np.isfinite(high))):
            raise arguments.invalid("Invalid parameters")
        if low == -np.inf or high < self.mean:
            # Mirrored, so that the lower bound is finite and a tail is the upper one.
            low, high, self.deviation = high, low, -self.deviation
        self.low, self.high = (
            (low - self.mean) / self.deviation,
            (high - self.mean) / self.deviation,
        )
        number = self.dtype.type
        root = np.sqrt(self.low * self.low + number(4))
        self.rate = (self.low + root) / number(2)
        near = number(2) * np.exp(number(0.5) + self.low * (self.low - root) / number(4))
        far_low = self.low < -FAR_BOUND and self.high >= 0
        far_high = self.high > FAR_BOUND and self.low <= 0
        # The stride is the number of blocks that make a round of candidates.
        self.candidates: Callable[[int], tuple[np.ndarray, np.ndarray]]
        if far_low or far_high:
            self.method, self.stride, self.candidates = "randn", 1, self.normal
        elif self.high - self.low < near / (self.low + root):
            self.method, self.stride, self.candidates = "uniform", 2, self.uniform
        else:
            self.method, self.stride, self.candidates = "exponential distribution", 1, self.tail

    def draw(self, count: int) -> tuple[np.ndarray, int]:
        """Returns `count` numbers, and how many blocks they took."""
        rounds = -(-count // 2) + 4
        while True:
            numbers, accepted = self.candidates(rounds)
            at = np.flatnonzero(accepted)
            enough = at.size >= count
            ends = [-1, *at[:count]] if enough else [-1, *at, accepted.size]
            if np.diff(ends).max() > LARGEST_RUN:
                text = f"TruncatedNormal {self.method} rejection sampler failed to accept a sample."
                raise errors.InternalError(None, None, text)
            if enough:
                break
            rounds *= 2
        last_round = int(at[count - 1]) // (accepted.size // rounds)
        return numbers[at[:count]] * self.deviation + self.mean, (last_round + 1) * self.stride

    def normal(self, rounds: int) -> tuple[np.ndarray, np.ndarray]:
        per_block = distributions.normals_per_block(self.dtype)
        z = distributions.normal(np, self.state, rounds * per_block, self.dtype)
        return z, (z >= self.low) & (z <= self.high)

    def uniform(self, rounds: int) -> tuple[np.ndarray, np.ndarray]:
        per_block = self.uniforms_per_block()
        number = self.dtype.type
        drawn = distributions.uniform(np, self.state, 2 * rounds * per_block, self.dtype)
        first, second = drawn.reshape(rounds, 2, per_block).swapaxes(0, 1).reshape(2, -1)
        z = first * (self.high - self.low) + self.low
        top = number(0) if self.low < 0 else self.low * self.low
        return z, second <= np.exp((top - z * z) / number(2))

    def tail(self, rounds: int) -> tuple[np.ndarray, np.ndarray]:
        per_block = self.uniforms_per_block()
        drawn = distributions.uniform(np, self.state, rounds * per_block, self.dtype)
        first, second = drawn.reshape(-1, 2).T
        z = -self.log(first) / self.rate + self.low
        x = self.rate - z if self.low < self.rate else self.low - self.rate
        return z, (second <= np.exp(-x * x / self.dtype.type(2))) & (z < self.high)

    def uniforms_per_block(self) -> int:
        return 2 if self.dtype == np.float64 else 4

    def log(self, x: np.ndarray) -> np.ndarray:
        if self.dtype != np.float32:
            return np.log(x)
        safe = np.where(x > 0, x, np.float32(1))
        return np.where(x > 0, float32_libm.log(np, safe), np.float32(-np.inf))


def kernel_parameterized_truncated_normal(
    xp: ArrayModule,
    shape: np.ndarray,
    means: np.ndarray,
    stdevs: np.ndarray,
    minvals: np.ndarray,
    maxvals: np.ndarray,
    *,
    dtype: DType,
    state: Array,
) -> tuple[Any, Any]:
    if shape.ndim != 1:
        raise arguments.invalid(f"Input shape should be a vector, got shape: {show(shape.shape)}")
    sizes = arguments.sizes_of(shape)
    if not sizes:
        raise arguments.invalid("Shape tensor must not be empty, got []")
    values = [means, stdevs, minvals, maxvals]
    for name, value in zip(PARAMETERS, values):
        if value.ndim > 1:
            text = f"Input {name} should be a scalar or vector"
        elif value.size not in (1, sizes[0]):
            text = f"Input {name} should have length 1 or shape[0]"
        else:
            continue
        raise arguments.invalid(f"{text}, got shape: {show(value.shape)}")
    count = arguments.count_of(sizes)
    result = np.empty(count, dtype.numpy_dtype)
    if not count:
        return result.reshape(sizes), state
    length, rows = count // sizes[0], sizes[0]
    if all(value.size == 1 for value in values):
        length, rows = BATCH, -(-count // BATCH)
    columns = np.stack([np.broadcast_to(value.reshape(-1), (rows,)) for value in values])
    position = 0
    with np.errstate(all="ignore"):
        for row in cancellation.checked(range(rows)):
            part = result[row * length : (row + 1) * length]
            part[:], used = Row(state, position, columns[:, row]).draw(part.size)
            position += used
    reserved = rows * 2 * LARGEST_RUN * (length + 3) // 4
    return result.reshape(sizes), philox.skip(np, state, reserved)


def samples_parameterized_truncated_normal() -> Iterator[Sample]:
    for dtype in (np.float32, np.float64):
        scalars = np.array([0.0, 1.0, -2.0, 2.0], dtype)
        yield Sample(np.array([2, 3], np.int32), *scalars, seed=1)
    rows = np.array([[0.0, 1.0, 2.0, np.inf], [1.0, 2.0, 0.5, 1.5]], np.float16).T
    yield Sample(np.array([2, 5], np.int64), *rows)
    yield Sample(np.array([0, 5], np.int32), *scalars)


register_op(
    "ParameterizedTruncatedNormal",
    inputs="shape: T, means: dtype, stdevs: dtype, minvals: dtype, maxvals: dtype",
    outputs="output: dtype",
    attrs="seed: int = 0, seed2: int = 0, dtype: {half, bfloat16, float, double}, "
    "T: {int32, int64}",
    shape=shape_parameterized_truncated_normal,
    kernel=kernel_parameterized_truncated_normal,
    gradient=NOT_DIFFERENTIABLE,
    concrete=("shape",),
    runs_on=RunsOn.HOST,
    state=arguments.state_of,
    stateful=True,
    samples=samples_parameterized_truncated_normal,
)


def parameterized_truncated_normal(
    shape: TensorLike,
    means: Array = 0.0,
    stddevs: Array = 1.0,
    minvals: Array = -2.0,
    maxvals: Array = 2.0,
    dtype: DTypeLike = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Draws normal numbers between bounds.

    Args:
        shape: the shape of the result, integers or an integer vector as a tensor.
        means: the mean, a scalar or one per row of the result; so are the next three.
        stddevs: the standard deviations before the cut.
        minvals: the lower bounds.
        maxvals: the upper bounds.
        dtype: float16, float32 or float64.
        seed: the op-level seed; see `tf.set_random_seed`.
        name: the name of the node.

    Returns:
        A tensor of this shape and type.
    """
    dtype = as_dtype(dtype)
    values = (means, stddevs, minvals, maxvals)
    with name_scope(name, "parameterized_truncated_normal", [shape, *values]):
        shape = compositions.shape_argument(shape)
        tensors = [convert_to_tensor(v, dtype=dtype, name=n) for n, v in zip(PARAMETERS, values)]
        return build.ParameterizedTruncatedNormal(shape, *tensors, **op_seeds(seed))
