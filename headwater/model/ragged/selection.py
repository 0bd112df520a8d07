"""Rows and values of ragged tensors chosen by number or truth: gather, where, masks."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, name_scope, shape_tensor
from headwater.model.ragged import partitions
from headwater.model.ragged.conversion import (
    after,
    assert_rows_match,
    assert_splits_match,
    convert,
    matched_row_splits,
)
from headwater.model.ragged.joining import concat
from headwater.model.ragged.operators import gathered_rows
from headwater.model.ragged.tensor import RaggedTensor
from headwater.ops.array import gather as gathers
from headwater.ops.array import getitem
from headwater.ops.array.gather_nd import gather_nd as dense_gather_nd
from headwater.ops.control.value_checks import assert_equal
from headwater.ops.math.select import where as dense_where


def gather(
    params: RaggedTensor | TensorLike,
    indices: RaggedTensor | TensorLike,
    validate_indices: Any = None,
    name: str | None = None,
    axis: int | None = None,
    batch_dims: int = 0,
) -> Any:
    """`tf.gather` of rows of a ragged tensor, or by ragged indices.

    Args:
        params: a ragged tensor or tensor.
        indices: the numbers of rows, a ragged tensor or tensor.
        validate_indices: has no effect.
        name: the name scope.
        axis: must be 0.
        batch_dims: must be 0.

    Returns:
        A RaggedTensor; a tensor for one row.

    Raises:
        ValueError: if `axis` or `batch_dims` is not 0, or the rank of `indices` is unknown.
    """
    if not isinstance(axis, (int, type(None))) or axis:
        raise ValueError("axis != 0 is not supported for ragged gather yet.")
    if not isinstance(batch_dims, int) or batch_dims:
        raise ValueError("batch_dims != 0 is not supported for ragged gather yet.")
    with name_scope(name, "RaggedGather", [params, indices]):
        params, indices = matched_row_splits(
            convert(params, name="params"), convert(indices, name="indices")
        )
        return _gathered(params, indices)


def _gathered(params: TensorLike, indices: TensorLike) -> Any:
    if isinstance(indices, RaggedTensor):
        return indices.with_values(_gathered(params, indices.values))
    if not isinstance(params, RaggedTensor):
        return gathers.gather(params, indices)
    rank = indices.shape.ndims
    if rank is None:
        raise ValueError("rank(indices) must be known statically")
    levels = params.ragged_rank + rank - 1
    if rank == 0:
        return params[indices]
    found = build.RaggedGather(
        list(params.nested_row_splits), params.flat_values, indices, OUTPUT_RAGGED_RANK=levels
    )
    splits, values = found
    return RaggedTensor.from_nested_row_splits(values, splits, validate=False)


def batch_gather(
    params: RaggedTensor | TensorLike, indices: RaggedTensor | TensorLike, name: str | None = None
) -> Tensor | RaggedTensor:
    """`tf.batch_gather` with ragged arguments.

    Args:
        params: a ragged tensor or tensor.
        indices: numbers of values in each row.
        name: the name scope.

    Returns:
        The values: a RaggedTensor if `indices` is one or rows are gathered.

    Raises:
        ValueError: if the rows of both differ.
    """
    with name_scope(name, "RaggedBatchGather", [params, indices]):
        params, indices = matched_row_splits(
            convert(params, name="params"), convert(indices, name="indices")
        )
        return _gathered_in_rows(params, indices)


def _gathered_in_rows(params: TensorLike, indices: TensorLike) -> Any:
    text = "batch shape from indices does not match params shape"
    if not isinstance(indices, RaggedTensor):
        rank = indices.shape.ndims
        if rank is None:
            raise ValueError("batch_gather does not allow indices with unknown shape.")
        if rank == 1:
            return _gathered(params, indices)
        if rank == 0:
            raise ValueError("indices.rank must be at least 1.")
        if not isinstance(params, RaggedTensor):
            return gathers.batch_gather(params, indices)
        ragged = RaggedTensor.from_tensor(indices, ragged_rank=rank - 1)
        found = _gathered_in_rows(params, ragged)
        if isinstance(found.flat_values, Tensor) and found.ragged_rank == rank - 1:
            shape = build.ConcatV2([shape_tensor(indices), shape_tensor(found.flat_values)[1:]], 0)
            return build.Reshape(found.flat_values, shape)
        return found
    if not isinstance(params, RaggedTensor):
        if params.shape.ndims is not None and params.shape.ndims < 2:
            raise ValueError(text)
        params = RaggedTensor.from_tensor(params)
    params.row_splits.shape.assert_is_compatible_with(indices.row_splits.shape)
    if isinstance(indices.values, RaggedTensor) or (indices.values.shape.ndims or 1) > 1:
        check = assert_splits_match([(params.row_splits,), (indices.row_splits,)])
        return indices.with_values(_gathered_in_rows(params.values, after(check, indices.values)))
    check = [assert_equal(indices.nrows(), params.nrows(), message=text)]
    starts = gathers.gather(params.row_starts(), indices.value_rowids())
    places = build.Cast(indices.values, DstT=starts.dtype) + starts
    return indices.with_values(_gathered(params.values, after(check, places)))


def gather_nd(
    params: RaggedTensor | TensorLike,
    indices: RaggedTensor | TensorLike,
    name: str | None = None,
    batch_dims: int = 0,
) -> Tensor | RaggedTensor:
    """`tf.gather_nd` with ragged arguments.

    Args:
        params: a ragged tensor or tensor.
        indices: vectors of places along the last axis, whose size is known.
        name: the name scope.
        batch_dims: must be 0.

    Returns:
        The values or rows: a RaggedTensor, or a tensor where none of both is ragged.

    Raises:
        ValueError: if `batch_dims` is not 0, or the size of the vectors is unknown.
    """
    if not isinstance(batch_dims, int) or batch_dims:
        raise ValueError("batch_dims != 0 is not supported for ragged gather yet.")
    with name_scope(name, "RaggedGatherNd", [params, indices]):
        params, indices = matched_row_splits(
            convert(params, name="params"), convert(indices, name="indices")
        )
        return _gathered_at(params, indices)


def _gathered_at(params: TensorLike, indices: TensorLike) -> Any:
    if isinstance(indices, RaggedTensor):
        return indices.with_values(_gathered_at(params, indices.values))
    if not isinstance(params, RaggedTensor):
        return dense_gather_nd(params, indices)
    shape = indices.shape
    if shape.ndims is None:
        raise ValueError("rank(indices) must be known statically")
    if shape.ndims == 0:
        raise ValueError("indices.rank must be at least 1.")
    size = shape[-1].value
    if size is None:
        raise ValueError("indices.shape[-1] must be statically known.")
    if shape.ndims > 2:
        return RaggedTensor.from_tensor(indices).with_values(
            _gathered_at(params, build.Reshape(indices, build.ConcatV2(
                [convert_to_tensor([-1], dtypes.int32), shape_tensor(indices)[2:]], 0)))
        )  # fmt: skip
    if shape.ndims == 1:
        return _gathered_at(params, build.ExpandDims(indices, 0))[0]
    kind = params.row_splits.dtype.base_dtype
    if size == 0:
        count = shape_tensor(indices, out_type=kind)[0]
        rows = build.Tile(partitions.counted(0, params.nrows() - 1, kind), build.Pack([count]))
        splits = partitions.counted(0, count, kind) * params.nrows()
        return RaggedTensor.from_row_splits(gathered_rows(params, rows), splits, validate=False)
    if size == 1:
        return _gathered(params, build.Squeeze(indices, squeeze_dims=[1]))
    starts = gathers.gather(params.row_starts(), indices[:, 0])
    places = build.ExpandDims(build.Cast(indices[:, 1], DstT=kind) + starts, 1)
    rest = build.Cast(indices[:, 2:], DstT=kind)
    return _gathered_at(params.values, build.ConcatV2([places, rest], 1) if size > 2 else places)


def where(
    condition: RaggedTensor | TensorLike,
    x: RaggedTensor | None = None,
    y: RaggedTensor | TensorLike | None = None,
    name: str | None = None,
) -> Tensor | RaggedTensor:
    """`tf.where` with ragged arguments.

    Args:
        condition: truths: a vector that chooses rows, or of the shape of `x` and `y`.
        x: the values where the condition holds.
        y: the values elsewhere.
        name: the name scope.

    Returns:
        The chosen values; the places of what is true, [count, rank], without `x` and `y`.

    Raises:
        ValueError: if only one of `x` and `y` is given, or the shapes do not fit.
    """
    if (x is None) != (y is None):
        raise ValueError("x and y must be either both None or both non-None")
    with name_scope(name, "RaggedWhere", [condition, x, y]):
        condition = convert(condition, name="condition")
        if x is None:
            if not isinstance(condition, RaggedTensor):
                return build.Where(condition)
            return getitem.boolean_mask(condition.to_sparse().indices, _flat_truths(condition))
        condition, x, y = matched_row_splits(condition, convert(x, name="x"), convert(y, name="y"))
        return _chosen(condition, x, y)


def _flat_truths(condition: RaggedTensor) -> Tensor:
    return build.Reshape(condition.flat_values, [-1])


def _chosen(condition: TensorLike, x: TensorLike, y: Tensor | RaggedTensor) -> Any:
    parts = [condition, x, y]
    if all(isinstance(p, RaggedTensor) for p in parts):
        checks = assert_rows_match(parts)
        flat = [p.flat_values for p in parts]
        return condition.with_flat_values(dense_where(after(checks, flat[0]), flat[1], flat[2]))
    if not any(isinstance(p, RaggedTensor) for p in parts):
        return dense_where(*parts)
    if isinstance(condition, RaggedTensor) or condition.shape.ndims != 1:
        raise ValueError("Input shapes do not match.")
    rows = concat([x, y], axis=0)
    kind = rows.row_splits.dtype.base_dtype
    count = x.nrows(out_type=kind) if isinstance(x, RaggedTensor) else shape_tensor(x, kind)[0]
    numbers = partitions.counted(0, shape_tensor(condition, out_type=kind)[0] - 1, kind)
    return _gathered(rows, build.Select(condition, numbers, numbers + count))


@export("ragged.boolean_mask")
def boolean_mask(
    data: RaggedTensor | TensorLike, mask: RaggedTensor | TensorLike, name: str | None = None
) -> Tensor | RaggedTensor:
    """Keeps the values at which a mask is true.

    Args:
        data: a ragged tensor or tensor.
        mask: truths, a ragged tensor or tensor of the first axes of `data`.
        name: the name scope.

    Returns:
        A RaggedTensor of the rank of `data`; a tensor if a vector chooses rows of a tensor.

    Raises:
        ValueError: if the rank of the mask is unknown or 0.
    """
    with name_scope(name, "RaggedMask", [data, mask]):
        mask = convert(mask, dtypes.bool_, name="mask")
        data, mask = matched_row_splits(convert(data, name="data"), mask)
        if mask.shape.ndims is None:
            raise ValueError("mask.shape.ndims must be known statically.")
        if mask.shape.ndims == 0:
            raise ValueError("mask cannot be scalar.")
        return _masked(data, mask)


def _masked(data: Tensor | RaggedTensor, mask: TensorLike | RaggedTensor) -> Tensor | RaggedTensor:
    if not isinstance(mask, RaggedTensor) and mask.shape.ndims > 1:
        mask = RaggedTensor.from_tensor(mask, ragged_rank=mask.shape.ndims - 1)
    if isinstance(mask, RaggedTensor):
        if not isinstance(data, RaggedTensor):
            data = RaggedTensor.from_tensor(data, ragged_rank=mask.ragged_rank)
        data.values.shape[:1].assert_is_compatible_with(mask.values.shape[:1])
        checks = assert_splits_match([(data.row_splits,), (mask.row_splits,)])
        inner = after(checks, mask.values)
        kept = _masked(data.values, inner)
        if isinstance(inner, RaggedTensor):
            # The rows of this level are all kept.
            return data.with_values(kept)
        kind = mask.row_splits.dtype.base_dtype
        ones = build.Cast(inner, DstT=kind)
        ends = partitions.after_zero(build.Cumsum(ones, 0))
        splits = gathers.gather(ends, mask.row_splits)
        splits.set_shape(mask.row_splits.shape)
        return RaggedTensor.from_row_splits(kept, splits, validate=False)
    if not isinstance(data, RaggedTensor):
        return getitem.boolean_mask(data, mask)
    places = build.Reshape(build.Where(mask), [-1])
    return _gathered(data, places)
