"""Tensors put together from slices at given positions: DynamicStitch."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base import errors
from headwater.graph import (
    IndexedSlices,
    Operation,
    Sample,
    Tensor,
    build,
    constant_value,
    export,
    register_op,
    shape_tensor,
    shapes,
)


def _invalid(text: str) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError(None, None, text)


def kernel_dynamic_stitch(xp: Any, indices: list[np.ndarray], data: list[Any]) -> Any:
    for i, (index, part) in enumerate(zip(indices, data)):
        if tuple(part.shape[: index.ndim]) != index.shape:
            raise _invalid(
                f"data[{i}].shape = {shapes.show(part.shape)} does not start with "
                f"indices[{i}].shape = {shapes.show(index.shape)}"
            )
    suffix = tuple(data[0].shape[indices[0].ndim :])
    rows = [part.reshape(index.size, *suffix) for index, part in zip(indices, data)]
    positions = np.concatenate([index.reshape(-1) for index in indices])
    if positions.size and positions.min() < 0:
        raise _invalid(f"indices[{int(np.argmin(positions >= 0))}] is out of range")
    count = int(positions.max()) + 1 if positions.size else 0
    stacked = xp.concatenate(rows)
    # For each row of the result the slice that comes last; rows without one are zeros.
    source = np.full(count, -1, np.int64)
    source[positions] = np.arange(positions.size)
    result = stacked[np.maximum(source, 0)] if positions.size else stacked
    missing = source < 0
    if not missing.any():
        return result
    column = missing.reshape(-1, *(1,) * len(suffix))
    return xp.where(column, stacked.dtype.type(), result)


def reference_dynamic_stitch(indices: list[np.ndarray], data: list[np.ndarray]) -> np.ndarray:
    count = max(int(index.max()) for index in indices) + 1
    result = np.zeros((count, *data[0].shape[indices[0].ndim :]), data[0].dtype)
    for index, part in zip(indices, data):
        for position in np.ndindex(index.shape):
            result[index[position]] = part[position]
    return result


def shape_dynamic_stitch(c: shapes.ShapeContext) -> Any:
    count = c.attr("N")
    indices, data = c.inputs[:count], c.inputs[count:]
    suffix: Any = None
    largest: int | None = -1
    for i in range(count):
        value = constant_value(indices[i])
        if value is None:
            largest = None
        elif largest is not None and value.size:
            largest = max(largest, int(value.max()))
        prefix, shape = indices[i]._shape, data[i]._shape
        if prefix is None or shape is None:
            continue
        for x, y in zip(shape, prefix):
            c.merge_dims(x, y)
        suffix = c.merge(suffix, shape[len(prefix) :])
    if suffix is None:
        return None
    return (None if largest is None else largest + 1, *suffix)


def gradient_dynamic_stitch(op: Operation, grad: Any) -> Any:
    count = len(op.inputs) // 2
    if isinstance(grad, IndexedSlices):
        rows = shape_tensor(op.outputs[0])[0]
        grad = build.UnsortedSegmentSum(grad.values, grad.indices, rows)
    parts = [build.GatherV2(grad, index, 0) for index in op.inputs[:count]]
    return [None] * count + parts


def samples_dynamic_stitch() -> Any:
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    yield Sample([np.array([2, 0], np.int32), np.int32(1)], [x[:2], x[3]])
    # Where slices collide, the gradient goes to all of them.
    yield Sample(
        [np.array([[0, 3], [1, 2]], np.int32), np.array([1], np.int32)],
        [x.reshape(2, 2, 3), x[:1]],
        gradient=(),
    )
    yield Sample([np.array([0, 2], np.int32)], [np.array([5, 6], np.int64)])


for _name in ("DynamicStitch", "ParallelDynamicStitch"):
    register_op(
        _name,
        inputs="indices: N * int32, data: N * T",
        outputs="merged: T",
        attrs="N: int >= 1, T: type",
        shape=shape_dynamic_stitch,
        kernel=kernel_dynamic_stitch,
        gradient=gradient_dynamic_stitch,
        concrete=("indices",),
        reference=reference_dynamic_stitch,
        samples=samples_dynamic_stitch,
    )


@export("dynamic_stitch")
def dynamic_stitch(indices: Any, data: Any, name: str | None = None) -> Tensor:
    """Puts slices together: ``result[indices[m][i, ...]] = data[m][i, ...]``.

    Args:
        indices: a list of int32 tensors.
        data: a list of as many tensors of one type; the shape of each begins with that of its
            indices, and what follows is the same for all.
        name: the name of the node.

    Returns:
        A tensor with one more row than the largest index says; a later slice wins over an earlier
        one with the same index.
    """
    return build.DynamicStitch(indices, data, name=name)
