"""device_lib, device and device_util: the devices of this machine, and their names."""

from __future__ import annotations

from typing import Any

from headwater.compat.internals import internal
from headwater.distributed import device_setter
from headwater.engine.devices import Device, local_devices
from headwater.graph import device as graph_device
from headwater.graph import get_default_graph
from headwater.protos.lazy import device_attributes_pb2


@internal("client.device_lib.list_local_devices")
def list_local_devices(session_config: Any = None) -> list[Any]:
    """Returns a DeviceAttributes proto of each device; its name is "/device:CPU:0", for example."""
    return [
        device_attributes_pb2.DeviceAttributes(
            name=device.name[device.name.index("/device:") :],
            device_type=device.device_type,
            memory_limit=device.memory_limit_bytes,
            incarnation=device.incarnation,
            locality={},
        )
        for device in local_devices(session_config)
    ]


@internal("client.session._DeviceAttributes")
def device_attributes(
    name: str, device_type: str, memory_limit_bytes: int, incarnation: int = 0
) -> Device:
    """Returns the device attributes that `Session.list_devices` reports."""
    name = graph_device.canonical_name(name)
    return Device(name, device_type, memory_limit_bytes, incarnation)


internal("training.device_setter.STANDARD_PS_OPS")(device_setter.STANDARD_PS_OPS)
internal("training.device_setter._RoundRobinStrategy")(device_setter.in_turn)
for _name in ("canonical_name", "check_valid", "merge_device"):
    internal(f"framework.device.{_name}")(getattr(graph_device, _name))


class _AnyOperation:
    """A placeholder op of any type, passed to device functions to find the current device."""

    type = "AnyOp"
    name = ""

    def __init__(self) -> None:
        self._device = ""

    @property
    def device(self) -> str:
        return self._device

    @property
    def node_def(self) -> _AnyOperation:
        return self


@internal("distribute.device_util.current", "training.device_util.current")
def current() -> str:
    """Returns the device that an op made now would ask for; "" for none."""
    op: Any = _AnyOperation()
    get_default_graph()._apply_device_functions(op)
    return op.device


@internal("distribute.device_util.canonicalize", "training.device_util.canonicalize")
def canonicalize(d: str | None, default: str | None = None) -> str:
    """Returns a full device name.

    Args:
        d: a partial device name or None.
        default: what fills in its gaps; then come replica 0, task 0 and CPU:0.
    """
    spec = graph_device.DeviceSpec(replica=0, task=0, device_type="CPU", device_index=0)
    for name in (default, d):
        spec.merge_from(graph_device.DeviceSpec.from_string(name or ""))
    return spec.to_string()


@internal("distribute.device_util.resolve", "training.device_util.resolve")
def resolve(d: str) -> str:
    """Returns `canonicalize` of a name with the current device as the default."""
    return canonicalize(d, default=current())


@internal("distribute.device_util.get_host_for_device")
def get_host_for_device(device: str) -> str:
    """Returns the CPU of the task of a device."""
    spec = graph_device.DeviceSpec.from_string(device)
    spec.device_type, spec.device_index = "CPU", 0
    return spec.to_string()
