"""Sparse tensors of dense ones."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.typing import DTypeLike, TensorLike
from headwater.graph import SparseTensor, Tensor, build, convert_to_tensor, name_scope
from headwater.model.feature_column.transformation import elements_without
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import ones_like, zeros_like
from headwater.ops.array.reshape import reshape
from headwater.ops.math.cast import cast
from headwater.ops.math.comparison import equal
from headwater.ops.math.reduce_functions import reduce_max
from headwater.ops.math.scan import cumsum
from headwater.ops.math.select import where


def dense_to_sparse_tensor(dense_tensor: TensorLike, ignore_value: Any = None) -> SparseTensor:
    """The elements of a tensor that differ from a value.

    Args:
        dense_tensor: a tensor.
        ignore_value: the value that is left out; None means 0, or "" for strings.

    Returns:
        A SparseTensor.
    """
    with name_scope("DenseToSparseTensor"):
        dense = convert_to_tensor(dense_tensor)
        return elements_without(dense, _ignored(dense, ignore_value))


def _ignored(dense: Tensor, ignore_value: Any) -> Any:
    """The value that is left out of a tensor: 0, or "" for strings, if it is not given."""
    if ignore_value is not None:
        return ignore_value
    strings = dense.dtype.base_dtype == dtypes.string
    return "" if strings else dense.dtype.as_numpy_dtype(0)


def indicators_to_sparse_ids(
    indicators: TensorLike, ignore_value: Any = None, dtype: DTypeLike = dtypes.int64
) -> SparseTensor:
    """The positions, along the last axis, of the elements that differ from a value.

    Args:
        indicators: a tensor, such as 1 for each class that applies.
        ignore_value: the value that is left out; None means 0, or "" for strings.
        dtype: the type of the positions.

    Returns:
        A SparseTensor with the positions of each row, packed to the left.
    """
    with name_scope(None, "indicators_to_sparse_ids", [indicators, ignore_value]):
        indicators = convert_to_tensor(indicators, name="indicators")
        value = cast(_ignored(indicators, ignore_value), indicators.dtype, name="ignore_value")
        missing = equal(indicators, value, name="missing")
        zeros = zeros_like(indicators, dtype=dtypes.int64, name="zeros")
        ones = ones_like(indicators, dtype=dtypes.int64, name="ones")
        present = where(missing, zeros, ones, name="binary_indicators")
        numbers = where(missing, zeros, cumsum(present, axis=-1), name="row_index_indicators")
        longest = reshape(reduce_max(numbers), [1], name="result_last_dim")
        wide = dense_to_sparse_tensor(numbers)
        at = concat(
            [wide.indices[:, :-1], reshape(wide.values - 1, [-1, 1])], axis=1, name="indices"
        )
        return SparseTensor(
            indices=at,
            values=cast(wide.indices[:, -1], dtype),
            dense_shape=concat([wide.dense_shape[0:-1], longest], axis=0, name="dense_shape"),
        )


def sparse_row_envelope(
    sparse_input: SparseTensor, row_axis: int = 0, col_axis: int = 1, name: str | None = None
) -> Tensor:
    """The number of columns up to the last element of each row.

    Args:
        sparse_input: a SparseTensor.
        row_axis: the axis of the rows.
        col_axis: the axis of the columns.
        name: the name scope.

    Returns:
        An int64 vector with an element for each row; 0 for an empty one.
    """
    with name_scope(name, "sparse_row_envelope", [sparse_input]):
        rows = sparse_input.indices[:, row_axis]
        columns = sparse_input.indices[:, col_axis]
        count = cast(sparse_input.dense_shape[row_axis], dtypes.int32)
        lengths = build.UnsortedSegmentMax(columns + 1, rows, count)
        # A row without elements has the least number there is.
        none = zeros_like(lengths)
        return where(build.Greater(lengths, none), lengths, none)
