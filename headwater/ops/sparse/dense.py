"""Sparse tensors from and to dense ones, and with other shapes."""

from __future__ import annotations

import numpy as np

from headwater.base import dtypes
from headwater.base.dtypes import as_dtype
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import AxisLike, DTypeLike, NestedTensors, TensorLike
from headwater.graph import (
    SparseTensor,
    Tensor,
    build,
    constant_node,
    constant_value,
    constant_value_as_shape,
    convert_to_tensor,
    export,
    name_scope,
    shape_tensor,
    with_dependencies,
)
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import ones, ones_like, zeros
from headwater.ops.control.value_checks import assert_equal, assert_less_equal
from headwater.ops.math.cast import cast
from headwater.ops.math.ranges import range_
from headwater.ops.sparse.index_checks import checked_sparse
from headwater.ops.sparse.merge import sparse_merge
from headwater.ops.sparse.reorder import sparse_reorder
from headwater.ops.sparse.to_dense import sparse_to_dense


@export("sparse_tensor_to_dense", "sparse.to_dense")
def sparse_tensor_to_dense(
    sp_input: SparseTensor | TensorLike,
    default_value: TensorLike | None = None,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """Makes a dense tensor of a sparse one.

    Args:
        sp_input: a SparseTensor.
        default_value: the value where it has no elements; None means zero or an empty string.
        validate_indices: whether the elements must be in row-major order and distinct.
        name: the name of the node.

    Returns:
        A tensor of the same shape and type.

    Raises:
        TypeError: if `sp_input` is not a SparseTensor.
    """
    sparse = checked_sparse(sp_input)
    if default_value is None:
        default_value = zeros([], dtype=sparse.values.dtype.base_dtype)
    return sparse_to_dense(
        sparse.indices,
        sparse.dense_shape,
        sparse.values,
        default_value,
        validate_indices=validate_indices,
        name=name,
    )


@export("sparse_to_indicator", "sparse.to_indicator")
def sparse_to_indicator(
    sp_input: TensorLike | SparseTensor, vocab_size: TensorLike, name: str | None = None
) -> Tensor:
    """Tells which ids are among those of each row.

    Args:
        sp_input: a SparseTensor of ids.
        vocab_size: the number of ids.
        name: the name scope.

    Returns:
        A tensor of booleans: the last dimension of the ids is replaced by one of all ids.

    Raises:
        TypeError: if `sp_input` is not a SparseTensor.
    """
    sparse = checked_sparse(sp_input)
    with name_scope(name, "SparseToIndicator", [sparse]) as scope:
        count = shape_tensor(sparse.indices)[0]
        marks = build.Fill(build.ExpandDims(count, 0), True)
        marked = SparseTensor(sparse.indices, marks, sparse.dense_shape)
        merged = sparse_merge(sparse, marked, vocab_size, scope)
        return sparse_tensor_to_dense(
            merged, default_value=False, validate_indices=False, name=scope
        )


@export("sparse_reset_shape", "sparse.reset_shape")
def sparse_reset_shape(
    sp_input: TensorLike | SparseTensor, new_shape: TensorLike | None = None
) -> SparseTensor:
    """Gives a sparse tensor another dense shape; its elements stay where they are.

    Args:
        sp_input: a SparseTensor.
        new_shape: a shape that is not smaller in any dimension; None means the smallest one that
            holds all elements.

    Returns:
        A SparseTensor.

    Raises:
        TypeError: if `sp_input` is not a SparseTensor.
        ValueError: if it is known that the shape does not fit.
    """
    sparse = checked_sparse(sp_input)
    indices = build.Identity(sparse.indices)
    values = build.Identity(sparse.values)
    old_shape = build.Identity(sparse.dense_shape)
    if new_shape is None:
        largest = build.Max(indices, 0)
        zero = constant_node(np.int64(0))
        shape: Tensor = build.Maximum(zero, build.Add(largest, ones_like(old_shape)))
        return SparseTensor(indices, values, shape)
    shape = convert_to_tensor(new_shape)
    shape.shape.assert_has_rank(1)
    shape = cast(shape, dtypes.int64)
    static = sparse.shape
    if static.ndims is not None and shape.shape.ndims is not None:
        shape.shape[0].assert_is_compatible_with(TensorShape([static.ndims])[0])
    known = TensorShape(constant_value_as_shape(shape))
    if known.is_fully_defined() and static.is_fully_defined():
        wanted, own = np.array(known.as_list()), np.array(static.as_list())
        if (wanted < own).any():
            raise ValueError(
                "Requested new_shape should have dimension sizes >= sp_input.shape.  Found "
                f"new_shape ({own}), sp_input.shape ({wanted})."
            )
        return SparseTensor(indices, values, np.array(known.as_list(), np.int64))
    same_rank = assert_equal(shape_tensor(old_shape), shape_tensor(shape))
    shape = with_dependencies([same_rank], shape)
    not_smaller = assert_less_equal(old_shape, shape)
    return SparseTensor(indices, values, with_dependencies([not_smaller], shape))


@export("sparse_transpose", "sparse.transpose")
def sparse_transpose(
    sp_input: SparseTensor, perm: TensorLike | None = None, name: str | None = None
) -> SparseTensor:
    """Permutes the dimensions of a sparse tensor.

    Args:
        sp_input: a SparseTensor.
        perm: for each dimension of the result the one of the input; None reverses them.
        name: the name scope.

    Returns:
        A SparseTensor with its elements in row-major order.
    """
    sparse = checked_sparse(sp_input)
    with name_scope(name, "SparseTranspose", [sparse]):
        order: NestedTensors | None = perm
        if perm is None:
            rank = build.Size(sparse.dense_shape, name="Rank")
            order = build.Sub(
                build.Sub(rank, 1, name="sub"), build.Range(0, rank, 1, name="range"), name="sub"
            )
        indices = build.GatherV2(_transposed(sparse.indices), order, 0)
        indices = _transposed(indices)
        known = None if perm is None else constant_value(convert_to_tensor(perm))
        if known is not None and sparse.shape.is_fully_defined():
            dims = sparse.shape.as_list()
            shape: np.ndarray = np.array([dims[i] for i in known.tolist()], np.int64)
            return sparse_reorder(SparseTensor(indices, sparse.values, shape))
        shape = build.GatherV2(sparse.dense_shape, order, 0)
        unordered = SparseTensor(indices, sparse.values, shape)
        indices, values = build.SparseReorder(
            unordered.indices, unordered.values, unordered.dense_shape
        )
        return SparseTensor(indices, values, build.Identity(shape))


def _transposed(matrix: Tensor) -> Tensor:
    return build.Transpose(matrix, [1, 0], name="transpose")


@export("sparse.expand_dims")
def sparse_expand_dims(
    sp_input: SparseTensor, axis: AxisLike | None = None, name: str | None = None
) -> SparseTensor:
    """Adds a dimension of length 1.

    Args:
        sp_input: a SparseTensor.
        axis: where the dimension is added; None means at the end.
        name: the name scope.

    Returns:
        A SparseTensor.
    """
    sparse = checked_sparse(sp_input)
    rank = sparse.shape.ndims
    if rank is None and sparse.dense_shape.shape.ndims:
        rank = sparse.dense_shape.shape[0].value
    with name_scope(name, "expand_dims", [sparse]):
        place = convert_to_tensor(-1 if axis is None else axis, name="axis")
        from_start = build.GreaterEqual(place, 0)
        length: int = build.Size(sparse.dense_shape, name="Rank") if rank is None else rank
        from_end = build.AddV2(build.AddV2(place, length, name="add"), 1, name="add")
        place = build.SelectV2(from_start, place, from_end)
        count = shape_tensor(sparse.indices)[0]
        column = zeros([count, 1], dtype=dtypes.int64)
        before = build.Slice(sparse.indices, [0, 0], [-1, place])
        after = build.Slice(sparse.indices, [0, place], [-1, -1])
        indices = concat([before, column, after], 1)
        shape_before = build.Slice(sparse.dense_shape, [0], [place])
        shape_after = build.Slice(sparse.dense_shape, [place], [-1])
        one = convert_to_tensor([1], dtype=dtypes.int64, name="new_shape")
        shape = concat([shape_before, one, shape_after], 0)
        return SparseTensor(indices, sparse.values, shape)


@export("sparse.eye")
def sparse_eye(
    num_rows: TensorLike,
    num_columns: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> SparseTensor:
    """Makes a sparse matrix with ones on the diagonal.

    Args:
        num_rows: the number of rows.
        num_columns: the number of columns; None means that of the rows.
        dtype: the type.
        name: the name scope.

    Returns:
        A SparseTensor.
    """
    with name_scope(name, "eye", [num_rows, num_columns]):
        rows = convert_to_tensor(num_rows, dtype=dtypes.int64, name="num_rows")
        columns = rows
        if num_columns is not None:
            columns = convert_to_tensor(num_columns, dtype=dtypes.int64, name="num_columns")
        size = build.Minimum(rows, columns)
        numbers = range_(size, dtype=dtypes.int64)
        indices = build.Pack([numbers, numbers], axis=1, name="stack")
        values = ones(size, dtype=as_dtype(dtype))
        return SparseTensor(indices, values, [rows, columns])


@export("sparse.from_dense")
def sparse_from_dense(tensor: TensorLike, name: str | None = None) -> SparseTensor:
    """Makes a sparse tensor of the elements that are not zero.

    Args:
        tensor: a tensor of numbers.
        name: the name scope.

    Returns:
        A SparseTensor of the same shape.
    """
    with name_scope(name, "dense_to_sparse"):
        tensor = convert_to_tensor(tensor)
        zero = constant_node(0, tensor.dtype.base_dtype)
        indices = build.Where(build.NotEqual(tensor, zero))
        values = build.GatherNd(tensor, indices)
        return SparseTensor(indices, values, shape_tensor(tensor, out_type=dtypes.int64))
