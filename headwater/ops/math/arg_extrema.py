"""The positions of largest and smallest elements: ArgMax, ArgMin."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base import dtypes, errors
from headwater.base.checks import fail
from headwater.base.dtypes import DType, as_dtype
from headwater.base.typing import (
    Array,
    ArrayModule,
    AxisLike,
    DTypeLike,
    NestedTensors,
    Shape,
    TensorLike,
)
from headwater.graph import Operation, Sample, Tensor, build, export, register_op, shapes


def _position(x: Array, dimension: Array) -> int:
    if dimension.ndim:
        fail(f"dim must be a scalar, but received tensor of shape: {shapes.show(dimension.shape)}")
    rank, axis = x.ndim, int(dimension)
    if not -rank <= axis < rank:
        raise errors.InvalidArgumentError(
            None, None, f"Expected dimension in the range [{-rank}, {rank}), but got {axis}"
        )
    if x.shape[axis] == 0:
        raise errors.InvalidArgumentError(
            None, None, f"Reduction axis {axis} is empty in shape {shapes.show(x.shape)}"
        )
    return axis


def _without_nan(xp: ArrayModule, x: Array, least: float) -> Array:
    """NaN is never the largest or smallest element."""
    if x.dtype.kind in "iub":
        return x
    return xp.where(xp.isnan(x), x.dtype.type(least), x)


# Along so many elements two passes, which XLA vectorizes, take a third of the time of one that
# carries the positions along.
_WORTH_TWO_PASSES = 32


def _first(xp: ArrayModule, x: Array, axis: int, extreme: Array) -> Array:
    """The positions where elements first equal the extreme ones."""
    size = x.shape[axis]
    places = np.arange(size, dtype=np.int32)
    shape = [1] * x.ndim
    shape[axis] = size
    return xp.min(xp.where(x == extreme, places.reshape(shape), np.int32(size)), axis=axis)


def kernel_argmax(xp: ArrayModule, x: Array, dimension: Array, *, output_type: DType) -> Array:
    axis = _position(x, dimension)
    x = _without_nan(xp, x, -np.inf)
    if xp is not np and x.shape[axis] >= _WORTH_TWO_PASSES and x.dtype.kind != "c":
        places = _first(xp, x, axis, xp.max(x, axis=axis, keepdims=True))
        return places.astype(output_type.numpy_dtype)
    return xp.argmax(x, axis=axis).astype(output_type.numpy_dtype)


def kernel_argmin(xp: ArrayModule, x: Array, dimension: Array, *, output_type: DType) -> Array:
    axis = _position(x, dimension)
    x = _without_nan(xp, x, np.inf)
    if xp is not np and x.shape[axis] >= _WORTH_TWO_PASSES and x.dtype.kind != "c":
        places = _first(xp, x, axis, xp.min(x, axis=axis, keepdims=True))
        return places.astype(output_type.numpy_dtype)
    return xp.argmin(x, axis=axis).astype(output_type.numpy_dtype)


def reference_argmax(x: Array, dimension: Array, *, output_type: DType) -> Array:
    order = np.argsort(-x.astype(np.float64), axis=int(dimension), kind="stable")
    return np.take(order, 0, axis=int(dimension)).astype(output_type.numpy_dtype)


def reference_argmin(x: Array, dimension: Array, *, output_type: DType) -> Array:
    order = np.argsort(x.astype(np.float64), axis=int(dimension), kind="stable")
    return np.take(order, 0, axis=int(dimension)).astype(output_type.numpy_dtype)


def shape_arg(c: shapes.ShapeContext) -> Shape:
    c.with_rank("dimension", 0)
    shape = c.shape("input")
    if shape is None:
        return None
    if len(shape) <= 1:
        return ()
    value = c.value("dimension")
    if value is None:
        return (None,) * (len(shape) - 1)
    rank, axis = len(shape), int(value)
    if not -rank <= axis < rank:
        c.fail(
            f"Dimension ({axis}) must be in the range [{-rank}, {rank}), where {rank} is the "
            "number of dimensions in the input."
        )
    return shape[: axis % rank] + shape[axis % rank + 1 :]


def gradient_arg(op: Operation, grad: Tensor) -> Any:
    return None, None


def samples_arg() -> Iterator[Sample]:
    x = np.array([[1.5, -2.0, 3.0], [5.0, 5.0, -6.5]], np.float32)
    yield Sample(x, np.int32(1))
    yield Sample(x, np.int64(-2), output_type=np.int32)
    yield Sample(x[0].astype(np.float64), np.int32(0))
    yield Sample(np.array([[3, 1], [0, 1]], np.int32), np.int32(0))
    long = np.tile(np.array([[2, -1, 7, 7, -1]], np.float32), (3, 20))
    yield Sample(long, np.int32(1))
    yield Sample(long.T.astype(np.int32), np.int32(0))
    yield Sample(np.full((2, 40), np.inf, np.float32), np.int32(1))
    yield Sample(np.full((2, 40), -np.inf, np.float32), np.int32(1))


def _register_arg_extremum(
    name: str, kernel: Callable[..., Any], reference: Callable[..., Any]
) -> None:
    register_op(
        name,
        inputs="input: T, dimension: Tidx",
        outputs="output: output_type",
        attrs="T: numbertype, Tidx: {int32, int64} = int32, output_type: {int32, int64} = int64",
        shape=shape_arg,
        kernel=kernel,
        gradient=gradient_arg,
        reference=reference,
        samples=samples_arg,
        concrete=("dimension",),
    )


_register_arg_extremum("ArgMax", kernel_argmax, reference_argmax)
_register_arg_extremum("ArgMin", kernel_argmin, reference_argmin)


def _arg(
    op_type: str,
    input: NestedTensors,
    axis: AxisLike | None,
    name: str | None,
    dimension: int | None,
    output_type: DTypeLike,
) -> Tensor:
    if dimension is not None:
        if axis is not None:
            raise ValueError("Cannot specify both 'dimension' and 'axis'")
        axis = dimension
    return getattr(build, op_type)(
        input, 0 if axis is None else axis, output_type=as_dtype(output_type), name=name
    )


@export("argmax", "math.argmax")
def argmax(
    input: NestedTensors,
    axis: AxisLike | None = None,
    name: str | None = None,
    dimension: AxisLike | None = None,
    output_type: DTypeLike = dtypes.int64,
) -> Tensor:
    """Returns the positions of the largest elements along an axis; of equal ones the first.

    Args:
        input: a tensor of numbers.
        axis: the axis; None means the first.
        name: the name of the node.
        dimension: older name of `axis`.
        output_type: int32 or int64.

    Returns:
        A tensor of the shape of `input` without the axis.

    Raises:
        ValueError: if both `axis` and `dimension` are given, or the axis is out of range.

    Example:
        >>> print(tf.argmax([[1, 5, 2], [9, 0, 3]], axis=1).eval())
        [1 0]
    """
    return _arg("ArgMax", input, axis, name, dimension, output_type)


@export("argmin", "math.argmin")
def argmin(
    input: TensorLike,
    axis: AxisLike | None = None,
    name: str | None = None,
    dimension: AxisLike | None = None,
    output_type: DTypeLike = dtypes.int64,
) -> Tensor:
    """Returns the positions of the smallest elements along an axis; of equal ones the first.

    Args:
        input: a tensor of numbers.
        axis: the axis; None means the first.
        name: the name of the node.
        dimension: older name of `axis`.
        output_type: int32 or int64.

    Returns:
        A tensor of the shape of `input` without the axis.

    Raises:
        ValueError: if both `axis` and `dimension` are given, or the axis is out of range.
    """
    return _arg("ArgMin", input, axis, name, dimension, output_type)


@export("arg_max")
def arg_max(
    input: TensorLike,
    dimension: AxisLike,
    output_type: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """Returns the positions of the largest elements; the older form of `tf.argmax`.

    Args:
        input: a tensor of numbers.
        dimension: the axis.
        output_type: int32 or int64.
        name: the name of the node.

    Returns:
        A tensor of the shape of `input` without the axis.
    """
    if isinstance(output_type, str) and name is None:
        # The third argument was the name once.
        output_type, name = dtypes.int64, output_type
    return _arg("ArgMax", input, dimension, name, None, output_type)


@export("arg_min")
def arg_min(
    input: TensorLike,
    dimension: AxisLike,
    output_type: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """Returns the positions of the smallest elements; the older form of `tf.argmin`.

    Args:
        input: a tensor of numbers.
        dimension: the axis.
        output_type: int32 or int64.
        name: the name of the node.

    Returns:
        A tensor of the shape of `input` without the axis.
    """
    if isinstance(output_type, str) and name is None:
        # The third argument was the name once.
        output_type, name = dtypes.int64, output_type
    return _arg("ArgMin", input, dimension, name, None, output_type)
