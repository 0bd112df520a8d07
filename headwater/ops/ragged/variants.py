"""RaggedTensorToVariant, RaggedTensorFromVariant: ragged tensors as elements of datasets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from headwater.base.checks import fail
from headwater.base.dtypes import DType, proto_name
from headwater.base.handles import handle_of
from headwater.base.typing import Array, ArrayModule
from headwater.graph import NOT_DIFFERENTIABLE, RunsOn, register_op, shapes


class RaggedValue(NamedTuple):
    """The value of a variant: the splits of all levels, the outermost first, and the values."""

    splits: list[Array]
    values: Array


def kernel_to_variant(
    xp: ArrayModule, splits: Sequence[Array], values: Array, *, batched_input: bool
) -> Array:
    if not batched_input:
        return handle_of(RaggedValue(list(splits), values))
    outer = splits[0]
    rows = np.empty(len(outer) - 1, object)
    for i in range(len(rows)):
        rows[i] = _row(splits, values, i)
    return rows


def _row(splits: Sequence[Array], values: Array, row: int) -> RaggedValue:
    start, end = int(splits[0][row]), int(splits[0][row + 1])
    inner = []
    for level in splits[1:]:
        part = level[start : end + 1]
        inner.append(part - part[0])
        start, end = int(part[0]), int(part[-1])
    return RaggedValue(inner, values[start:end])


def kernel_from_variant(
    xp: ArrayModule,
    encoded_ragged: Array,
    *,
    input_ragged_rank: int,
    output_ragged_rank: int,
    Tvalues: DType,
    Tsplits: DType,
) -> Any:
    rank = encoded_ragged.ndim
    if input_ragged_rank == -1:
        input_ragged_rank = output_ragged_rank - rank
        if input_ragged_rank < 0:
            fail(
                f"Inferred input_ragged_rank (output_ragged_rank - encoded_variant.dims()) must be "
                f">= 0, found output_ragged_rank: {output_ragged_rank}, encoded_variant.dims(): "
                f"{rank}, inferred input_ragged_rank: {input_ragged_rank}"
            )
    if rank != output_ragged_rank - input_ragged_rank:
        fail(
            "encoded_ragged.rank must be equal to output_ragged_rank - input_ragged_rank, found "
            f"{rank} and {output_ragged_rank} - {input_ragged_rank}"
        )
    parts = [_checked(v, input_ragged_rank, Tvalues, Tsplits) for v in encoded_ragged.reshape(-1)]
    kind: Any = Tsplits.numpy_dtype
    if not rank:
        return [*(np.asarray(level, kind) for level in parts[0].splits), parts[0].values]
    outer = [
        (np.arange(count + 1) * size).astype(kind) for count, size in _sizes(encoded_ragged.shape)
    ]
    lengths = [len(part.splits[0]) - 1 if part.splits else len(part.values) for part in parts]
    levels = [np.concatenate([[0], np.cumsum(lengths)]).astype(kind)]
    for i in range(input_ragged_rank):
        levels.append(_joined([part.splits[i] for part in parts], kind))
    values = (
        np.concatenate([part.values for part in parts])
        if parts
        else np.zeros(0, Tvalues.numpy_dtype)
    )
    return [*outer, *levels, values]


def _sizes(shape: tuple[int, ...]) -> list[tuple[int, int]]:
    """How many rows each dimension but the last has in all, and how long they are."""
    counts = [int(np.prod(shape[:i])) for i in range(1, len(shape))]
    return list(zip(counts, shape[1:]))


def _joined(splits: list[Array], kind: Any) -> Array:
    lengths = [np.diff(level) for level in splits]
    return np.concatenate([[0], np.cumsum(np.concatenate(lengths))]).astype(kind)


def _checked(value: Any, ragged_rank: int, dtype: DType, splits_dtype: DType) -> RaggedValue:
    if not isinstance(value, RaggedValue):
        fail("Input Variant element does not hold a ragged tensor")
    if len(value.splits) != ragged_rank:
        fail(
            f"Encoded input RaggedTensorVariant has ragged_rank={len(value.splits)}.  Expected: "
            f"ragged_rank={ragged_rank}"
        )
    if value.values.dtype != dtype.numpy_dtype:
        fail(f"Expected values Tensor dtype: {proto_name(dtype)}, found: {value.values.dtype}")
    for level in value.splits:
        if level.dtype != splits_dtype.numpy_dtype:
            wanted = proto_name(splits_dtype)
            fail(f"Expected row_splits Tensor dtype: {wanted}, found: {level.dtype}")
    return value


def shape_to_variant(c: shapes.ShapeContext) -> Any:
    if not c.attrs["batched_input"]:
        return ()
    splits = c.shape("rt_nested_splits")[0]
    rows = splits[0] if splits else None
    return (None if rows is None else rows - 1,)


def shape_from_variant(c: shapes.ShapeContext) -> Any:
    return [(None,)] * c.attrs["output_ragged_rank"] + [None]


register_op(
    "RaggedTensorToVariant",
    inputs="rt_nested_splits: RAGGED_RANK * Tsplits, rt_dense_values: Tvalues",
    outputs="encoded_ragged: variant",
    attrs="RAGGED_RANK: int >= 1, Tvalues: type, Tsplits: {int32, int64}, batched_input: bool",
    shape=shape_to_variant,
    kernel=kernel_to_variant,
    gradient=NOT_DIFFERENTIABLE,
    runs_on=RunsOn.HOST,
)

register_op(
    "RaggedTensorFromVariant",
    inputs="encoded_ragged: variant",
    outputs="output_nested_splits: output_ragged_rank * Tsplits, output_dense_values: Tvalues",
    attrs="input_ragged_rank: int >= -1, output_ragged_rank: int >= 1, Tvalues: type, "
    "Tsplits: {int32, int64}",
    shape=shape_from_variant,
    kernel=kernel_from_variant,
    runs_on=RunsOn.HOST,
)
