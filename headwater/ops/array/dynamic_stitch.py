"""Tensors put together from slices at given positions: DynamicStitch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    Operation,
    RunsOn,
    Sample,
    Tensor,
    build,
    constant_value,
    export,
    register_op,
    shapes,
)
from headwater.ops.array.concatenation import concatenated


def shape_dynamic_stitch(c: shapes.ShapeContext) -> Shape:
    rest: Any = None
    for indices, data in zip(c.shape("indices"), c.shape("data")):
        if indices is None or data is None:
            continue
        if len(data) < len(indices):
            c.fail(f"Shape must be at least rank {len(indices)} but is rank {len(data)}")
        for x, y in zip(data, indices):
            c.merge_dims(x, y)
        rest = c.merge(rest, data[len(indices) :])
    if rest is None:
        return None
    values = [constant_value(tensor) for tensor in c.inputs[: c.attr("N")]]
    if any(value is None for value in values):
        return (None, *rest)
    largest = max((int(v.max()) for v in values if v is not None and v.size), default=0)
    return (largest + 1, *rest)


def _check(indices: list[np.ndarray], data: list[Any]) -> None:
    rest = tuple(data[0].shape[indices[0].ndim :])
    for i, (places, values) in enumerate(zip(indices, data)):
        shown = shapes.show(tuple(values.shape))
        if tuple(values.shape[: places.ndim]) != places.shape:
            fail(
                f"data[{i}].shape = {shown} does not start with indices[{i}].shape = "
                f"{shapes.show(places.shape)}"
            )
        if tuple(values.shape[places.ndim :]) != rest:
            fail(
                f"Need data[0].shape[{indices[0].ndim}:] = data[{i}].shape[{places.ndim}:], got "
                f"data[0].shape = {shapes.show(tuple(data[0].shape))}, data[{i}].shape = {shown}, "
                f"indices[0].shape = {shapes.show(indices[0].shape)}, indices[{i}].shape = "
                f"{shapes.show(places.shape)}"
            )
        wrong = np.argwhere(places < 0)
        if len(wrong):
            where = f"[{','.join(map(str, wrong[0]))}]" if places.ndim else ""
            fail(f"indices{where} is out of range")


def kernel_dynamic_stitch(xp: ArrayModule, indices: list[np.ndarray], data: list[Any]) -> Array:
    _check(indices, data)
    rest = tuple(data[0].shape[indices[0].ndim :])
    size = max((int(places.max()) + 1 for places in indices if places.size), default=0)
    if xp is np:
        empty = b"" if data[0].dtype == object else 0
        result = np.full((size, *rest), empty, data[0].dtype)
        for places, values in zip(indices, data):
            result[places.ravel()] = values.reshape(places.size, *rest)
        return result
    rows = concatenated(xp, [v.reshape(p.size, *rest) for p, v in zip(indices, data)], 0)
    places = np.concatenate([p.ravel() for p in indices])
    # The last slice for each position wins; positions without one stay zero.
    source = np.full(size, -1)
    source[places] = np.arange(places.size)
    filled = (source >= 0).reshape(-1, *[1] * len(rest))
    return xp.where(filled, rows[np.maximum(source, 0)], xp.zeros((), rows.dtype))


def gradient_dynamic_stitch(op: Operation, grad: Tensor) -> list[Tensor | None]:
    indices = op.inputs[: op._attrs["N"]]
    return [*[None] * len(indices), *[build.GatherV2(grad, places, 0) for places in indices]]


def samples_dynamic_stitch() -> Iterator[Sample]:
    rows = [np.array([[1.0], [3.0]], np.float32), np.array([2.0], np.float32)]
    yield Sample([np.array([0, 2], np.int32), np.array(1, np.int32)], rows)
    yield Sample(
        [np.array([[3, 0]], np.int32), np.array([1, 2], np.int32)],
        [np.array([[1, 2]], np.int64), np.array([3, 4], np.int64)],
    )
    # Where slices collide, the gradient goes to all of them.
    yield Sample(
        [np.array([0, 1], np.int32), np.array([1], np.int32)],
        [np.array([1.0, 3.0], np.float32), np.array([2.0], np.float32)],
        gradient=(),
    )


def reference_dynamic_stitch(indices: list[np.ndarray], data: list[np.ndarray]) -> np.ndarray:
    rows: dict[int, Any] = {}
    for places, values in zip(indices, data):
        for position in np.ndindex(places.shape):
            rows[int(places[position])] = values[position]
    return np.array([rows[i] for i in range(max(rows) + 1)], data[0].dtype)


def _register_stitch(name: str) -> None:
    register_op(
        name,
        inputs="indices: N * int32, data: N * T",
        outputs="merged: T",
        attrs="N: int >= 1, T: type",
        shape=shape_dynamic_stitch,
        kernel=kernel_dynamic_stitch,
        gradient=gradient_dynamic_stitch,
        concrete=("indices",),
        runs_on=RunsOn.HOST_UNLESS_KNOWN,
        reference=reference_dynamic_stitch,
        samples=samples_dynamic_stitch,
    )


_register_stitch("DynamicStitch")
_register_stitch("ParallelDynamicStitch")


@export("dynamic_stitch")
def dynamic_stitch(
    indices: Sequence[TensorLike], data: Sequence[TensorLike], name: str | None = None
) -> Tensor:
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


@export("parallel_dynamic_stitch")
def parallel_dynamic_stitch(
    indices: TensorLike, data: TensorLike, name: str | None = None
) -> Tensor:
    """`tf.dynamic_stitch` for slices with distinct indices.

    Args:
        indices: a list of int32 tensors.
        data: a list of as many tensors of one type.
        name: the name of the node.

    Returns:
        A tensor with one more row than the largest index says.
    """
    return build.ParallelDynamicStitch(indices, data, name=name)
