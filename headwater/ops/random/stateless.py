"""Random numbers that depend on their inputs only: StatelessRandomUniform and its relatives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
from headwater.ops.random import arguments, compositions, distributions
from headwater.ops.random.seed_stream import check_seed_shape, stream_of_seed


def shape_stateless(c: ShapeContext) -> Shape:
    c.with_rank("shape", 1)
    check_seed_shape(c)
    return c.value_as_shape("shape")


def stateless_kernel(draw: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the kernel that draws by `draw(xp, stream, count, dtype)`."""

    def kernel(xp: ArrayModule, shape: np.ndarray, seed: Array, *, dtype: DType) -> Array:
        sizes = arguments.sizes_of(shape)
        stream = stream_of_seed(xp, seed)
        return draw(xp, stream, arguments.count_of(sizes), dtype.numpy_dtype).reshape(sizes)

    return kernel


def samples_stateless() -> Iterator[Sample]:
    yield Sample(np.array([2, 3], np.int32), np.array([1, -2], np.int64), dtype=dtypes.float32)
    yield Sample(np.array([5], np.int64), np.array([1, 2], np.int32), dtype=dtypes.float64)
    yield Sample(np.array([], np.int32), np.array([0, 0], np.int64), dtype=dtypes.float16)
    yield Sample(np.array([0, 3], np.int32), np.array([0, 0], np.int64), dtype=dtypes.bfloat16)


def _register_stateless(name: str, draw: Callable[..., Any]) -> None:
    register_op(
        name,
        inputs="shape: T, seed: Tseed",
        outputs="output: dtype",
        attrs="dtype: {half, bfloat16, float, double} = float, T: {int32, int64} = int32, "
        "Tseed: {int32, int64} = int64",
        shape=shape_stateless,
        kernel=stateless_kernel(draw),
        gradient=NOT_DIFFERENTIABLE,
        concrete=("shape",),
        samples=samples_stateless,
    )


_register_stateless("StatelessRandomUniform", distributions.uniform)
_register_stateless("StatelessRandomNormal", distributions.normal)
_register_stateless("StatelessTruncatedNormal", distributions.truncated_normal)


def shape_stateless_int(c: ShapeContext) -> Shape:
    c.with_rank("minval", 0)
    c.with_rank("maxval", 0)
    return shape_stateless(c)


def kernel_stateless_random_uniform_int(
    xp: ArrayModule, shape: np.ndarray, seed: Array, minval: Array, maxval: Array
) -> Array:
    sizes = arguments.sizes_of(shape)
    count = arguments.count_of(sizes)
    stream = stream_of_seed(xp, seed)
    arguments.check_bounds(xp, minval, maxval, count)
    if not count:
        return xp.zeros(sizes, minval.dtype)
    return distributions.uniform_int(xp, stream, count, minval, maxval).reshape(sizes)


def samples_stateless_int() -> Iterator[Sample]:
    seed = np.array([1, -2], np.int64)
    yield Sample(np.array([2, 3], np.int32), seed, np.int32(-5), np.int32(5))
    yield Sample(np.array([4], np.int64), seed.astype(np.int32), np.int64(0), np.int64(2**40))
    yield Sample(np.array([0], np.int32), seed, np.int32(5), np.int32(5))


register_op(
    "StatelessRandomUniformInt",
    inputs="shape: T, seed: Tseed, minval: dtype, maxval: dtype",
    outputs="output: dtype",
    attrs="dtype: {int32, int64}, T: {int32, int64}, Tseed: {int32, int64} = int64",
    shape=shape_stateless_int,
    kernel=kernel_stateless_random_uniform_int,
    gradient=NOT_DIFFERENTIABLE,
    concrete=("shape",),
    samples=samples_stateless_int,
)


@export("random.stateless_uniform", "contrib.stateless.stateless_random_uniform")
def stateless_random_uniform(
    shape: TensorLike,
    seed: TensorLike,
    minval: TensorLike = 0,
    maxval: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Draws numbers of [minval, maxval) that depend on the arguments only.

    Args:
        shape: the shape of the result, integers or an integer vector as a tensor.
        seed: two integers.
        minval: the lower bound, which is included.
        maxval: the upper bound, which is excluded; 1 if it is None and `dtype` is floating-point.
        dtype: float16, bfloat16, float32, float64, int32 or int64.
        name: the name of the node.

    Returns:
        A tensor of this shape and type.

    Raises:
        ValueError: if `dtype` is none of the above, or an integer type without `maxval`.
    """
    maxval = compositions.upper_bound(dtype, maxval)
    with name_scope(name, "stateless_random_uniform", [shape, seed, minval, maxval]) as scope:

        def floats(shape: Tensor) -> Tensor:
            return build.StatelessRandomUniform(shape, seed, dtype=dtype)

        def integers(shape: Tensor, minval: Tensor, maxval: Tensor) -> Tensor:
            return build.StatelessRandomUniformInt(shape, seed, minval, maxval, name=scope)

        return compositions.between(shape, minval, maxval, dtype, floats, integers, scope)


@export("random.stateless_normal", "contrib.stateless.stateless_random_normal")
def stateless_random_normal(
    shape: TensorLike,
    seed: TensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Draws numbers of a normal distribution that depend on the arguments only.

    Args:
        shape: the shape of the result, integers or an integer vector as a tensor.
        seed: two integers.
        mean: the mean, of type `dtype`.
        stddev: the standard deviation, of type `dtype`.
        dtype: float16, bfloat16, float32 or float64.
        name: the name of the node.

    Returns:
        A tensor of this shape and type.
    """
    with name_scope(name, "stateless_random_normal", [shape, seed, mean, stddev]) as scope:

        def standard(shape: Tensor) -> Tensor:
            return build.StatelessRandomNormal(shape, seed, dtype=dtype)

        return compositions.scaled(shape, mean, stddev, dtype, standard, scope)


@export("random.stateless_truncated_normal", "contrib.stateless.stateless_truncated_normal")
def stateless_truncated_normal(
    shape: TensorLike,
    seed: TensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Draws numbers of a normal distribution cut off at two standard deviations.

    They depend on the arguments only.

    Args:
        shape: the shape of the result, integers or an integer vector as a tensor.
        seed: two integers.
        mean: the mean, of type `dtype`.
        stddev: the standard deviation before the cut, of type `dtype`.
        dtype: float16, bfloat16, float32 or float64.
        name: the name of the node.

    Returns:
        A tensor of this shape and type.
    """
    with name_scope(name, "stateless_truncated_normal", [shape, seed, mean, stddev]) as scope:

        def standard(shape: Tensor) -> Tensor:
            return build.StatelessTruncatedNormal(shape, seed, dtype=dtype)

        return compositions.scaled(shape, mean, stddev, dtype, standard, scope)
