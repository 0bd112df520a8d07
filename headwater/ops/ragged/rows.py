"""Rows of different lengths: RaggedRange, RaggedGather."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from headwater.base.checks import fail
from headwater.base.dtypes import DType
from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    IndexedSlices,
    Operation,
    RunsOn,
    Sample,
    build,
    register_op,
    shape_tensor,
    shapes,
)
from headwater.ops.ragged.splits import check_splits, gathered_rows


def kernel_ragged_range(
    xp: ArrayModule,
    starts: np.ndarray,
    limits: np.ndarray,
    deltas: np.ndarray,
    *,
    T: DType,
    Tsplits: DType,
) -> tuple[Any, ...]:
    for name, x in (("starts", starts), ("limits", limits), ("deltas", deltas)):
        if x.ndim > 1:
            fail(f"{name} must be a scalar or vector")
    sizes = {len(x) for x in (starts, limits, deltas) if x.ndim}
    if len(sizes) > 1:
        fail("starts, limits, and deltas must have the same shape")
    if np.any(deltas == 0):
        fail("Requires delta != 0")
    count = sizes.pop() if sizes else 1
    first, last, step = (np.broadcast_to(x, (count,)) for x in (starts, limits, deltas))
    wide = np.float64 if first.dtype.kind not in "iu" else np.int64
    spans: Array
    steps: Array
    spans, steps = last.astype(wide) - first.astype(wide), step.astype(wide)
    if wide is np.int64:
        lengths = np.where(spans * np.sign(steps) > 0, -(-spans // steps), 0)
    else:
        lengths = np.maximum(np.ceil(spans / steps), 0).astype(np.int64)
    splits = np.concatenate([[0], np.cumsum(lengths)]).astype(Tsplits.numpy_dtype)
    within = np.arange(splits[-1]) - np.repeat(splits[:-1], lengths)
    values = np.repeat(first, lengths) + np.repeat(step, lengths) * within.astype(first.dtype)
    return [splits], values.astype(T.numpy_dtype)


def shape_ragged_range(c: shapes.ShapeContext) -> list[Shape]:
    sources = [c.shape(name) for name in ("starts", "limits", "deltas")]
    for shape in sources:
        if shape is not None and len(shape) > 1:
            c.fail(f"Shape must be at most rank 1 but is rank {len(shape)}")
    lengths = [shape[0] for shape in reversed(sources) if shape]
    count: int | None = None
    for length in lengths:
        count = c.merge_dims(count, length)
    if not lengths and None not in sources:
        count = 1
    return [(None if count is None else count + 1,), (None,)]


def kernel_ragged_gather(
    xp: ArrayModule, splits: list[np.ndarray], values: np.ndarray, indices: np.ndarray
) -> tuple[Any, ...]:
    flat = indices.ravel()
    for part in splits:
        check_splits(part)
    count = len(splits[0]) - 1
    outside = (flat < 0) | (flat >= count)
    if outside.any():
        at = int(np.flatnonzero(outside)[0])
        place = ",".join(map(str, np.unravel_index(at, indices.shape)))
        fail(f"indices[{place}] = {flat[at]} is not in [0, {count})")
    nested: list[np.ndarray] = []
    # Rows of indices of more than one dimension have equal lengths.
    total = indices.shape[0] if indices.ndim else 1
    for size in indices.shape[1:]:
        nested.append(np.arange(total + 1, dtype=splits[0].dtype) * size)
        total *= size
    rows = flat
    for part in splits:
        made, rows = gathered_rows(part, rows)
        nested.append(made)
    return nested, values[rows]


def shape_ragged_gather(c: shapes.ShapeContext) -> list[Shape]:
    values = c.shape("params_dense_values")
    dense = None if values is None else (None, *values[1:])
    return [*[(None,)] * c.attr("OUTPUT_RAGGED_RANK"), dense]


def gradient_ragged_gather(op: Operation, *grads: Any) -> list[IndexedSlices | None]:
    """Scatter-adds the gradients of gathered values to the positions that they came from."""
    splits = op.inputs[:-2]
    values, indices = op.inputs[-2:]
    # Gathering positions instead of values gives the position of each value.
    places = build.Range(0, shape_tensor(values)[0], 1)
    gathered = build.RaggedGather(
        splits, places, indices, OUTPUT_RAGGED_RANK=op.get_attr("OUTPUT_RAGGED_RANK")
    )
    slices = IndexedSlices(grads[-1], gathered[-1], shape_tensor(values))
    return [*[None] * len(splits), slices, None]


def samples_ragged_range() -> Iterator[Sample]:
    starts, limits = np.array([0, 5, 8], np.int32), np.array([3, 5, 12], np.int32)
    yield Sample(starts, limits, np.int32(1))
    yield Sample(limits, starts, np.array([-2, 1, -1], np.int32), Tsplits="int32")
    yield Sample(np.float32(0), np.float32(1), np.float32(0.25))


def samples_ragged_gather() -> Iterator[Sample]:
    splits = np.array([0, 2, 2, 5])
    values = np.arange(5, dtype=np.float32)
    yield Sample([splits], values, np.array([2, 0, 2]), OUTPUT_RAGGED_RANK=1, gradient=())


register_op(
    "RaggedRange",
    inputs="starts: T, limits: T, deltas: T",
    outputs="rt_nested_splits: Tsplits, rt_dense_values: T",
    attrs="T: {bfloat16, float, double, int32, int64} = int32, Tsplits: {int32, int64} = int64",
    shape=shape_ragged_range,
    kernel=lambda xp, *inputs, T, Tsplits: _flat(
        kernel_ragged_range(xp, *inputs, T=T, Tsplits=Tsplits)
    ),
    gradient=NOT_DIFFERENTIABLE,
    samples=samples_ragged_range,
    runs_on=RunsOn.HOST,
    dynamic_shape=True,
)
register_op(
    "RaggedGather",
    inputs="params_nested_splits: PARAMS_RAGGED_RANK * Tsplits, params_dense_values: Tvalues, "
    "indices: Tindices",
    outputs="output_nested_splits: OUTPUT_RAGGED_RANK * Tsplits, output_dense_values: Tvalues",
    attrs="Tvalues: type, Tindices: {int32, int64}, Tsplits: {int32, int64} = int64, "
    "PARAMS_RAGGED_RANK: int >= 1, OUTPUT_RAGGED_RANK: int >= 0",
    shape=shape_ragged_gather,
    kernel=lambda xp, *inputs: _flat(kernel_ragged_gather(xp, *inputs)),
    gradient=gradient_ragged_gather,
    samples=samples_ragged_gather,
    runs_on=RunsOn.HOST,
    dynamic_shape=True,
)


def _flat(parts: Sequence[Any]) -> tuple[Any, ...]:
    splits, values = parts
    return (*splits, values)
