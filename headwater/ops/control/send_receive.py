"""The nodes at the ends of an edge between two tasks. The runtime makes them, never a program."""

from __future__ import annotations

from typing import Any

from headwater.base.rendezvous import current_rendezvous, edge_of
from headwater.base.typing import Array, ArrayModule
from headwater.base.waiting import Waiting
from headwater.graph import RunsOn, ShapeContext, register_op

_ATTRS = (
    "tensor_name: string, send_device: string, send_device_incarnation: int, "
    "recv_device: string, client_terminated: bool = False"
)


def shape_of_nothing(c: ShapeContext) -> list[Any]:
    """There are no outputs."""
    return []


def shape_unknown(c: ShapeContext) -> Any:
    """The sender knows it."""
    return None


def kernel_send(
    xp: ArrayModule,
    tensor: Array,
    *,
    tensor_name: str,
    send_device: str,
    send_device_incarnation: int,
    recv_device: str,
) -> tuple[Any, ...]:
    edge = edge_of(tensor_name, send_device, send_device_incarnation, recv_device)
    current_rendezvous().send(edge, tensor)
    return ()


def kernel_recv(
    xp: ArrayModule,
    *,
    tensor_name: str,
    send_device: str,
    send_device_incarnation: int,
    recv_device: str,
) -> Waiting:
    edge = edge_of(tensor_name, send_device, send_device_incarnation, recv_device)
    return current_rendezvous().receive(edge)


def _register_send(name: str) -> None:
    register_op(
        name,
        inputs="tensor: T",
        attrs=f"T: type, {_ATTRS}",
        shape=shape_of_nothing,
        kernel=kernel_send,
        runs_on=RunsOn.HOST,
        exchanges=True,
        joins=True,
        stateful=True,
    )


def _register_recv(name: str) -> None:
    register_op(
        name,
        outputs="tensor: tensor_type",
        attrs=f"tensor_type: type, {_ATTRS}",
        shape=shape_unknown,
        kernel=kernel_recv,
        runs_on=RunsOn.HOST,
        exchanges=True,
        stateful=True,
    )


_register_send("_Send")
_register_recv("_Recv")
# For values that are in the memory of the host, whatever the devices are.
_register_send("_HostSend")
_register_recv("_HostRecv")
