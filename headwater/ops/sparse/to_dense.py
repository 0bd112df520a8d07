"""Dense tensors from sparse ones: SparseToDense and SparseTensorDenseAdd."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base import errors, native
from headwater.base.checks import fail, require
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    Operation,
    Sample,
    Tensor,
    build,
    export,
    register_op,
    shapes,
    zeros_like,
)
from headwater.ops.math.axes import all_axes
from headwater.ops.sparse.index_checks import listed, require_ordered, strides_of
from headwater.ops.state.scatter_kernels import UPDATES


def kernel_sparse_to_dense(
    xp: ArrayModule,
    sparse_indices: Array,
    output_shape: np.ndarray,
    sparse_values: Array,
    default_value: Array,
    *,
    validate_indices: bool,
) -> Array:
    if sparse_indices.ndim > 2:
        fail(
            "sparse_indices should be a scalar, vector, or matrix, got shape "
            f"{listed(sparse_indices.shape)}"
        )
    indices = sparse_indices
    if indices.ndim < 2:
        indices = indices.reshape(indices.size, 1)
    count, rank = indices.shape
    if output_shape.ndim != 1:
        fail(f"output_shape should be a vector, got shape {listed(output_shape.shape)}")
    if output_shape.shape != (rank,):
        fail(
            f"output_shape has incorrect number of elements: {output_shape.size} should be: {rank}"
        )
    if sparse_values.shape not in ((), (count,)):
        fail(
            f"sparse_values has incorrect shape {listed(sparse_values.shape)}, should be [] or "
            f"[{count}]"
        )
    if default_value.ndim:
        fail("default_value should be a scalar.")
    if xp is np:
        found = native.host().to_dense(
            indices, output_shape, sparse_values, default_value, validate_indices
        )
        if found is not None:
            return found
    if validate_indices:
        require_ordered(xp, indices, output_shape)
    else:
        inside = xp.all((indices >= 0) & (indices < output_shape), axis=1)
        text = f"Indices are not valid (out of bounds).  Shape: {listed(output_shape)}"
        require(xp, inside, lambda: errors.InvalidArgumentError(None, None, text))
    places = (indices * strides_of(output_shape)).sum(1)
    shape = tuple(int(dim) for dim in output_shape)
    dense = xp.full(math.prod(shape), default_value, sparse_values.dtype)
    values = xp.broadcast_to(sparse_values, (count,))
    return UPDATES["Update"](xp, dense, places, values).reshape(shape)


def reference_sparse_to_dense(
    sparse_indices: np.ndarray,
    output_shape: np.ndarray,
    sparse_values: np.ndarray,
    default_value: np.ndarray,
    **attrs: Any,
) -> np.ndarray:
    dense = np.empty(tuple(output_shape), sparse_values.dtype)
    dense[...] = default_value
    rows = sparse_indices.reshape(-1, len(output_shape))
    for row, value in zip(rows, np.broadcast_to(sparse_values, len(rows))):
        dense[tuple(row)] = value
    return dense


def shape_sparse_to_dense(c: shapes.ShapeContext) -> Shape:
    c.with_rank("output_shape", 1)
    return c.value_as_shape("output_shape")


def gradient_sparse_to_dense(op: Operation, grad: TensorLike) -> tuple[Tensor, ...]:
    indices, shape = op.inputs[:2]
    rows = indices if indices.shape.ndims not in (0, 1) else build.Reshape(indices, [-1, 1])
    values = build.GatherNd(grad, rows)
    whole, given = build.Sum(grad, all_axes(grad)), build.Sum(values, all_axes(values))
    default = build.Sub(whole, given, name="sub")
    if op.inputs[2].shape.ndims == 0:
        values = given
    return zeros_like(indices), zeros_like(shape), values, default


def samples_sparse_to_dense() -> Iterator[Sample]:
    floats = np.array([1.0, 2.0], np.float32)
    pairs = np.array([[0, 2], [1, 1]])
    yield Sample(pairs, np.array([4, 3]), floats, np.float32(7))
    yield Sample(np.array([0, 2], np.int32), np.array([4], np.int32), floats, np.float32(0))
    yield Sample(np.int32(2), np.array([4], np.int32), np.float32(1), np.float32(0))
    yield Sample(pairs[::-1], np.array([4, 3]), floats, np.float32(7), validate_indices=False)
    yield Sample(np.array([1]), np.array([3]), np.array([b"a"], object), np.array(b"", object))
    yield Sample(np.zeros([0, 2], np.int64), np.array([2, 3]), np.zeros([0], bool), np.array(True))


register_op(
    "SparseToDense",
    inputs="sparse_indices: Tindices, output_shape: Tindices, sparse_values: T, default_value: T",
    outputs="dense: T",
    attrs="validate_indices: bool = true, T: type, Tindices: {int32, int64}",
    shape=shape_sparse_to_dense,
    kernel=kernel_sparse_to_dense,
    gradient=gradient_sparse_to_dense,
    concrete=("output_shape",),
    reference=reference_sparse_to_dense,
    samples=samples_sparse_to_dense,
)


def kernel_sparse_tensor_dense_add(
    xp: ArrayModule, a_indices: Array, a_values: Array, a_shape: np.ndarray, b: Array
) -> Array:
    if a_indices.ndim != 2:
        fail(f"Input a_indices should be a matrix but received shape: {listed(a_indices.shape)}")
    if a_values.ndim != 1 or a_shape.ndim != 1:
        fail(
            "Inputs a_values and a_shape should be vectors but received shapes: "
            f"{listed(a_values.shape)} and {listed(a_shape.shape)}"
        )
    if a_shape.size != b.ndim:
        fail(f"Two operands have different ranks; received: {a_shape.size} and {b.ndim}")
    for i, (sparse, dense) in enumerate(zip(a_shape, b.shape)):
        if sparse != dense:
            fail(
                f"Dimension {i} does not equal (no broadcasting is supported): sparse side "
                f"{sparse} vs dense side {dense}"
            )
    limits = np.array(b.shape, a_indices.dtype)
    inside = (a_indices >= 0) & (a_indices < limits)

    def outside() -> errors.InvalidArgumentError:
        axis = int(np.argwhere(~np.asarray(inside))[0, 1])
        return errors.InvalidArgumentError(
            None,
            None,
            f"Sparse tensor has some invalid index on dimension {axis}; dense tensor shape: "
            f"{listed(b.shape)}",
        )

    require(xp, inside, outside)
    places = (a_indices * strides_of(b.shape)).sum(1)
    return UPDATES["Add"](xp, b.reshape(-1), places, a_values[: len(places)]).reshape(b.shape)


def reference_sparse_tensor_dense_add(
    a_indices: np.ndarray, a_values: np.ndarray, a_shape: np.ndarray, b: np.ndarray
) -> np.ndarray:
    result = b.copy()
    for row, value in zip(a_indices, a_values):
        result[tuple(row)] += value
    return result


def shape_sparse_tensor_dense_add(c: shapes.ShapeContext) -> Shape:
    return c.shape("b")


def gradient_sparse_tensor_dense_add(op: Operation, grad: TensorLike) -> tuple[Tensor | None, ...]:
    return None, build.GatherNd(grad, op.inputs[0]), None, grad


def samples_sparse_tensor_dense_add() -> Iterator[Sample]:
    rows = np.array([[0, 1], [0, 1], [1, 2]])
    shape = np.array([2, 3])
    yield Sample(rows, np.array([1.0, 2.0, 3.0]), shape, np.arange(6.0).reshape(2, 3))
    dense = np.arange(3, dtype=np.int32)
    yield Sample(
        np.zeros([0, 1], np.int32), np.zeros([0], np.int32), np.array([3], np.int32), dense
    )


register_op(
    "SparseTensorDenseAdd",
    inputs="a_indices: Tindices, a_values: T, a_shape: Tindices, b: T",
    outputs="output: T",
    attrs="T: numbertype, Tindices: {int32, int64}",
    shape=shape_sparse_tensor_dense_add,
    kernel=kernel_sparse_tensor_dense_add,
    gradient=gradient_sparse_tensor_dense_add,
    concrete=("a_shape",),
    reference=reference_sparse_tensor_dense_add,
    samples=samples_sparse_tensor_dense_add,
)


@export("sparse_to_dense")
def sparse_to_dense(
    sparse_indices: TensorLike,
    output_shape: TensorLike,
    sparse_values: TensorLike,
    default_value: TensorLike = 0,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """Makes a dense tensor of one value and sets single elements.

    Args:
        sparse_indices: index vectors as rows, or a vector or a scalar of positions.
        output_shape: the shape of the result.
        sparse_values: the elements that are set: one for each index vector or one for all.
        default_value: the value of all others.
        validate_indices: whether index vectors must be in row-major order and distinct.
        name: the name of the node.

    Returns:
        A tensor of the type of the values.
    """
    return build.SparseToDense(
        sparse_indices,
        output_shape,
        sparse_values,
        default_value,
        validate_indices=validate_indices,
        name=name,
    )
