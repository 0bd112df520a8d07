"""Sparse tensors in another shape: SparseReshape."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from headwater.base import dtypes
from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    Sample,
    SparseTensor,
    Tensor,
    build,
    constant_node,
    constant_value_as_shape,
    convert_to_tensor,
    export,
    literal_value,
    name_scope,
    register_op,
    shapes,
)
from headwater.ops.sparse.index_checks import checked_sparse, listed, strides_of


def _completed(input_shape: np.ndarray, new_shape: np.ndarray) -> list[int]:
    """The new shape, with a length in place of -1."""
    size = math.prod(input_shape.tolist())
    shape: list[int] = new_shape.tolist()
    unknown = None
    for i, dim in enumerate(shape):
        if dim == -1:
            if unknown is not None:
                fail(f"only one output dimension may be -1, not both {unknown} and {i}")
            unknown = i
        elif dim < 0:
            fail(f"size {i} must be non-negative, not {dim}")
    known = math.prod(dim for dim in shape if dim != -1)
    if unknown is not None:
        if known <= 0:
            fail(
                "reshape cannot infer the missing input size for an empty tensor unless all "
                "specified input sizes are non-zero"
            )
        shape[unknown] = size // known
        if known * shape[unknown] != size:
            fail(
                f"Input to reshape is a SparseTensor with {size} dense values, but the requested "
                f"shape requires a multiple of {known}. input_shape={listed(input_shape)} "
                f"output_shape={listed(shape)}"
            )
    elif known != size:
        fail(
            f"Input to reshape is a tensor with {size} dense values, but the requested shape has "
            f"{known}. input_shape={listed(input_shape)} output_shape={listed(shape)}"
        )
    return shape


def kernel_sparse_reshape(
    xp: ArrayModule, input_indices: Array, input_shape: np.ndarray, new_shape: np.ndarray
) -> tuple[Array, ...]:
    if input_indices.ndim != 2:
        fail(f"Input indices should be a matrix but received shape {listed(input_indices.shape)}")
    if input_shape.ndim != 1:
        fail(f"Input shape should be a vector but received shape {listed(input_shape.shape)}")
    if new_shape.ndim != 1:
        fail(f"Target shape should be a vector but received shape {listed(new_shape.shape)}")
    if input_indices.shape[1] != len(input_shape):
        fail(
            f"Input tensor rank must match input shape length, got "
            f"{input_indices.shape[1]} and {len(input_shape)}"
        )
    shape = _completed(input_shape, new_shape)
    if shape == input_shape.tolist():
        return input_indices, input_shape
    places = (input_indices * strides_of(input_shape)).sum(1)
    columns = []
    for stride in strides_of(shape):
        # Lengths of 0 make strides of 0; then there is nothing to divide.
        columns.append(places // max(int(stride), 1))
        places = places % max(int(stride), 1)
    indices = (
        xp.stack(columns, 1) if columns else xp.zeros((len(input_indices), 0), input_indices.dtype)
    )
    return indices, np.array(shape, np.int64)


def reference_sparse_reshape(
    input_indices: np.ndarray, input_shape: np.ndarray, new_shape: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    numbers = np.arange(math.prod(input_shape.tolist())).reshape(tuple(input_shape))
    target = numbers.reshape(tuple(new_shape))
    rows = [np.argwhere(target == numbers[tuple(row)])[0] for row in input_indices]
    indices = np.array(rows, np.int64).reshape(len(rows), target.ndim)
    return indices, np.array(target.shape, np.int64)


def shape_sparse_reshape(c: shapes.ShapeContext) -> list[Shape]:
    indices = c.with_rank("input_indices", 2)
    c.with_rank("input_shape", 1)
    rank = c.with_rank("new_shape", 1)[0]
    return [(indices[0], rank), (rank,)]


def samples_sparse_reshape() -> Iterator[Sample]:
    rows = np.array([[0, 0], [0, 1], [2, 1], [2, 3]])
    shape = np.array([3, 4])
    for new_shape in ([2, -1], [3, 2, 2], [12], [3, 4], [1, -1, 6]):
        yield Sample(rows, shape, np.array(new_shape))
    yield Sample(np.zeros([0, 2], np.int64), shape, np.array([4, 3]))


register_op(
    "SparseReshape",
    inputs="input_indices: int64, input_shape: int64, new_shape: int64",
    outputs="output_indices: int64, output_shape: int64",
    shape=shape_sparse_reshape,
    kernel=kernel_sparse_reshape,
    concrete=("input_shape", "new_shape"),
    reference=reference_sparse_reshape,
    samples=samples_sparse_reshape,
)


@export("sparse_reshape", "sparse.reshape")
def sparse_reshape(
    sp_input: SparseTensor, shape: TensorLike, name: str | None = None
) -> SparseTensor:
    """Gives a sparse tensor another shape; the order of all elements stays.

    Args:
        sp_input: a SparseTensor.
        shape: the new dense shape; one length may be -1, which stands for what remains.
        name: the name of the node.

    Returns:
        A SparseTensor with the same values.

    Raises:
        TypeError: if `sp_input` is not a SparseTensor.
        ValueError: if it is known that the shape does not fit.
    """
    sparse = checked_sparse(sp_input)
    with name_scope(None, "Cast", [shape]) as scope:
        shape = convert_to_tensor(shape, name="x")
        if shape.dtype.base_dtype is not dtypes.int64:
            shape = build.Cast(shape, DstT=dtypes.int64, name=scope)
    with name_scope(name, "SparseReshape", [sparse]) as scope:
        indices, new_shape = build.SparseReshape(
            sparse.indices, sparse.dense_shape, shape, name=scope
        )
        dims = _known_shape(shape, sparse.shape.num_elements())
        if dims is not None:
            new_shape = constant_node(np.array(dims, np.int64))
        return SparseTensor(indices, build.Identity(sparse.values), new_shape)


def _known_shape(new_shape: Tensor, size: int | None) -> list[int] | None:
    """The lengths, if all but one are known and the number of elements is."""
    given = literal_value(new_shape)
    if given is not None and given.tolist().count(-1) > 1 and size is not None:
        raise ValueError(f"At most one dimension can be inferred (-1). Found: {given}")
    shown = _literal_lengths(new_shape)
    if shown is None or size is None or shown.count(None) > 1:
        return None
    known = math.prod(dim for dim in shown if dim is not None)
    dims = [size // max(known, 1) if dim is None else dim for dim in shown]
    if math.prod(dims) != size:
        raise ValueError(
            f"Cannot reshape a tensor with {size} elements to shape {shown} "
            f"({math.prod(dims)} elements)."
        )
    return dims


def _literal_lengths(shape: Tensor) -> list[int | None] | None:
    """The elements of a shape that TensorFlow knows, None for others; None without a length."""
    kind = shape.op.type
    if kind == "Cast":
        return _literal_lengths(shape.op.inputs[0])
    if kind == "Pack":
        values = [literal_value(item) for item in shape.op.inputs]
        return [None if value is None or value < 0 else int(value) for value in values]
    if kind == "ConcatV2":
        parts = [_literal_lengths(part) for part in shape.op.inputs[:-1]]
        if any(part is None for part in parts):
            return None
        return [length for part in parts for length in part or []]
    found = constant_value_as_shape(shape)
    return None if found is None else list(found)
