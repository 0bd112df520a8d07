"""Sums, products, extrema and copies across devices."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from headwater.base.export import export
from headwater.graph import Operation, Tensor, build, group
from headwater.graph.default_graph import device

_numbers = itertools.count()


def check_device(tensor: Tensor, expected: str | None = None) -> None:
    """Checks that a tensor is placed.

    Args:
        tensor: the tensor.
        expected: the device that it must be on; None for any.

    Raises:
        ValueError: if it is not placed, or on another device.
    """
    if not tensor.device:
        raise ValueError("Device assignment required for nccl collective ops")
    if expected and expected != tensor.device:
        raise ValueError(f"Expected device {expected}, got {tensor.device}.")


def _all_reduced(reduction: str, tensors: Sequence[Tensor]) -> list[Tensor]:
    if not tensors:
        raise ValueError("Must pass >0 tensors to all reduce operations")
    shared_name = f"c{next(_numbers)}"
    results = []
    for tensor in tensors:
        check_device(tensor)
        with device(tensor.device):
            results.append(
                build.NcclAllReduce(
                    tensor,
                    reduction=reduction,
                    num_devices=len(tensors),
                    shared_name=shared_name,
                )
            )
    return results


@export("contrib.nccl.all_sum")
def all_sum(tensors: Sequence[Tensor]) -> list[Tensor]:
    """Adds up the tensors of several devices; all results are computed in the same run.

    Args:
        tensors: a tensor of each device, of one shape and type, placed there.

    Returns:
        The sum on each device.

    Raises:
        ValueError: if there are no tensors or one is not placed.

    Example:
        >>> with tf.device("/cpu:0"):
        ...     x = tf.constant([1.0, 2.0])
        >>> print(session.run(tf.contrib.nccl.all_sum([x, x])[0:2]))
        [array([2., 4.], dtype=float32), array([2., 4.], dtype=float32)]
    """
    return _all_reduced("sum", tensors)


@export("contrib.nccl.all_prod")
def all_prod(tensors: Sequence[Tensor]) -> list[Tensor]:
    """Multiplies the tensors of several devices; see `all_sum`.

    Args:
        tensors: a tensor of each device.

    Returns:
        The product on each device.
    """
    return _all_reduced("prod", tensors)


@export("contrib.nccl.all_min")
def all_min(tensors: Sequence[Tensor]) -> list[Tensor]:
    """Takes the least elements of the tensors of several devices; see `all_sum`.

    Args:
        tensors: a tensor of each device.

    Returns:
        The minimum on each device.
    """
    return _all_reduced("min", tensors)


@export("contrib.nccl.all_max")
def all_max(tensors: Sequence[Tensor]) -> list[Tensor]:
    """Takes the largest elements of the tensors of several devices; see `all_sum`.

    Args:
        tensors: a tensor of each device.

    Returns:
        The maximum on each device.
    """
    return _all_reduced("max", tensors)


@export("contrib.nccl.reduce_sum")
def reduce_sum(tensors: Sequence[Tensor]) -> Tensor:
    """Adds up the tensors of several devices on the current one.

    Args:
        tensors: a tensor of each device; one of them must be on the current device.

    Returns:
        The sum.

    Raises:
        ValueError: if there are no tensors, one is not placed, or none is on the current device.
    """
    if not tensors:
        raise ValueError("Must pass >0 tensors to reduce operations")
    for tensor in tensors:
        check_device(tensor)
    result: Tensor = build.NcclReduce(list(tensors), reduction="sum")
    if all(tensor.device != result.device for tensor in tensors):
        raise ValueError("One input tensor must be assigned to current device")
    return result


@export("contrib.nccl.broadcast")
def broadcast(
    tensor: Tensor, dst_devices: Sequence[str] | None = None
) -> Tensor | tuple[Operation, list[Tensor]]:
    """Sends a tensor to all devices that use it.

    Args:
        tensor: the tensor, placed.
        dst_devices: the devices, for the calls of the first releases.

    Returns:
        A tensor; with `dst_devices` an operation and the tensors on these devices.

    Raises:
        ValueError: if the tensor is not placed.
    """
    check_device(tensor)
    with device(tensor.device):
        sent: Tensor = build.NcclBroadcast(tensor, shape=tensor.shape)
    if dst_devices is None:
        return sent
    received = []
    for name in dst_devices:
        with device(name):
            received.append(build.Identity(sent))
    return group(sent), received
