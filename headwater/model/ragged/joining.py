"""Ragged tensors put together and repeated: concat, stack, tile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.base.export import export
from headwater.base.typing import AxisLike, NestedTensors, TensorLike
from headwater.graph import (
    Tensor,
    build,
    constant_value,
    convert_to_tensor,
    name_scope,
    shape_tensor,
)
from headwater.model.ragged import partitions
from headwater.model.ragged.axes import expand_dims
from headwater.model.ragged.conversion import (
    after,
    assert_splits_match,
    convert,
    matched_row_splits,
    positive_axis,
)
from headwater.model.ragged.operators import gathered_rows
from headwater.model.ragged.tensor import RaggedTensor
from headwater.ops.array.concat import concat as dense_concat
from headwater.ops.array.stack import stack as dense_stack
from headwater.ops.array.tile import tile as dense_tile
from headwater.ops.control.value_checks import assert_equal

if TYPE_CHECKING:
    from headwater.base.dtypes import DType


def concat(
    values: NestedTensors,
    axis: AxisLike | None = None,
    name: str | None = "concat",
    concat_dim: AxisLike | None = None,
) -> Any:
    """`tf.concat` of ragged tensors.

    Args:
        values: ragged tensors and tensors of one rank.
        axis: the axis along which they are joined, a Python integer.
        name: the name scope.
        concat_dim: old name of `axis`.

    Returns:
        A RaggedTensor.

    Raises:
        ValueError: if ranks differ or the axis is out of bounds.
    """
    with name_scope(name, "RaggedConcat", None):
        return _joined(values, concat_dim if axis is None else axis, stacked=False)


@export("ragged.stack")
def stack(values: NestedTensors, axis: int = 0, name: str | None = None) -> Tensor | RaggedTensor:
    """Stacks ragged tensors along a new axis.

    Args:
        values: ragged tensors and tensors of one rank.
        axis: the place of the new axis.
        name: the name scope.

    Returns:
        A RaggedTensor; a tensor if no value is ragged.

    Raises:
        ValueError: if there are no values, ranks differ, or the axis is out of bounds.
    """
    with name_scope(name, "RaggedConcat", None):
        return _joined(values, axis, stacked=True)


def _joined(values: NestedTensors, axis: AxisLike, stacked: bool) -> Tensor | RaggedTensor:
    if not isinstance(values, (list, tuple)):
        values = [values]
    if not values:
        raise ValueError("rt_inputs may not be empty.")
    parts = matched_row_splits(*(convert(v, name="rt_input") for v in values))
    if len(parts) == 1:
        return expand_dims(parts[0], axis) if stacked else parts[0]
    rank = next((p.shape.ndims for p in parts if p.shape.ndims is not None), None)
    if rank is not None:
        for part in parts:
            part.shape.assert_has_rank(rank)
    axis = positive_axis(axis, rank if not stacked or rank is None else rank + 1)
    dense = not any(isinstance(p, RaggedTensor) for p in parts)
    if dense and stacked and axis == 0 and (rank is None or rank > 1):
        parts = [_with_levels(p, 1) for p in parts]
    return _joined_along(parts, axis, stacked)


def _joined_along(parts: list[Any], axis: int, stacked: bool) -> Tensor | RaggedTensor:
    if not any(isinstance(p, RaggedTensor) for p in parts):
        return dense_stack(parts, axis) if stacked else dense_concat(parts, axis)
    if axis == 0:
        return _stacked_rows(parts) if stacked else _joined_rows(parts)
    levels = max(p.ragged_rank for p in parts if isinstance(p, RaggedTensor))
    ragged = [_with_levels(p, max(levels, 1)) for p in parts]
    if axis == 1:
        return _joined_inside(ragged, stacked)
    checks: list[Any] = []
    for other in ragged[1:]:
        checks += assert_splits_match([(ragged[0].row_splits,), (other.row_splits,)])
    inner = _joined_along([r.values for r in ragged], axis - 1, stacked)
    return ragged[0].with_values(after(checks, inner))


def _with_levels(x: Tensor | RaggedTensor, levels: int) -> RaggedTensor:
    """The tensor with as many levels of rows, some of which may have equal lengths."""
    if not isinstance(x, RaggedTensor):
        return RaggedTensor.from_tensor(x, ragged_rank=levels)
    if x.ragged_rank < levels:
        return x.with_values(_with_levels(x.values, levels - 1))
    return x


def _joined_rows(parts: list[Any]) -> Tensor | RaggedTensor:
    """The rows of all parts, one part after the other."""
    if not any(isinstance(p, RaggedTensor) for p in parts):
        return dense_concat(parts, 0)
    levels = max(p.ragged_rank for p in parts if isinstance(p, RaggedTensor))
    ragged = [_with_levels(p, levels) for p in parts]
    values = _joined_rows([r.values for r in ragged])
    splits = [ragged[0].row_splits]
    end = splits[0][-1]
    for part in ragged[1:]:
        splits.append(part.row_splits[1:] + end)
        end = end + part.row_splits[-1]
    return RaggedTensor.from_row_splits(values, build.ConcatV2(splits, 0), validate=False)


def _stacked_rows(parts: list[Any]) -> RaggedTensor:
    kind = next(p for p in parts if isinstance(p, RaggedTensor)).row_splits.dtype.base_dtype
    counts = [_count(p, kind) for p in parts]
    splits = partitions.splits_of_lengths(build.Pack(counts))
    return RaggedTensor.from_row_splits(_joined_rows(parts), splits, validate=False)


def _count(x: TensorLike, kind: DType) -> Tensor:
    if isinstance(x, RaggedTensor):
        return x.nrows(out_type=kind)
    return shape_tensor(x, out_type=kind)[0]


def _joined_inside(parts: list[RaggedTensor], stacked: bool) -> RaggedTensor:
    """Row by row, the rows of all parts beside each other."""
    kind = parts[0].row_splits.dtype.base_dtype
    count, number = parts[0].nrows(), len(parts)
    first = parts[0].row_splits.shape
    for part in parts[1:]:
        if not first.is_compatible_with(part.row_splits.shape):
            raise ValueError(
                "Dimension 0 in both shapes must be equal, but are "
                f"{first[0].value} and {part.row_splits.shape[0].value}. Shapes are "
                f"[{first[0].value}] and [{part.row_splits.shape[0].value}]."
            )
    checks = [
        assert_equal(part.nrows(), count, message="Input tensors have incompatible shapes.")
        for part in parts[1:]
        if part.row_splits.shape != first or not first.is_fully_defined()
    ]
    rows = _joined_rows(list(parts))
    # Row i of part k is at k * count + i, and goes to i * number + k.
    numbers = build.Reshape(
        partitions.counted(0, count * number - 1, kind),
        build.Pack([convert_to_tensor(number, kind), count]),
    )
    order = build.Reshape(build.Transpose(numbers, [1, 0]), [-1])
    rows = gathered_rows(rows, after(checks, order))
    if stacked:
        splits = partitions.counted(0, count, kind) * number
        return RaggedTensor.from_row_splits(rows, splits, validate=False)
    splits = rows.row_splits[::number]
    return RaggedTensor.from_row_splits(rows.values, splits, validate=False)


def tile(input: RaggedTensor, multiples: TensorLike, name: str | None = None) -> Any:
    """`tf.tile` of a ragged tensor.

    Args:
        input: a ragged tensor.
        multiples: how often it is repeated along each axis, an integer vector.
        name: the name scope.

    Returns:
        A RaggedTensor.
    """
    with name_scope(name, "RaggedTile", [input, multiples]):
        x = convert(input, name="input")
        kind = x.row_splits.dtype.base_dtype
        counts = build.Cast(convert_to_tensor(multiples, name="multiples"), DstT=kind)
        counts.shape.assert_has_rank(1)
        known = constant_value(counts)
        return _tiled(x, counts, None if known is None else known.tolist())


def _tiled(x: TensorLike, counts: TensorLike, known: list[int] | None) -> Tensor | RaggedTensor:
    """Repeats along all axes; `known` are the counts where they are known."""
    if not isinstance(x, RaggedTensor):
        return x if known is not None and set(known) == {1} else dense_tile(x, counts)
    kind = x.row_splits.dtype.base_dtype
    if known is None or set(known[2:]) - {1}:
        ones = convert_to_tensor([1], kind)
        inner = None if known is None else [1, *known[2:]]
        x = x.with_values(_tiled(x.values, build.ConcatV2([ones, counts[2:]], 0), inner))
    if known is not None and known[:2] == [1, 1]:
        return x
    # The row numbers repeated along the second axis, then the whole along the first.
    numbers = build.ExpandDims(partitions.counted(0, x.nrows() - 1, kind), 1)
    within = build.Pack([convert_to_tensor(1, kind), counts[1]])
    rows = build.Tile(build.Reshape(dense_tile(numbers, within), [-1]), counts[:1])
    lengths = build.Tile(x.row_lengths() * counts[1], counts[:1])
    splits = partitions.splits_of_lengths(lengths)
    return RaggedTensor.from_row_splits(gathered_rows(x, rows).values, splits, validate=False)
