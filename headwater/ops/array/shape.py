"""Shapes as tensors: Shape, ShapeN, Size, Rank, EnsureShape and the arithmetic of broadcasting."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from headwater.base import dtypes, errors
from headwater.base.dtypes import DType, as_dtype
from headwater.base.older_calls import inserted, is_no_type
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import Array, ArrayModule, DTypeLike, Shape, ShapeLike, TensorLike
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    Sample,
    SparseTensor,
    Tensor,
    build,
    constant_node,
    export,
    name_scope,
    rank_tensor,
    register_op,
    shape_tensor,
    shapes,
    size_tensor,
)
from headwater.graph.sparse_tensor import SparseTensorValue

_SPARSE = (SparseTensor, SparseTensorValue)

# Kernels of this file look at shapes only, so their results are known while a program is traced.


def shape_shape(c: shapes.ShapeContext) -> Shape:
    shape = c.shape("input")
    return (None if shape is None else len(shape),)


def shape_shape_n(c: shapes.ShapeContext) -> list[Shape]:
    return [(None if shape is None else len(shape),) for shape in c.shape("input")]


def kernel_shape(xp: ArrayModule, x: Array, *, out_type: DType) -> np.ndarray:
    return np.array(x.shape, out_type.numpy_dtype)


def kernel_shape_n(xp: ArrayModule, values: list[Any], *, out_type: DType) -> list[Array]:
    return [kernel_shape(xp, x, out_type=out_type) for x in values]


def kernel_size(xp: ArrayModule, x: Array, *, out_type: DType) -> np.ndarray:
    return np.array(math.prod(x.shape), out_type.numpy_dtype)


def kernel_rank(xp: ArrayModule, x: Array) -> np.ndarray:
    return np.array(len(x.shape), np.int32)


def samples_shape() -> Iterator[Sample]:
    for out_type in (np.int32, np.int64):
        yield Sample(np.zeros((2, 0, 3), np.float32), out_type=out_type)
        yield Sample(np.array(True), out_type=out_type)


def samples_shape_n() -> Iterator[Sample]:
    yield Sample([np.zeros((2, 3)), np.zeros(())], out_type=np.int32)
    yield Sample([np.zeros((1, 2, 0), np.int8)], out_type=np.int64)


def samples_rank() -> Iterator[Sample]:
    yield Sample(np.zeros((2, 3), np.float32))
    yield Sample(np.array(b"text", object))


register_op(
    "Shape",
    inputs="input: T",
    outputs="output: out_type",
    attrs="T: type, out_type: {int32, int64} = int32",
    shape=shape_shape,
    kernel=kernel_shape,
    gradient=NOT_DIFFERENTIABLE,
    samples=samples_shape,
)
register_op(
    "ShapeN",
    inputs="input: N * T",
    outputs="output: N * out_type",
    attrs="N: int >= 1, T: type, out_type: {int32, int64} = int32",
    shape=shape_shape_n,
    kernel=kernel_shape_n,
    gradient=NOT_DIFFERENTIABLE,
    samples=samples_shape_n,
)
register_op(
    "Size",
    inputs="input: T",
    outputs="output: out_type",
    attrs="T: type, out_type: {int32, int64} = int32",
    shape=shapes.scalar,
    kernel=kernel_size,
    gradient=NOT_DIFFERENTIABLE,
    samples=samples_shape,
)
register_op(
    "Rank",
    inputs="input: T",
    outputs="output: int32",
    attrs="T: type",
    shape=shapes.scalar,
    kernel=kernel_rank,
    gradient=NOT_DIFFERENTIABLE,
    samples=samples_rank,
)


def shape_ensure_shape(c: shapes.ShapeContext) -> Shape:
    if c.attr("shape") is None and c.shape("input") is not None:
        c.fail(f"Shape must be rank -1 but is rank {len(c.shape('input'))}")
    return c.merge(c.attr("shape"), c.shape("input"))


def kernel_ensure_shape(
    xp: ArrayModule, x: Array, *, shape: tuple[int | None, ...], op_name: str
) -> Array:
    wanted = TensorShape(shape)
    if not wanted.is_compatible_with(x.shape):
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Shape of tensor {op_name} {shapes.show(x.shape)} is not compatible with expected "
            f"shape {shapes.show(shape)}.",
        )
    return x


def samples_ensure_shape() -> Iterator[Sample]:
    yield Sample(np.zeros((2, 3), np.float32), shape=(None, 3))
    yield Sample(np.zeros((2, 3), np.int32), shape=(None, None))


register_op(
    "EnsureShape",
    checks=True,
    inputs="input: T",
    outputs="output: T",
    attrs="shape: shape, T: type",
    shape=shape_ensure_shape,
    kernel=kernel_ensure_shape,
    gradient=lambda op, grad: grad,
    samples=samples_ensure_shape,
)


def shape_broadcast_args(c: shapes.ShapeContext) -> Shape:
    (first,), (second,) = c.with_rank("s0", 1), c.with_rank("s1", 1)
    return (None if first is None or second is None else max(first, second),)


def kernel_broadcast_args(xp: ArrayModule, s0: np.ndarray, s1: np.ndarray) -> np.ndarray:
    rank = max(len(s0), len(s1))
    a = [1] * (rank - len(s0)) + s0.tolist()
    b = [1] * (rank - len(s1)) + s1.tolist()
    if any(x != y and 1 not in (x, y) for x, y in zip(a, b)):
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Incompatible shapes: {shapes.show(tuple(s0))} vs. {shapes.show(tuple(s1))}",
        )
    return np.array([y if x == 1 else x for x, y in zip(a, b)], s0.dtype)


def reference_broadcast_args(s0: np.ndarray, s1: np.ndarray) -> np.ndarray:
    return np.array(np.broadcast_shapes(tuple(s0), tuple(s1)), s0.dtype)


def kernel_broadcast_gradient_args(
    xp: ArrayModule, s0: np.ndarray, s1: np.ndarray
) -> tuple[Array, ...]:
    kernel_broadcast_args(xp, s0, s1)
    rank = max(len(s0), len(s1))
    # -1 marks a dimension that the shape does not have.
    a = [-1] * (rank - len(s0)) + s0.tolist()
    b = [-1] * (rank - len(s1)) + s1.tolist()
    if a == b:
        return np.array([], s0.dtype), np.array([], s0.dtype)
    absent_a, absent_b = rank - len(s0), rank - len(s1)
    axes_a = [i for i in range(rank) if i < absent_a or a[i] == 1]
    axes_b = [i for i in range(rank) if i < absent_b or b[i] == 1]
    return np.array(axes_a, s0.dtype), np.array(axes_b, s0.dtype)


def samples_broadcast_args() -> Iterator[Sample]:
    for a, b in (([2, 1], [3]), ([2, 3], [2, 3]), ([], [2, 1]), ([4, 1, 5], [4, 3, 1])):
        yield Sample(np.array(a, np.int32), np.array(b, np.int32))
        yield Sample(np.array(b, np.int64), np.array(a, np.int64))


register_op(
    "BroadcastArgs",
    inputs="s0: T, s1: T",
    outputs="r0: T",
    attrs="T: {int32, int64} = int32",
    shape=shape_broadcast_args,
    kernel=kernel_broadcast_args,
    concrete=("s0", "s1"),
    reference=reference_broadcast_args,
    samples=samples_broadcast_args,
)
register_op(
    "BroadcastGradientArgs",
    inputs="s0: T, s1: T",
    outputs="r0: T, r1: T",
    attrs="T: {int32, int64} = int32",
    shape=lambda c: [(None,), (None,)],
    kernel=kernel_broadcast_gradient_args,
    gradient=NOT_DIFFERENTIABLE,
    concrete=("s0", "s1"),
    samples=samples_broadcast_args,
)


@export("shape")
def shape(input: TensorLike, name: str | None = None, out_type: DTypeLike = dtypes.int32) -> Tensor:
    """Returns the shape of a tensor as an integer vector.

    Args:
        input: a tensor or a SparseTensor.
        name: the name of the node.
        out_type: int32 or int64.

    Returns:
        A tensor of shape [rank of `input`].

    Example:
        >>> print(tf.shape([[1, 2, 3], [4, 5, 6]]).eval())
        [2 3]
    """
    if isinstance(input, _SPARSE):
        dense_shape = input.dense_shape
        with name_scope(name, "Shape", [input]):
            return build.Cast(dense_shape, DstT=as_dtype(out_type))
    return shape_tensor(input, name, as_dtype(out_type))


@export("shape_n")
@inserted(1, dtypes.int32, older=is_no_type)
def shape_n(
    input: Sequence[TensorLike], out_type: DTypeLike = dtypes.int32, name: str | None = None
) -> list[Tensor]:
    """Returns the shapes of several tensors of one type.

    Args:
        input: a list of tensors.
        out_type: int32 or int64.
        name: the name of the node.

    Returns:
        A list of integer vectors.
    """
    return build.ShapeN(input, out_type=out_type, name=name)


@export("size")
def size(input: TensorLike, name: str | None = None, out_type: DTypeLike = dtypes.int32) -> Tensor:
    """Returns the number of elements of a tensor.

    Args:
        input: a tensor or a SparseTensor.
        name: the name of the node.
        out_type: int32 or int64.

    Returns:
        A scalar.
    """
    if isinstance(input, _SPARSE):
        dense_shape = input.dense_shape
        with name_scope(name, "Size", [input]) as scope:
            sizes = build.Cast(dense_shape, DstT=as_dtype(out_type))
            axes = constant_node([0], name="reduction_indices")
            return build.Prod(sizes, axes, name=scope)
    return size_tensor(input, name, as_dtype(out_type))


@export("rank")
def rank(input: TensorLike, name: str | None = None) -> Tensor:
    """Returns the number of dimensions of a tensor.

    Args:
        input: a tensor or a SparseTensor.
        name: the name of the node.

    Returns:
        An int32 scalar.
    """
    if isinstance(input, _SPARSE):
        dense_shape = input.dense_shape
        with name_scope(name, "Rank", [input]) as scope:
            return build.Size(dense_shape, name=scope)
    return rank_tensor(input, name)


@export("ensure_shape")
def ensure_shape(x: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """Returns `x` and checks, statically and when it runs, that its shape fits.

    Args:
        x: a tensor.
        shape: the shape, possibly with unknown parts.
        name: the name of the node.

    Returns:
        A tensor with the value of `x`.

    Raises:
        ValueError: if the static shape does not fit.
        InvalidArgumentError: from `Session.run` if the shape does not fit.
    """
    return build.EnsureShape(x, shape=TensorShape(shape).to_tuple(), name=name)


@export("broadcast_static_shape")
def broadcast_static_shape(shape_x: TensorShape, shape_y: TensorShape) -> TensorShape:
    """Returns the static shape to which two static shapes are broadcast.

    Args:
        shape_x: a TensorShape.
        shape_y: a TensorShape.

    Returns:
        A TensorShape.

    Raises:
        ValueError: if they do not fit.
    """
    shape_x, shape_y = TensorShape(shape_x), TensorShape(shape_y)
    try:
        return TensorShape(shapes.broadcast_shapes(shape_x.to_tuple(), shape_y.to_tuple()))
    except ValueError:
        raise ValueError(f"Incompatible shapes for broadcasting: {shape_x} and {shape_y}") from None


@export("broadcast_dynamic_shape")
def broadcast_dynamic_shape(shape_x: TensorLike, shape_y: TensorLike) -> Tensor:
    """Returns the shape to which two shapes are broadcast.

    Args:
        shape_x: an integer vector.
        shape_y: an integer vector of the same type.

    Returns:
        An integer vector.
    """
    return build.BroadcastArgs(shape_x, shape_y)
