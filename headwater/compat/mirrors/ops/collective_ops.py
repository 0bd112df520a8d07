"""tensorflow.python.ops.collective_ops: sums, gathered and sent tensors of several devices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike
from headwater.graph import Tensor, build

__all__ = ["all_gather", "all_reduce", "broadcast_recv", "broadcast_send"]


def _check(function: str, group_size: int, t: Tensor | None = None) -> None:
    if t is not None and not t.device:
        raise ValueError("Device assignment required for collective ops")
    if group_size <= 1:
        raise ValueError(f"Parameter group_size to {function} must be at least 2.")


def all_reduce(
    t: Tensor,
    group_size: int,
    group_key: int,
    instance_key: int,
    merge_op: str,
    final_op: str,
    subdiv_offsets: Sequence[int] = (0,),
    communication_hint: str = "auto",
) -> Tensor:
    """Combines the tensors of all devices of a group, element by element.

    Args:
      t: the tensor of this device, placed on it.
      group_size: the number of devices.
      group_key: the number of the group.
      instance_key: the number that the calls of all devices share.
      merge_op: what makes one of two: "Add", "Mul", "Max" or "Min".
      final_op: what is done at the end: "Id", or "Div" by the number of devices.
      subdiv_offsets: how the work may be divided.
      communication_hint: which way of communication is preferred.

    Returns:
      A tensor like `t`.

    Raises:
      ValueError: if `t` is not placed or the group has fewer than two devices.
    """
    _check("all_reduce", group_size, t)
    return build.CollectiveReduce(
        t,
        group_size=group_size,
        group_key=group_key,
        instance_key=instance_key,
        merge_op=merge_op,
        final_op=final_op,
        subdiv_offsets=list(subdiv_offsets),
        communication_hint=communication_hint.lower(),
    )


def all_gather(
    t: Tensor, group_size: int, group_key: int, instance_key: int, communication_hint: str = "auto"
) -> Tensor:
    """Joins the tensors of all devices of a group along the first dimension.

    Args:
      t: the tensor of this device, placed on it.
      group_size: the number of devices.
      group_key: the number of the group.
      instance_key: the number that the calls of all devices share.
      communication_hint: which way of communication is preferred.

    Returns:
      A tensor of `group_size` times as many rows.

    Raises:
      ValueError: if `t` is not placed or the group has fewer than two devices.
    """
    _check("all_gather", group_size, t)
    return build.CollectiveGather(
        t,
        group_size=group_size,
        group_key=group_key,
        instance_key=instance_key,
        shape=[0],
        communication_hint=communication_hint.lower(),
    )


def broadcast_send(
    t: Tensor,
    shape: Any,
    dtype: DTypeLike,
    group_size: int,
    group_key: int,
    instance_key: int,
    communication_hint: str = "auto",
) -> Tensor:
    """Sends a tensor to the other devices of a group.

    Args:
      t: the tensor, placed on this device.
      shape: its shape.
      dtype: its type.
      group_size: the number of devices.
      group_key: the number of the group.
      instance_key: the number that the calls of all devices share.
      communication_hint: which way of communication is preferred.

    Returns:
      The tensor.

    Raises:
      ValueError: if `t` is not as declared or not placed, or the group has fewer than two devices.
    """
    _check("broadcast_send", group_size, t)
    if t.get_shape() != TensorShape(shape):
        raise ValueError("Shape of broadcast_send tensor not equal to delcared shape")
    if t.dtype is not dtypes.as_dtype(dtype):
        raise ValueError("Type of broadcast_send tensor not equal to declared type")
    return build.CollectiveBcastSend(
        t,
        group_size=group_size,
        group_key=group_key,
        instance_key=instance_key,
        shape=TensorShape(shape).as_list(),
        communication_hint=communication_hint.lower(),
    )


def broadcast_recv(
    shape: Any,
    dtype: DTypeLike,
    group_size: int,
    group_key: int,
    instance_key: int,
    communication_hint: str = "auto",
) -> Tensor:
    """Receives the tensor that another device of a group sends.

    Args:
      shape: the shape of the tensor.
      dtype: its type.
      group_size: the number of devices.
      group_key: the number of the group.
      instance_key: the number that the calls of all devices share.
      communication_hint: which way of communication is preferred.

    Returns:
      The tensor.

    Raises:
      ValueError: if the group has fewer than two devices.
    """
    _check("broadcast_send", group_size)
    return build.CollectiveBcastRecv(
        T=dtypes.as_dtype(dtype),
        group_size=group_size,
        group_key=group_key,
        instance_key=instance_key,
        shape=TensorShape(shape).as_list(),
        communication_hint=communication_hint.lower(),
    )
