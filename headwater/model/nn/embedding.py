"""Embeddings: rows of one or several matrices, gathered by ids."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes, logging
from headwater.base.typing import NestedTensors, TensorLike
from headwater.graph import (
    IndexedSlices,
    SparseTensor,
    Tensor,
    build,
    colocate_with,
    constant_node,
    convert_to_tensor,
    export,
    name_scope,
    rank_tensor,
    shape_tensor,
)
from headwater.ops.array.gather import gather
from headwater.ops.math.clip_by_norm import clip_by_norm


@export("nn.embedding_lookup")
def embedding_lookup(
    params: NestedTensors | None,
    ids: TensorLike,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: float | None = None,
) -> Tensor:
    """Gathers rows of a matrix (or slices of a tensor), which may be partitioned.

    Args:
        params: the tensor or variable, a partitioned variable, or a list of parts.
        ids: integers, a tensor of any shape.
        partition_strategy: how ids are spread over parts. "mod": id i is in part
            i % number of parts; "div": each part holds consecutive ids.
        name: the name of the node that picks.
        validate_indices: ignored; ids out of range are always errors.
        max_norm: picked rows with a larger L2 norm are scaled down to it.

    Returns:
        A tensor of the shape of `ids` followed by that of a row.

    Raises:
        ValueError: if there are no params or `partition_strategy` is unknown.

    Example:
        >>> table = tf.constant([[0.0, 0.5], [1.0, 1.5], [2.0, 2.5]])
        >>> print(tf.nn.embedding_lookup(table, [2, 0]).eval())
        [[2.  2.5]
         [0.  0.5]]
    """
    if params is None:
        raise ValueError("params must be specified")
    params = parts_of(params)
    params = list(params)
    if not params:
        raise ValueError("Need at least one param")
    with name_scope(name, "embedding_lookup", [*params, ids]) as scope:
        params = _converted(params)
        ids = convert_to_tensor(ids, name="ids")
        if len(params) == 1:
            with colocate_with(params[0]):
                rows = clipped_rows(gather(params[0], ids, name=scope), ids, max_norm)
            return build.Identity(rows)
        rows = _looked_up_in_parts(params, ids, partition_strategy, scope)
        return clipped_rows(rows, ids, max_norm)


def parts_of(params: NestedTensors) -> list[Any]:
    """The parts of a matrix: a list as it is, those of a partitioned variable, or the matrix."""
    if isinstance(params, (list, tuple)):
        return list(params)
    parts = getattr(params, "_get_variable_list", None)
    return [params] if parts is None else list(parts())


def _converted(params: list[Any]) -> list[Any]:
    """Tensors; variables that read single rows stay as they are."""
    if hasattr(params[0], "sparse_read"):
        return params
    return [
        p if isinstance(p, IndexedSlices) else convert_to_tensor(p, name=f"params_{i}")
        for i, p in enumerate(params)
    ]


def _looked_up_in_parts(
    params: list[Any], ids: Tensor, partition_strategy: str, scope: str
) -> Tensor:
    flat: Tensor = build.Reshape(ids, [-1])
    static_size = flat.shape.num_elements()
    size = build.Size(flat) if static_size is None else constant_node(static_size, name="Size")
    positions = build.Range(0, size, 1, name="range")
    if partition_strategy == "mod":
        part, local = flat % len(params), flat // len(params)
    elif partition_strategy == "div":
        part, local = _consecutive(params, flat)
    else:
        raise ValueError("Unrecognized partition strategy: " + partition_strategy)
    if part.dtype != dtypes.int32:
        part = build.Cast(part, DstT=dtypes.int32)
    local_ids = build.DynamicPartition(local, part, num_partitions=len(params))
    places = build.DynamicPartition(positions, part, num_partitions=len(params))
    found = []
    for param, wanted in zip(params, local_ids):
        with colocate_with(param):
            found.append(gather(param, wanted))
    result = build.ParallelDynamicStitch(places, found, name=scope)
    row = params[0].shape[1:]
    for param in params[1:]:
        row = row.merge_with(param.shape[1:])
    if row.is_fully_defined():
        shape = build.ConcatV2([shape_tensor(ids), row.as_list()], 0, name="concat")
    else:
        with colocate_with(params[0]):
            whole: Tensor = shape_tensor(convert_to_tensor(params[0]))
            row_shape = whole[1:]
        shape = build.ConcatV2([shape_tensor(ids), row_shape], 0, name="concat")
    result = build.Reshape(result, shape)
    result.set_shape(ids.shape.concatenate(row))
    return result


def _consecutive(params: list[Any], flat: Tensor) -> tuple[Any, Any]:
    """The part of each id and its row there; the first parts may be longer by one."""
    lengths: list[Any] = [p.shape[0].value for p in params]
    if None not in lengths:
        total: Tensor = constant_node(sum(lengths), flat.dtype.base_dtype)
    else:
        for i, param in enumerate(params):
            if lengths[i] is None:
                with colocate_with(param):
                    rows_shape: Tensor = shape_tensor(convert_to_tensor(param))
                    lengths[i] = rows_shape[0]
        stacked = convert_to_tensor(lengths, name="stack")
        if flat.dtype != stacked.dtype:
            stacked = build.Cast(stacked, DstT=flat.dtype.base_dtype)
        total = build.Sum(stacked, constant_node([0]))
    each = total // len(params)
    extras = total % len(params)
    part = build.Maximum(flat // (each + 1), (flat - extras) // each)
    in_long_part = build.Less(part, extras)
    return part, build.Select(in_long_part, flat % (each + 1), (flat - extras) % each)


def clipped_rows(rows: Tensor, ids: Tensor, max_norm: float | None) -> Tensor:
    """Rows scaled down to a norm."""
    if max_norm is None:
        return rows
    if ids.shape.ndims is not None and rows.shape.ndims is not None:
        axes: list[int] = list(range(ids.shape.ndims, rows.shape.ndims))
    else:
        axes = build.Range(rank_tensor(ids), rank_tensor(rows), 1, name="range")
    return clip_by_norm(rows, max_norm, axes)


def _is_sparse(value: SparseTensor | TensorLike) -> bool:
    return all(hasattr(value, part) for part in ("indices", "values", "dense_shape")) and not (
        isinstance(value, IndexedSlices)
    )


@export("nn.embedding_lookup_sparse")
def embedding_lookup_sparse(
    params: NestedTensors,
    sp_ids: SparseTensor | TensorLike,
    sp_weights: SparseTensor | TensorLike | None,
    partition_strategy: str = "mod",
    name: str | None = None,
    combiner: str | None = None,
    max_norm: float | None = None,
) -> Tensor:
    """Combines the rows of several ids per example.

    Args:
        params: the matrix; see `embedding_lookup`.
        sp_ids: a SparseTensor of int32 or int64 ids, one row per example; no row may be empty.
        sp_weights: a SparseTensor of one weight per id, or None for weights of 1.
        partition_strategy: how ids are spread over parts; see `embedding_lookup`.
        name: the name of the last node.
        combiner: "mean" (the default), "sqrtn" (sum over the root of the sum of squared weights),
            or "sum".
        max_norm: rows with a larger L2 norm are scaled down to it first.

    Returns:
        A matrix of one row per example.

    Raises:
        TypeError: if ids or weights are not sparse.
        ValueError: if the combiner is unknown.
    """
    if combiner is None:
        logging.warning(
            'The default value of combiner will change from "mean" to "sqrtn" after 2016/11/01.'
        )
        combiner = "mean"
    if combiner not in ("mean", "sqrtn", "sum"):
        raise ValueError("combiner must be one of 'mean', 'sqrtn' or 'sum'")
    params = parts_of(params)
    if not _is_sparse(sp_ids):
        raise TypeError("sp_ids must be SparseTensor")
    if sp_weights is not None:
        _check_weights(sp_ids, sp_weights)
    with name_scope(name, "embedding_lookup_sparse", [*params, sp_ids.values]) as scope:
        examples = sp_ids.indices[:, 0]
        if examples.dtype != dtypes.int32:
            examples = build.Cast(examples, DstT=dtypes.int32)
        ids, places = build.Unique(sp_ids.values)
        rows = embedding_lookup(
            params, ids, partition_strategy=partition_strategy, max_norm=max_norm
        )
        if rows.dtype in (dtypes.float16, dtypes.bfloat16):
            rows = build.Cast(rows, DstT=dtypes.float32)
        if sp_weights is None:
            segment = {
                "sum": build.SparseSegmentSum,
                "mean": build.SparseSegmentMean,
                "sqrtn": build.SparseSegmentSqrtN,
            }[combiner]
            return segment(rows, places, examples, name=scope)
        return _weighted_sum(rows, places, examples, sp_weights.values, combiner, scope)


def _check_weights(sp_ids: SparseTensor, sp_weights: SparseTensor | TensorLike) -> None:
    if not _is_sparse(sp_weights):
        raise TypeError("sp_weights must be either None or SparseTensor")
    sp_ids.values.shape.assert_is_compatible_with(sp_weights.values.shape)
    sp_ids.indices.shape.assert_is_compatible_with(sp_weights.indices.shape)
    sp_ids.dense_shape.shape.assert_is_compatible_with(sp_weights.dense_shape.shape)


def _weighted_sum(
    rows: TensorLike,
    places: Tensor,
    examples: Tensor,
    weights: TensorLike,
    combiner: str,
    scope: str,
) -> Tensor:
    if weights.dtype != rows.dtype:
        weights = build.Cast(weights, DstT=rows.dtype)
    rows = gather(rows, places)
    rank: TensorLike = rank_tensor(rows)
    ones = build.Fill(build.ExpandDims(rank - 1, 0), 1)
    shape = build.ConcatV2([shape_tensor(weights), ones], 0, name="concat")
    static = weights.shape
    weights = build.Reshape(weights, shape)
    if rows.shape.ndims is not None:
        weights.set_shape(static.concatenate([1] * (rows.shape.ndims - 1)))
    product = rows * weights
    if combiner == "sum":
        return build.SegmentSum(product, examples, name=scope)
    total = build.SegmentSum(product, examples)
    if combiner == "sqrtn":
        weights = build.Pow(weights, 2)
    divisor = build.SegmentSum(weights, examples)
    if combiner == "sqrtn":
        divisor = build.Sqrt(divisor)
    return build.RealDiv(total, divisor, name=scope)
