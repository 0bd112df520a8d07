"""Tensors of several devices as vectors, and the parts of vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base.tensor_shape import TensorShape
from headwater.graph import Tensor
from headwater.graph.default_graph import colocate_with
from headwater.graph.device import DeviceSpec
from headwater.ops.array.concat import concat
from headwater.ops.array.pad import pad
from headwater.ops.array.reshape import reshape
from headwater.ops.array.split import split

UnaryOp = Callable[[Tensor], Tensor]
BinaryOp = Callable[[Tensor, Tensor], Tensor]
NaryOp = Callable[[list[Tensor]], Tensor]


def flattened(tensors: Sequence[Tensor]) -> tuple[list[Tensor], TensorShape]:
    """Tensors as vectors on their devices, and their common shape.

    Args:
        tensors: tensors of one shape.

    Raises:
        ValueError: if there is none, or the shapes are unknown or differ.
    """
    if not tensors:
        raise ValueError("tensors cannot be empty")
    shape = tensors[0].shape
    for tensor in tensors:
        shape = shape.merge_with(tensor.shape)
    if not shape.is_fully_defined():
        raise ValueError("Tensors must have statically known shape.")
    if len(shape) == 1:
        return list(tensors), shape
    vectors = []
    for tensor in tensors:
        with colocate_with(tensor):
            vectors.append(reshape(tensor, [-1]))
    return vectors, shape


def reshaped(tensors: Sequence[Tensor], shape: TensorShape) -> list[Tensor]:
    """Vectors in the shape of the tensors that they were.

    Args:
        tensors: vectors.
        shape: the shape.
    """
    if len(shape) == 1:
        return list(tensors)
    found = []
    for tensor in tensors:
        with colocate_with(tensor):
            found.append(reshape(tensor, shape))
    return found


def padded_split(tensor: Tensor, pieces: int) -> tuple[list[Tensor], int]:
    """Equal parts of a vector, and how many zeros fill the last one.

    Args:
        tensor: a vector.
        pieces: the number of parts.

    Raises:
        ValueError: if it is no vector.
    """
    if len(tensor.shape) != 1:
        raise ValueError("input tensor must be 1D")
    missing = -tensor.shape[0].value % pieces
    with colocate_with(tensor):
        filled = pad(tensor, [[0, missing]]) if missing else tensor
        return list(split(filled, pieces)), missing


def uneven_split(tensor: Tensor, pieces: int) -> list[Tensor]:
    """Parts of a vector, the last of which may be shorter.

    Args:
        tensor: a vector.
        pieces: the number of parts.
    """
    length = tensor.shape[0].value
    size = -(-length // pieces)
    sizes = [max(0, min(size, length - i * size)) for i in range(pieces)]
    with colocate_with(tensor):
        return list(split(tensor, sizes))


def joined(parts: Sequence[Tensor], padding: int = 0) -> Tensor:
    """A vector of parts, without the zeros at its end.

    Args:
        parts: vectors.
        padding: how many elements at the end are left out.
    """
    whole = concat(list(parts), 0)
    return whole[: whole.shape[0].value - padding] if padding else whole


def by_worker(
    devices: Sequence[str], values: Sequence[Any]
) -> tuple[list[list[str]], list[list[Any]]]:
    """Devices and values of each task, in the order of the tasks.

    Args:
        devices: names of devices.
        values: a value of each device.

    Raises:
        AssertionError: if a device has no task.
    """
    devices_of: dict[int, list[str]] = {}
    values_of: dict[int, list[Any]] = {}
    for name, value in zip(devices, values, strict=True):
        task = DeviceSpec.from_string(name).task
        if task is None:
            raise AssertionError(f"failed to parse device {name}")
        devices_of.setdefault(task, []).append(name)
        values_of.setdefault(task, []).append(value)
    tasks = sorted(devices_of)
    return [devices_of[task] for task in tasks], [values_of[task] for task in tasks]
