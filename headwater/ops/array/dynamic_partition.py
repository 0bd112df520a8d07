"""Partition of the rows of a tensor by index: DynamicPartition."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    Operation,
    Sample,
    Tensor,
    build,
    convert_to_tensor,
    export,
    register_op,
    shape_tensor,
    shapes,
)


def _merge_prefix(c: shapes.ShapeContext, whole: Shape, prefix: Shape) -> None:
    if whole is None or prefix is None:
        return
    if len(whole) < len(prefix):
        c.fail(f"Shape must be at least rank {len(prefix)} but is rank {len(whole)}")
    for x, y in zip(whole, prefix):
        c.merge_dims(x, y)


def shape_dynamic_partition(c: shapes.ShapeContext) -> list[Shape]:
    data, partitions, count = c.shape("data"), c.shape("partitions"), c.attr("num_partitions")
    _merge_prefix(c, data, partitions)
    if data is None or partitions is None:
        return [None] * count
    return [(None, *data[len(partitions) :])] * count


def kernel_dynamic_partition(
    xp: ArrayModule, data: np.ndarray, partitions: np.ndarray, *, num_partitions: int
) -> list[Array]:
    rank = partitions.ndim
    if data.shape[:rank] != partitions.shape:
        raise errors.InvalidArgumentError(
            None,
            None,
            "data.shape must start with partitions.shape, got data.shape = "
            f"{shapes.show(data.shape)}, partitions.shape = {shapes.show(partitions.shape)}",
        )
    wrong = np.argwhere((partitions < 0) | (partitions >= num_partitions))
    if len(wrong):
        where = f"[{','.join(map(str, wrong[0]))}]" if rank else ""
        raise errors.InvalidArgumentError(
            None,
            None,
            f"partitions{where} = {partitions[tuple(wrong[0])]} is not in [0, {num_partitions})",
        )
    return [data[partitions == i] for i in range(num_partitions)]


def gradient_dynamic_partition(op: Operation, *grads: Tensor) -> tuple[Tensor, Any]:
    data, partitions = op.inputs
    sizes = shape_tensor(partitions)
    count = build.Prod(sizes, convert_to_tensor([0]))
    positions = build.Reshape(build.Range(0, count, 1, name="range"), sizes)
    parts = build.DynamicPartition(
        positions, partitions, num_partitions=op._attrs["num_partitions"]
    )
    whole = build.DynamicStitch(parts, list(grads))
    return build.Reshape(whole, shape_tensor(data)), None


def samples_dynamic_partition() -> Iterator[Sample]:
    x = np.arange(6, dtype=np.float32).reshape(3, 2)
    yield Sample(x, np.array([0, 2, 0], np.int32), num_partitions=3)
    yield Sample(x, np.array([[0, 1], [1, 1], [0, 0]], np.int32), num_partitions=2)
    yield Sample(np.array([1, 2], np.int64), np.array([1, 1], np.int32), num_partitions=2)


def reference_dynamic_partition(
    data: np.ndarray, partitions: np.ndarray, *, num_partitions: int
) -> list[np.ndarray]:
    rest = data.shape[partitions.ndim :]
    rows: list[list[Any]] = [[] for _ in range(num_partitions)]
    for position in np.ndindex(partitions.shape):
        rows[partitions[position]].append(data[position])
    return [np.array(part, data.dtype).reshape(len(part), *rest) for part in rows]


register_op(
    "DynamicPartition",
    inputs="data: T, partitions: int32",
    outputs="outputs: num_partitions * T",
    attrs="num_partitions: int >= 1, T: type",
    shape=shape_dynamic_partition,
    kernel=kernel_dynamic_partition,
    gradient=gradient_dynamic_partition,
    reference=reference_dynamic_partition,
    samples=samples_dynamic_partition,
    dynamic_shape=True,
)


@export("dynamic_partition")
def dynamic_partition(
    data: TensorLike, partitions: TensorLike, num_partitions: int, name: str | None = None
) -> list[Tensor]:
    """Distributes the rows of a tensor to several tensors.

    Args:
        data: a tensor.
        partitions: for each row the number of the tensor that takes it.
        num_partitions: how many tensors there are.
        name: the name of the node.

    Returns:
        A list of tensors.

    Raises:
        InvalidArgumentError: from `Session.run` if a number is out of range.
    """
    return build.DynamicPartition(data, partitions, num_partitions=num_partitions, name=name)
