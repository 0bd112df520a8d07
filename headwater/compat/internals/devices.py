"""device_lib: the devices of this machine."""

from __future__ import annotations

from typing import Any

from headwater.compat.internals import internal
from headwater.engine.devices import Device, local_devices
from headwater.graph import device as graph_device
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
    name: str, device_type: str, memory_limit_bytes: int, incarnation: int
) -> Device:
    """Returns what `Session.list_devices` tells of a device."""
    name = graph_device.canonical_name(name)
    return Device(name, device_type, memory_limit_bytes, incarnation)


for _name in ("canonical_name", "check_valid", "merge_device"):
    internal(f"framework.device.{_name}")(getattr(graph_device, _name))
