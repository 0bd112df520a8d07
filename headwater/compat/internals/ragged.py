"""tensorflow.python.ops.ragged: the functions of its modules."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.typing import DTypeLike, TensorLike
from headwater.compat.internals import internal
from headwater.graph import Tensor, build, convert_to_tensor
from headwater.model.ragged import axes, conversion, joining, partitions, reductions, selection
from headwater.model.ragged.tensor import RaggedTensor

_PACKAGE = "ops.ragged"
_FUNCTIONS: dict[str, dict[str, Any]] = {
    "ragged_math_ops": {
        "reduce_all": reductions.reduce_all,
        "reduce_any": reductions.reduce_any,
        "reduce_max": reductions.reduce_max,
        "reduce_mean": reductions.reduce_mean,
        "reduce_min": reductions.reduce_min,
        "reduce_prod": reductions.reduce_prod,
        "reduce_sum": reductions.reduce_sum,
        "segment_max": reductions.unsorted_segment_max,
        "segment_mean": reductions.unsorted_segment_mean,
        "segment_min": reductions.unsorted_segment_min,
        "segment_prod": reductions.unsorted_segment_prod,
        "segment_sqrt_n": reductions.unsorted_segment_sqrt_n,
        "segment_sum": reductions.unsorted_segment_sum,
    },
    "ragged_array_ops": {
        "expand_dims": axes.expand_dims,
        "rank": axes.rank,
        "ragged_one_hot": axes.one_hot,
        "tile": joining.tile,
    },
    "ragged_batch_gather_ops": {"batch_gather": selection.batch_gather},
    "ragged_conversion_ops": {"from_tensor": RaggedTensor.from_tensor},
    "ragged_getitem": {"ragged_tensor_getitem": RaggedTensor.__getitem__},
    "ragged_squeeze_op": {"squeeze": axes.squeeze},
    "ragged_tensor": {"convert_to_tensor_or_ragged_tensor": conversion.convert},
    "ragged_util": {"assert_splits_match": conversion.assert_splits_match},
    "ragged_where_op": {"where": selection.where},
}
for _module, _names in _FUNCTIONS.items():
    for _name, _function in _names.items():
        internal(f"{_PACKAGE}.{_module}.{_name}")(_function)


@internal("ops.ragged.ragged_array_ops.size")
def size(input: Any, out_type: DTypeLike = dtypes.int32, name: str | None = None) -> Tensor:
    """Returns the number of values of a tensor, ragged or not."""
    return axes.size(input, name, out_type)


@internal("ops.ragged.ragged_conversion_ops.from_sparse")
def from_sparse(st_input: Any, name: str | None = None) -> RaggedTensor:
    """Returns the ragged tensor of a sparse one whose rows have no gaps."""
    return RaggedTensor.from_sparse(st_input, name=name)


@internal("ops.ragged.ragged_conversion_ops.to_sparse")
def to_sparse(rt_input: Any, name: str | None = None) -> Any:
    """Returns the sparse tensor of a ragged one."""
    return conversion.convert(rt_input).to_sparse(name=name)


@internal("ops.ragged.ragged_conversion_ops.to_tensor")
def to_tensor(
    rt_input: Any, default_value: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """Returns the tensor of a ragged one, with rows that are padded.

    Args:
        rt_input: a ragged tensor; another one is returned as it is.
        default_value: what rows are padded with; zeros if None.
        name: the name scope.
    """
    ragged = conversion.convert(rt_input)
    if not isinstance(ragged, RaggedTensor):
        return ragged
    return ragged.to_tensor(default_value=default_value, name=name)


@internal("ops.ragged.ragged_gather_ops.gather")
def gather(
    params: Any,
    indices: Any,
    validate_indices: bool | None = None,
    axis: int = 0,
    batch_dims: int = 0,
    name: str | None = None,
) -> Any:
    """Returns rows of a tensor, `tf.gather` with other places of the arguments."""
    return selection.gather(params, indices, validate_indices, name, axis, batch_dims)


@internal("ops.ragged.ragged_gather_ops.gather_nd")
def gather_nd(params: Any, indices: Any, batch_dims: int = 0, name: str | None = None) -> Any:
    """Returns parts of a tensor, `tf.gather_nd` with other places of the arguments."""
    return selection.gather_nd(params, indices, name, batch_dims)


@internal("ops.ragged.ragged_string_ops.reduce_join")
def reduce_join(
    inputs: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    separator: str = "",
    name: str | None = None,
) -> Any:
    """Joins strings along an axis, `tf.strings.reduce_join` of release 2."""
    return reductions.reduce_join(inputs, axis, keepdims, separator, name)


@internal("ops.ragged.ragged_tensor.match_row_splits_dtypes")
def match_row_splits_dtypes(*tensors: Any, **kwargs: Any) -> Any:
    """Returns tensors, the ragged ones with splits of one type.

    Args:
        *tensors: tensors, ragged or not.
        **kwargs: `return_dtype`: whether the type of the splits is returned before the list.
    """
    matched = conversion.matched_row_splits(*tensors)
    if not kwargs.get("return_dtype", False):
        return matched
    kinds = [x.row_splits.dtype for x in matched if isinstance(x, RaggedTensor)]
    return (kinds[0] if kinds else None), matched


@internal("ops.ragged.ragged_util.lengths_to_splits")
def lengths_to_splits(lengths: TensorLike) -> Tensor:
    """Returns the splits of rows from their lengths: [2, 0, 1] gives [0, 2, 2, 3]."""
    return partitions.splits_of_lengths(convert_to_tensor(lengths))


@internal("ops.ragged.ragged_util.repeat_ranges")
def repeat_ranges(params: TensorLike, splits: Tensor, repeats: TensorLike) -> Tensor:
    """Repeats slices of a tensor: [a, b, c] with splits [0, 2, 3], twice: [a, b, a, b, c, c].

    Args:
        params: the tensor.
        splits: where the slices begin, and where the last one ends.
        repeats: how often, for each slice or for all.

    Returns:
        A tensor like `params`.
    """
    splits = convert_to_tensor(splits)
    counts = convert_to_tensor(repeats, dtype=splits.dtype.base_dtype)
    if counts.shape.ndims == 0:
        counts = build.Fill(build.Sub(build.Shape(splits, out_type=dtypes.int32), 1), counts)
    starts = _repeated(splits[:-1], counts)
    ends = _repeated(splits[1:], counts)
    one = convert_to_tensor(1, splits.dtype.base_dtype)
    places = build.RaggedRange(starts, ends, one, Tsplits=dtypes.int64).rt_dense_values
    return build.GatherV2(params, places, 0)


def _repeated(values: Tensor, counts: Tensor) -> Tensor:
    rows = partitions.rows_of_splits(partitions.splits_of_lengths(counts))
    return build.GatherV2(values, rows, 0)


@internal("ops.ragged.ragged_batch_gather_with_default_op.batch_gather_with_default")
def batch_gather_with_default(
    params: Any, indices: Any, default_value: Any = "", name: str | None = None
) -> Any:
    """Returns values of each row, and a default for indices that are out of range.

    Args:
        params: a tensor with rows, ragged or not.
        indices: the indices in each row.
        default_value: stands for those that are negative or beyond the end of the row.
        name: the name scope.

    Returns:
        A tensor, ragged if `indices` are.
    """
    params = conversion.convert(params, name="params")
    indices = conversion.convert(indices, name="indices")
    if not isinstance(params, RaggedTensor):
        params = RaggedTensor.from_tensor(params)
    ragged = isinstance(indices, RaggedTensor)
    if not ragged:
        indices = RaggedTensor.from_tensor(indices)
    params, indices = conversion.matched_row_splits(params, indices)
    default = convert_to_tensor(default_value, dtype=params.dtype)
    rows = indices.value_rowids()
    kind = params.row_splits.dtype.base_dtype
    places = build.Cast(indices.values, DstT=kind)
    lengths = build.GatherV2(params.row_lengths(), rows, 0)
    inside = build.LogicalAnd(
        build.GreaterEqual(places, build.ZerosLike(places)), build.Less(places, lengths)
    )
    flat = build.Add(build.GatherV2(params.row_splits, rows, 0), places)
    # An index into the values, before which the default stands.
    flat = build.SelectV2(
        inside, build.Add(flat, convert_to_tensor(1, kind)), build.ZerosLike(flat)
    )
    values = build.ConcatV2([build.ExpandDims(default, 0), params.values], 0)
    result = indices.with_values(build.GatherV2(values, flat, 0))
    return result if ragged else result.to_tensor()


@internal("ops.ragged.ragged_tensor.RaggedTensorType")
class RaggedTensorType:
    """The type of the ragged tensors that a function returns.

    Args:
        dtype: the type of the values.
        ragged_rank: the number of ragged axes.
        row_splits_dtype: the type of the splits.
    """

    def __init__(
        self, dtype: DTypeLike, ragged_rank: int, row_splits_dtype: DTypeLike = dtypes.int64
    ) -> None:
        self.dtype = dtypes.as_dtype(dtype)
        self.ragged_rank = ragged_rank
        self.row_splits_dtype = dtypes.as_dtype(row_splits_dtype)


@internal("ops.ragged.ragged_config.auto_cast_partition_dtype")
def auto_cast_partition_dtype() -> bool:
    """False: splits of different types are an error, unless a function says otherwise."""
    return False
