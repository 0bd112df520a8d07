"""Normal random numbers: RandomStandardNormal, TruncatedNormal and their functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.dtypes import DType
from headwater.base.typing import Array, ArrayModule, DTypeLike, TensorLike
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    Sample,
    Tensor,
    build,
    export,
    name_scope,
    register_op,
)
from headwater.graph.seeds import op_seeds
from headwater.ops.random import arguments, compositions, distributions


def kernel_random_standard_normal(
    xp: ArrayModule, shape: np.ndarray, *, dtype: DType, state: Array
) -> tuple[Any, Any]:
    sizes = arguments.sizes_of(shape)
    count = arguments.count_of(sizes)
    numbers = distributions.normal(xp, state, count, dtype.numpy_dtype)
    return numbers.reshape(sizes), arguments.advance(xp, state, count)


def kernel_truncated_normal(
    xp: ArrayModule, shape: np.ndarray, *, dtype: DType, state: Array
) -> tuple[Any, Any]:
    sizes = arguments.sizes_of(shape)
    count = arguments.count_of(sizes)
    numbers = distributions.truncated_normal(xp, state, count, dtype.numpy_dtype)
    return numbers.reshape(sizes), arguments.advance(xp, state, count)


def rows_of_random_standard_normal(
    xp: ArrayModule, rows: Array, shape: np.ndarray, *, dtype: DType, state: Array
) -> tuple[Any, Any]:
    kind = dtype.numpy_dtype

    def draw(stream: Any, count: int) -> Array:
        return distributions.normal(xp, stream, count, kind)

    per_block = distributions.normals_per_block(kind)
    return arguments.numbers_in_rows(draw, per_block, rows, shape, state)


def rows_of_truncated_normal(
    xp: ArrayModule, rows: Array, shape: np.ndarray, *, dtype: DType, state: Array
) -> tuple[Any, Any]:
    kind = dtype.numpy_dtype

    def draw(stream: Any, count: int) -> Array:
        return distributions.truncated_normal(xp, stream, count, kind)

    per_block, reserved = distributions.normals_per_block(kind), distributions.group_stride(kind)
    return arguments.numbers_in_rows(draw, per_block, rows, shape, state, reserved)


def samples_normal() -> Iterator[Sample]:
    yield Sample(np.array([2, 3], np.int32), dtype=dtypes.float32, seed=1)
    yield Sample(np.array([5], np.int64), dtype=dtypes.float64, seed2=2)
    yield Sample(np.array([], np.int32), dtype=dtypes.float16)
    yield Sample(np.array([3, 0], np.int32), dtype=dtypes.bfloat16)


def _register_normal(name: str, kernel: Callable[..., Any], row_kernel: Callable[..., Any]) -> None:
    register_op(
        name,
        inputs="shape: T",
        outputs="output: dtype",
        attrs="seed: int = 0, seed2: int = 0, dtype: {half, bfloat16, float, double}, "
        "T: {int32, int64}",
        shape=arguments.shape_of_vector,
        kernel=kernel,
        row_kernel=row_kernel,
        gradient=NOT_DIFFERENTIABLE,
        concrete=("shape",),
        state=arguments.state_of,
        stateful=True,
        samples=samples_normal,
    )


_register_normal(
    "RandomStandardNormal", kernel_random_standard_normal, rows_of_random_standard_normal
)
_register_normal("TruncatedNormal", kernel_truncated_normal, rows_of_truncated_normal)


@export("random_normal", "random.normal")
def random_normal(
    shape: TensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Draws numbers of a normal distribution.

    Args:
        shape: the shape of the result, integers or an integer vector as a tensor.
        mean: the mean, of type `dtype`.
        stddev: the standard deviation, of type `dtype`.
        dtype: float16, bfloat16, float32 or float64.
        seed: the op-level seed; see `tf.set_random_seed`.
        name: the name of the node.

    Returns:
        A tensor of this shape and type.

    Example:
        >>> x = tf.random_normal([10000], mean=5.0, stddev=2.0, seed=1).eval()
        >>> print(x.mean().round(), x.std().round())
        5.0 2.0
    """
    with name_scope(name, "random_normal", [shape, mean, stddev]) as scope:

        def standard(shape: Tensor) -> Tensor:
            return build.RandomStandardNormal(shape, dtype=dtype, **op_seeds(seed))

        return compositions.scaled(shape, mean, stddev, dtype, standard, scope)


@export("truncated_normal", "random.truncated_normal")
def truncated_normal(
    shape: TensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Draws numbers of a normal distribution cut off two standard deviations from its mean.

    Args:
        shape: the shape of the result, integers or an integer vector as a tensor.
        mean: the mean, of type `dtype`.
        stddev: the standard deviation before the cut, of type `dtype`.
        dtype: float16, bfloat16, float32 or float64.
        seed: the op-level seed; see `tf.set_random_seed`.
        name: the name of the node.

    Returns:
        A tensor of this shape and type.

    Example:
        >>> x = tf.truncated_normal([10000], stddev=1.0).eval()
        >>> print(abs(x).max() <= 2)
        True
    """
    with name_scope(name, "truncated_normal", [shape, mean, stddev]) as scope:

        def standard(shape: Tensor) -> Tensor:
            return build.TruncatedNormal(shape, dtype=dtype, **op_seeds(seed))

        return compositions.scaled(shape, mean, stddev, dtype, standard, scope)
