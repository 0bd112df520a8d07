"""device_lib: the devices of this machine."""

from __future__ import annotations

from typing import Any

from headwater.compat.internals import internal
from headwater.engine.devices import local_devices
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
