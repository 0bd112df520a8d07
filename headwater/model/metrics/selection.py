"""Sets of class numbers in the last dimension of tensors, for the metrics of the best k."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.typing import AxisLike, TensorLike
from headwater.graph import (
    SparseTensor,
    Tensor,
    build,
    constant_value,
    convert_to_tensor,
    convert_to_tensor_or_sparse_tensor,
    name_scope,
    rank_tensor,
    shape_tensor,
)
from headwater.model.reduction_helpers import max_of
from headwater.model.smart_cond import smart_cond
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import ones_like, zeros_like
from headwater.ops.array.reshape import expand_dims
from headwater.ops.array.shape import size
from headwater.ops.control.cond import cond
from headwater.ops.math.cast import cast
from headwater.ops.sparse.reshape import sparse_reshape
from headwater.ops.sparse.rows import sparse_retain
from headwater.ops.sparse.sets import set_intersection, set_size


def expanded_labels(labels: TensorLike, predictions: Tensor) -> Tensor:
    """Labels with a last dimension of length 1 if they have one dimension less than predictions."""
    with name_scope(None, "expand_labels", (labels, predictions)) as scope:
        labels = convert_to_tensor_or_sparse_tensor(labels)
        sparse = isinstance(labels, SparseTensor)

        def expanded() -> Any:
            if not sparse:
                return expand_dims(labels, -1, name=scope)
            shape = concat([labels.dense_shape, [1]], 0)
            return sparse_reshape(labels, shape, name=scope)

        ranks = predictions.shape.ndims, labels.shape.ndims
        lacking: TensorLike
        if ranks[0] is not None and ranks[1] is not None:
            lacking = ranks[0] == ranks[1] + 1
        else:
            rank = size(labels.dense_shape) if sparse else rank_tensor(labels)
            lacking = build.Equal(rank_tensor(predictions), build.AddV2(rank, 1, name="add"))
        return smart_cond(lacking, expanded, lambda: labels)


def of_class(ids: Tensor | SparseTensor, class_id: int | None) -> Tensor | SparseTensor:
    """The ids of one class in each set, as a SparseTensor; the ids themselves without a class."""
    if class_id is None:
        return ids
    ids = convert_to_tensor_or_sparse_tensor(ids)
    if isinstance(ids, SparseTensor):
        return sparse_retain(ids, build.Equal(ids.values, cast(class_id, ids.values.dtype)))
    shape = shape_tensor(ids, out_type=dtypes.int64)
    last = build.Sub(size(shape), 1, name="sub")
    axes = build.Reshape(last, [1])
    filled = _with_one(cast(shape, dtypes.int32), axes)
    wanted = build.Fill(filled, cast(class_id, dtypes.int64))
    found = set_intersection(wanted, ids)
    return SparseTensor(found.indices, found.values, shape)


def _with_one(shape: Tensor, axes: AxisLike) -> Tensor:
    """The shape with 1 in place of the lengths along axes, as nodes."""
    rank = size(shape)
    axes = (axes + rank) % rank
    ones = shape_tensor(axes)
    whole = build.Range(0, rank, 1, name="range")
    return build.DynamicStitch([whole, axes], [shape, build.Fill(ones, 1)])


def without_unknown(labels: Tensor | SparseTensor, num_classes: Tensor) -> Tensor | SparseTensor:
    """Labels with -1 in place of those that are out of range."""
    labels = convert_to_tensor_or_sparse_tensor(labels)
    found = labels.values if isinstance(labels, SparseTensor) else labels

    def cleaned() -> Tensor | SparseTensor:
        unknown = build.GreaterEqual(found, num_classes)
        values = build.SelectV2(unknown, -1 * ones_like(found), found)
        if isinstance(labels, SparseTensor):
            return SparseTensor(labels.indices, values, labels.dense_shape)
        return values

    return cond(build.GreaterEqual(max_of(found), num_classes), cleaned, lambda: labels)


def repeated_sets(x: Tensor | SparseTensor, number: int, name: str) -> Tensor | SparseTensor:
    """Each set `number` times, along a new dimension before the last one.

    Raises:
        ValueError: if `number` is less than 1.
    """
    if number < 1:
        raise ValueError(f"Invalid multiple {number}, must be > 0.")
    with name_scope(name, "expand_and_tile", (x,)) as scope:
        x = convert_to_tensor_or_sparse_tensor(x)
        if isinstance(x, SparseTensor):
            return _repeated_sparse(x, number, scope)
        expanded = expand_dims(x, -2, name="expand")
        if number == 1:
            return expanded
        ones: Tensor = ones_like(shape_tensor(x))
        multiples = concat([ones[:-1], [number], ones[-1:]], 0, name="multiples")
        return build.Tile(expanded, multiples, name=scope)


def _repeated_sparse(x: SparseTensor, number: int, scope: str) -> SparseTensor:
    shape: Tensor = x.dense_shape
    new_shape = concat([shape[:-1], [1], shape[-1:]], 0, name="expanded_shape")
    indices, new_shape = build.SparseReshape(x.indices, shape, new_shape, name="expand")
    if number == 1:
        return SparseTensor(indices, x.values, new_shape)
    known = constant_value(new_shape)
    rank = len(known) if known is not None else indices.shape.as_list()[1]
    axis = -2 if rank is None else rank - 2
    parts = [[part] * number for part in (indices, x.values, new_shape)]
    return SparseTensor(*build.SparseConcat(*parts, concat_dim=axis, name=scope))


def number_of_relevant(labels: Tensor | SparseTensor, k: int) -> Tensor:
    """The number of labels of each set, but not more than k; labels of -1 do not count."""
    with name_scope(None, "num_relevant", (labels,)) as scope:
        labels = convert_to_tensor_or_sparse_tensor(labels)
        if isinstance(labels, SparseTensor):
            return build.Minimum(set_size(labels), k, name=scope)
        labels = convert_to_tensor(labels)
        counted = build.GreaterEqual(labels, 0)
        chosen = build.SelectV2(counted, ones_like(labels), zeros_like(labels))
        return build.Minimum(build.Sum(chosen, np.int32(-1)), k, name=scope)
