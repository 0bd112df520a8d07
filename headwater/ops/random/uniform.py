"""Uniform random numbers: RandomUniform, RandomUniformInt and tf.random_uniform."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.dtypes import DType
from headwater.base.typing import Array, ArrayModule, DTypeLike, Shape, TensorLike
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    Sample,
    ShapeContext,
    Tensor,
    build,
    export,
    name_scope,
    register_op,
)
from headwater.graph.seeds import op_seeds
from headwater.ops.random import arguments, compositions, distributions


def kernel_random_uniform(
    xp: ArrayModule, shape: np.ndarray, *, dtype: DType, state: Array
) -> tuple[Any, Any]:
    sizes = arguments.sizes_of(shape)
    count = arguments.count_of(sizes)
    numbers = distributions.uniform(xp, state, count, dtype.numpy_dtype)
    return numbers.reshape(sizes), arguments.advance(xp, state, count)


def rows_of_random_uniform(
    xp: ArrayModule, rows: Array, shape: np.ndarray, *, dtype: DType, state: Array
) -> tuple[Any, Any]:
    kind = dtype.numpy_dtype

    def draw(stream: Any, count: int) -> Array:
        return distributions.uniform(xp, stream, count, kind)

    per_block = distributions.uniforms_per_block(kind)
    return arguments.numbers_in_rows(draw, per_block, rows, shape, state)


def samples_random_uniform() -> Iterator[Sample]:
    yield Sample(np.array([2, 3], np.int32), dtype=dtypes.float32, seed=1)
    yield Sample(np.array([5], np.int64), dtype=dtypes.float64, seed2=2)
    yield Sample(np.array([], np.int32), dtype=dtypes.float16)
    yield Sample(np.array([3, 0], np.int32), dtype=dtypes.bfloat16)


register_op(
    "RandomUniform",
    inputs="shape: T",
    outputs="output: dtype",
    attrs="seed: int = 0, seed2: int = 0, dtype: {half, bfloat16, float, double}, "
    "T: {int32, int64}",
    shape=arguments.shape_of_vector,
    kernel=kernel_random_uniform,
    row_kernel=rows_of_random_uniform,
    gradient=NOT_DIFFERENTIABLE,
    concrete=("shape",),
    state=arguments.state_of,
    stateful=True,
    samples=samples_random_uniform,
)


def shape_random_uniform_int(c: ShapeContext) -> Shape:
    c.with_rank("minval", 0)
    c.with_rank("maxval", 0)
    return arguments.shape_of_vector(c)


def kernel_random_uniform_int(
    xp: ArrayModule, shape: np.ndarray, minval: Array, maxval: Array, *, state: Array
) -> tuple[Any, Any]:
    sizes = arguments.sizes_of(shape)
    count = arguments.count_of(sizes)
    arguments.check_bounds(xp, minval, maxval, count)
    if not count:
        return xp.zeros(sizes, minval.dtype), state
    numbers = distributions.uniform_int(xp, state, count, minval, maxval)
    return numbers.reshape(sizes), arguments.advance(xp, state, count)


def state_after_random_uniform_int(
    state: np.ndarray, shape: np.ndarray | None, minval: Array | None, maxval: Array | None
) -> np.ndarray | None:
    if shape is None:
        return None
    return arguments.advance(np, state, arguments.count_of(arguments.sizes_of(shape)))


def rows_of_random_uniform_int(
    xp: ArrayModule, rows: Array, shape: np.ndarray, minval: Array, maxval: Array, *, state: Array
) -> tuple[Any, Any]:
    arguments.check_bounds(xp, minval, maxval, arguments.count_of(arguments.sizes_of(shape)))

    def draw(stream: Any, count: int) -> Array:
        return distributions.uniform_int(xp, stream, count, minval, maxval)

    per_block = distributions.uniforms_per_block(minval.dtype)
    return arguments.numbers_in_rows(draw, per_block, rows, shape, state)


def samples_random_uniform_int() -> Iterator[Sample]:
    yield Sample(np.array([2, 3], np.int32), np.int32(-5), np.int32(5), seed=1)
    yield Sample(np.array([4], np.int64), np.int64(0), np.int64(2**40))
    yield Sample(np.array([0], np.int32), np.int32(5), np.int32(5))


register_op(
    "RandomUniformInt",
    inputs="shape: T, minval: Tout, maxval: Tout",
    outputs="output: Tout",
    attrs="seed: int = 0, seed2: int = 0, Tout: {int32, int64}, T: {int32, int64}",
    shape=shape_random_uniform_int,
    kernel=kernel_random_uniform_int,
    row_kernel=rows_of_random_uniform_int,
    concrete=("shape",),
    state=arguments.state_of,
    next_state=state_after_random_uniform_int,
    stateful=True,
    samples=samples_random_uniform_int,
)


@export("random_uniform", "random.uniform")
def random_uniform(
    shape: TensorLike,
    minval: TensorLike = 0,
    maxval: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Draws numbers that are equally likely anywhere in [minval, maxval).

    Args:
        shape: the shape of the result, integers or an integer vector as a tensor.
        minval: the lower bound, which is included.
        maxval: the upper bound, which is excluded; 1 if it is None and `dtype` is floating-point.
        dtype: float16, bfloat16, float32, float64, int32 or int64. Integers have a small bias
            unless `maxval - minval` is a power of two.
        seed: the op-level seed; see `tf.set_random_seed`.
        name: the name of the node.

    Returns:
        A tensor of this shape and type.

    Raises:
        ValueError: if `dtype` is none of the above, or an integer type without `maxval`.

    Example:
        >>> x = tf.random_uniform([1000], minval=5, maxval=7, dtype=tf.int32)
        >>> print(sorted(set(x.eval().tolist())))
        [5, 6]
    """
    maxval = compositions.upper_bound(dtype, maxval)
    with name_scope(name, "random_uniform", [shape, minval, maxval]) as scope:

        def floats(shape: Tensor) -> Tensor:
            return build.RandomUniform(shape, dtype=dtype, **op_seeds(seed))

        def integers(shape: Tensor, minval: Tensor, maxval: Tensor) -> Tensor:
            return build.RandomUniformInt(shape, minval, maxval, **op_seeds(seed), name=scope)

        return compositions.between(shape, minval, maxval, dtype, floats, integers, scope)
