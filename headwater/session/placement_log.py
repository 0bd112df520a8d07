"""Prints the devices of ops, for `ConfigProto.log_device_placement`."""

from __future__ import annotations

import sys

from headwater.engine.analysis.placement import place
from headwater.engine.devices import Device
from headwater.graph import Operation


def write(ops: list[Operation], devices: list[Device]) -> None:
    """Writes the accelerators and the device of each op to standard output.

    Args:
        ops: the ops, in the order of their creation.
        devices: the devices of the session.
    """
    accelerators = [device for device in devices if device.device_type != "CPU"]
    lines = ["Device mapping:" if accelerators else "Device mapping: no known devices."]
    lines += [f"{device.name} -> device: {device.device_type}" for device in accelerators]
    placed = place(ops, devices)
    lines += [f"{op.name}: ({op.type}): {placed[op].name}" for op in ops]
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()
