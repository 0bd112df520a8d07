"""Tensors of one repeated value: Fill, ZerosLike, OnesLike, and the functions of zeros and ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base import dtypes, errors
from headwater.base.checks import fail
from headwater.base.dtypes import DType, as_dtype
from headwater.base.typing import Array, ArrayModule, DTypeLike, Shape, TensorLike
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    Operation,
    Sample,
    Tensor,
    basic_nodes,
    build,
    constant_node,
    convert_to_tensor,
    export,
    name_scope,
    rank_tensor,
    register_op,
    shapes,
)
from headwater.graph.repeated_values import repeated


def shape_fill(c: shapes.ShapeContext) -> Shape:
    c.with_rank("dims", 1)
    c.with_rank("value", 0)
    value = c.value("dims")
    shape = c.value_as_shape("dims")
    if value is not None and np.any(value < 0):
        c.fail("Fill dimensions must be >= 0")
    return shape


def kernel_fill(xp: ArrayModule, dims: np.ndarray, value: Array) -> Array:
    if dims.ndim != 1:
        fail(f"dims must be a vector, got shape {shapes.show(dims.shape)}")
    for size in dims:
        if size < 0:
            raise errors.InvalidArgumentError(None, None, f"Dimension {size} must be >= 0")
    if value.ndim:
        fail(f"value must be a scalar, got shape {shapes.show(value.shape)}")
    return xp.full(tuple(dims), value, value.dtype)


def gradient_fill(op: Operation, grad: Tensor) -> tuple[Tensor | None, ...]:
    # The gradient may be slices.
    grad = convert_to_tensor(grad)
    return None, build.Sum(grad, _all_axes(grad))


def _all_axes(x: Tensor) -> Tensor:
    """All axes of a tensor, as the gradient of a full sum names them."""
    rank = x._shape
    if rank is not None:
        return constant_node(np.arange(len(rank), dtype=np.int32))
    return build.Range(0, rank_tensor(x), 1)


def samples_fill() -> Iterator[Sample]:
    yield Sample(np.array([2, 3], np.int32), np.float32(1.5))
    yield Sample(np.array([], np.int64), np.int32(7))
    yield Sample(np.array([0, 2], np.int32), np.float64(2.0))
    yield Sample(np.array([3], np.int32), np.array(True))


register_op(
    "Fill",
    inputs="dims: index_type, value: T",
    outputs="output: T",
    attrs="T: type, index_type: {int32, int64} = int32",
    shape=shape_fill,
    kernel=kernel_fill,
    gradient=gradient_fill,
    concrete=("dims",),
    reference=lambda dims, value: np.broadcast_to(value, tuple(dims)),
    samples=samples_fill,
)


def kernel_zeros_like(xp: ArrayModule, x: Array) -> Array:
    if x.dtype == object:
        result = np.full(x.shape, b"", object)
        for index in np.ndindex(x.shape):
            if hasattr(x[index], "zeros_like"):
                # A list of tensors.
                result[index] = x[index].zeros_like()
            elif isinstance(x[index], int):
                result[index] = 0
        return result
    return xp.zeros(x.shape, x.dtype)


def kernel_ones_like(xp: ArrayModule, x: Array) -> Array:
    return xp.ones(x.shape, x.dtype)


def samples_like() -> Iterator[Sample]:
    yield Sample(np.array([[1.0, np.nan]], np.float32))
    yield Sample(np.array(5, np.int64))
    yield Sample(np.zeros((0, 2), np.complex64))
    yield Sample(np.array([True, False]))


register_op(
    "ZerosLike",
    inputs="x: T",
    outputs="y: T",
    attrs="T: type",
    shape=shapes.like_first,
    kernel=kernel_zeros_like,
    gradient=NOT_DIFFERENTIABLE,
    reference=np.zeros_like,
    samples=samples_like,
)
register_op(
    "OnesLike",
    inputs="x: T",
    outputs="y: T",
    attrs="T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64, "
    "complex64, complex128, bool}",
    shape=shapes.like_first,
    kernel=kernel_ones_like,
    gradient=NOT_DIFFERENTIABLE,
    reference=np.ones_like,
    samples=samples_like,
)


@export("zeros")
def zeros(shape: TensorLike, dtype: DTypeLike = dtypes.float32, name: str | None = None) -> Tensor:
    """Makes a tensor of zeros (False, or empty strings).

    Args:
        shape: integers, a TensorShape, or an integer vector as a tensor.
        dtype: the type of the elements.
        name: the name of the node.

    Returns:
        A tensor of this shape and type.

    Example:
        >>> print(tf.zeros([2, 2], tf.int32).eval())
        [[0 0]
         [0 0]]
    """
    with name_scope(name, "zeros", [shape]) as scope:
        return repeated(shape, dtype, _zero(as_dtype(dtype).base_dtype), scope)


@export("ones")
def ones(shape: TensorLike, dtype: DTypeLike = dtypes.float32, name: str | None = None) -> Tensor:
    """Makes a tensor of ones (or True).

    Args:
        shape: integers, a TensorShape, or an integer vector as a tensor.
        dtype: the type of the elements.
        name: the name of the node.

    Returns:
        A tensor of this shape and type.

    Example:
        >>> print(tf.ones([2, 2], tf.int32).eval())
        [[1 1]
         [1 1]]
    """
    with name_scope(name, "ones", [shape]) as scope:
        return repeated(shape, dtype, _one(as_dtype(dtype).base_dtype), scope)


def _zero(dtype: DType) -> Any:
    return False if dtype is dtypes.bool_ else b"" if dtype is dtypes.string else 0


def _one(dtype: DType) -> Any:
    return True if dtype is dtypes.bool_ else 1


@export("zeros_like")
def zeros_like(
    tensor: TensorLike,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    optimize: bool = True,
) -> Tensor:
    """Makes a tensor of zeros of the shape of another one.

    Args:
        tensor: the tensor whose shape is taken.
        dtype: the type of the elements; that of `tensor` if None.
        name: the name of the node.
        optimize: whether a known shape becomes a constant.

    Returns:
        A tensor.

    Example:
        >>> print(tf.zeros_like([[1, 2], [3, 4]]).eval())
        [[0 0]
         [0 0]]
    """
    # `tf.zeros_like(x, False)` has always meant the type of `x`.
    return basic_nodes.zeros_like(tensor, name, as_dtype(dtype) if dtype else None, optimize)


@export("ones_like")
def ones_like(
    tensor: TensorLike,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    optimize: bool = True,
) -> Tensor:
    """Makes a tensor of ones of the shape of another one.

    Args:
        tensor: the tensor whose shape is taken.
        dtype: the type of the elements; that of `tensor` if None.
        name: the name of the node.
        optimize: whether a known shape becomes a constant.

    Returns:
        A tensor.

    Example:
        >>> print(tf.ones_like([[1, 2], [3, 4]]).eval())
        [[1 1]
         [1 1]]
    """
    return basic_nodes.ones_like(tensor, name, None if dtype is None else as_dtype(dtype), optimize)


@export("fill")
def fill(dims: TensorLike, value: TensorLike, name: str | None = None) -> Tensor:
    """Makes a tensor all of whose elements are `value`.

    Args:
        dims: the shape, an integer vector.
        value: a scalar.
        name: the name of the node.

    Returns:
        A tensor of the type of `value`.
    """
    return build.Fill(dims, value, name=name)
