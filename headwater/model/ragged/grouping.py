"""Values grouped into rows by row number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, name_scope, shape_tensor
from headwater.model.ragged.conversion import (
    after,
    assert_splits_match,
    convert,
    matched_row_splits,
)
from headwater.model.ragged.selection import gather
from headwater.model.ragged.tensor import RaggedTensor
from headwater.ops.array import gather as gathers
from headwater.ops.array.sort import argsort
from headwater.ops.control.value_checks import assert_less


@export("ragged.stack_dynamic_partitions")
def stack_dynamic_partitions(
    data: RaggedTensor | TensorLike,
    partitions: RaggedTensor | TensorLike,
    num_partitions: TensorLike,
    name: str | None = None,
) -> RaggedTensor:
    """Groups values into rows by row number.

    Args:
        data: a ragged tensor or tensor.
        partitions: the row of each value, of the first axes of `data`.
        num_partitions: the number of rows.
        name: the name scope.

    Returns:
        A RaggedTensor.

    Raises:
        ValueError: if the rank of `partitions` is unknown, or it is ragged and `data` is not.
    """
    with name_scope(name, "SegmentStack", [data, partitions, num_partitions]):
        data, rows = convert(data, name="data"), convert(partitions, name="partitions")
        data, rows = matched_row_splits(data, rows)
        count = convert_to_tensor(num_partitions, rows.dtype.base_dtype, name="num_partitions")
        rows.shape.assert_is_compatible_with(data.shape[: rows.shape.ndims])
        return _stacked(data, rows, count)


def _stacked(data: TensorLike, rows: TensorLike, count: Tensor) -> RaggedTensor:
    if rows.shape.ndims is None:
        raise ValueError("partitions must have known rank.")
    if isinstance(rows, RaggedTensor):
        if not isinstance(data, RaggedTensor):
            raise ValueError("partitions must not be ragged where data is not.")
        checks = assert_splits_match([(data.row_splits,), (rows.row_splits,)])
        return _stacked(data.values, after(checks, rows.values), count)
    if rows.shape.ndims == 0:
        return _stacked(build.ExpandDims(data, 0), build.ExpandDims(rows, 0), count)
    if rows.shape.ndims > 1:
        shape = shape_tensor(data)
        rest = build.ConcatV2([convert_to_tensor([-1]), shape[rows.shape.ndims :]], 0)
        return _stacked(build.Reshape(data, rest), build.Reshape(rows, [-1]), count)
    # A stable order: the last of equal numbers is not the first by more than its place.
    order = argsort(rows, stable=True)
    numbers = gathers.gather(rows, order)
    check = assert_less(numbers[-1:], count, message="partitions must be less than num_partitions")
    return RaggedTensor.from_value_rowids(
        gather(data, order), after([check], numbers), count, validate=False
    )


def dynamic_partition(
    data: Sequence[int], partitions: RaggedTensor, num_partitions: int, name: str | None = None
) -> list[Any]:
    """`tf.dynamic_partition` with ragged arguments.

    Args:
        data: a ragged tensor or tensor.
        partitions: the part of each value, of the first axes of `data`.
        num_partitions: the number of parts.
        name: the name scope.

    Returns:
        A list of RaggedTensors or tensors.

    Raises:
        TypeError: if `num_partitions` is not an integer.
    """
    if not isinstance(num_partitions, int) or num_partitions < 0:
        raise TypeError("num_partitions must be a non-negative integer")
    stacked = stack_dynamic_partitions(data, partitions, num_partitions, name)
    return [stacked[i] for i in range(num_partitions)]
