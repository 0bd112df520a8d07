"""The devices of a session, and which of them an op asks for."""

from __future__ import annotations

import functools
import importlib.util
import os
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from headwater.base import errors, process_group
from headwater.base.lazy import jax
from headwater.graph import Operation
from headwater.graph.device import DeviceSpec
from headwater.graph.traceback import defined_at

LOCAL_TASK = "/job:localhost/replica:0/task:0"
_CPU_MEMORY = 256 << 20
_SEVERAL_CPUS = "xla_force_host_platform_device_count"
# JAX is loaded to look for accelerators only where a plugin for one is installed.
_ACCELERATOR_PLUGINS = ("jax_cuda12_plugin", "jax_cuda13_plugin", "jax_rocm7_plugin", "libtpu")


@dataclass(frozen=True)
class Device:
    """A device that ops can run on; what `Session.list_devices` gives.

    Attributes:
        name: the full name, ``/job:localhost/replica:0/task:0/device:CPU:0``.
        device_type: ``CPU``, ``GPU`` or ``TPU``.
        memory_limit_bytes: how much memory the device has for tensors.
        incarnation: a random number for this life of the device.
    """

    name: str
    device_type: str
    memory_limit_bytes: int
    incarnation: int

    def __repr__(self) -> str:
        return (
            f"_DeviceAttributes({self.name}, {self.device_type}, {self.memory_limit_bytes}, "
            f"{self.incarnation})"
        )


def local_devices(config: Any = None, task: str = LOCAL_TASK) -> list[Device]:
    """The devices of this process.

    Args:
        config: a ConfigProto; its ``device_count`` says how many CPU devices there are (they share
            the cores) and limits the number of accelerators.
        task: the task that their names begin with.
    """
    counts = dict(config.device_count) if config is not None else {}
    found = [("CPU", i, _CPU_MEMORY) for i in range(max(1, counts.get("CPU", 1)))]
    found += _accelerators(counts)
    return [
        Device(f"{task}/device:{kind}:{index}", kind, memory, secrets.randbits(63))
        for kind, index, memory in found
    ]


@functools.cache
def may_have_accelerators() -> bool:
    """Whether JAX may find other devices than CPUs; loads nothing."""
    # The search takes most of the time of making a session.
    return any(importlib.util.find_spec(name) for name in _ACCELERATOR_PLUGINS)


def _accelerators(counts: dict[str, int]) -> list[tuple[str, int, int]]:
    if not may_have_accelerators():
        return []
    result: list[tuple[str, int, int]] = []
    for device in jax.local_devices():
        kind = {"gpu": "GPU", "cuda": "GPU", "rocm": "GPU", "tpu": "TPU"}.get(device.platform)
        index = sum(1 for other, _, _ in result if other == kind)
        if kind is not None and index < counts.get(kind, index + 1):
            stats = device.memory_stats() or {}
            result.append((kind, index, int(stats.get("bytes_limit", 0))))
    return result


def physical_devices(devices: list[Device]) -> dict[str, Any] | None:
    """The JAX devices of the devices of a session, by name.

    Returns:
        The JAX devices; None if there is only one, for which JAX need not be loaded. CPU devices
        share one unless XLA_FLAGS asks for several (``--xla_force_host_platform_device_count``).
    """
    several = _SEVERAL_CPUS in os.environ.get("XLA_FLAGS", "")
    if len(devices) == 1 or not (several or any(d.device_type != "CPU" for d in devices)):
        return None
    found = {"CPU": jax.local_devices(backend="cpu")}
    for device in devices:
        if device.device_type != "CPU":
            found[device.device_type] = jax.local_devices()
    result = {}
    for device in devices:
        choices = found[device.device_type]
        result[device.name] = choices[int(device.name.rpartition(":")[2]) % len(choices)]
    return result


def check_placement(ops: Iterable[Operation], devices: list[Device], soft: bool) -> None:
    """Checks that every op asks for a device that exists.

    Args:
        ops: the ops of a run.
        devices: the devices of the session.
        soft: whether a device type or index that does not exist is ignored.

    Raises:
        InvalidArgumentError: for the first op that asks for a device which does not exist, or whose
            device is not the name of one.
    """
    known: dict[str, bool] = {"": True}
    for op in ops:
        wanted = op._device
        if wanted not in known:
            known[wanted] = _exists(_parsed(op), devices, soft)
        if not known[wanted]:
            raise _no_such_device(op, devices)


def _parsed(op: Operation) -> DeviceSpec:
    """The device that an op asks for; a device function may have returned any text."""
    try:
        return DeviceSpec.from_string(op._device)
    except ValueError:
        raise _malformed(op) from None


def _exists(spec: DeviceSpec, devices: list[Device], soft: bool) -> bool:
    found = [device for device in devices if _is_of_task(device, spec)]
    if not found or soft or spec.device_type is None:
        return bool(found)
    # XLA_CPU and XLA_GPU, which programs name too, are the same devices here.
    kind = spec.device_type.upper().removeprefix("XLA_")
    return any(
        device.device_type == kind
        and spec.device_index in (None, int(device.name.rpartition(":")[2]))
        for device in found
    )


def _is_of_task(device: Device, wanted: DeviceSpec) -> bool:
    """Whether a device belongs to the job, replica and task that are asked for."""
    name = task_spec(device.name)
    group = process_group.current()
    if group is not None and name.job == "localhost" and wanted.job is not None:
        # What a process of a group calls its own devices, sessions of that process know, too.
        own = task_spec(group.task)
        if (wanted.job, wanted.task) == (own.job, own.task):
            return True
    return (
        wanted.job in (None, name.job)
        and wanted.replica in (None, name.replica)
        and wanted.task in (None, name.task)
    )


@functools.cache
def task_spec(device: str) -> DeviceSpec:
    """The parsed full name of a device."""
    return DeviceSpec.from_string(device)


def _malformed(op: Operation) -> errors.OpError:
    text = f"Malformed device specification '{op._device}' in node: {op.name}"
    return errors.InvalidArgumentError(op.node_def, op, f"{text}{defined_at(op._stack)}")


def _no_such_device(op: Operation, devices: list[Device]) -> errors.OpError:
    place = defined_at(op._stack)
    names = ", ".join(device.name for device in devices)
    return errors.InvalidArgumentError(
        op.node_def,
        op,
        f"Cannot assign a device for operation {op.name}: node {op.name}{place}  was explicitly "
        f"assigned to {op._device} but available devices are [ {names} ]. Make sure the device "
        f"specification refers to a valid device.\n\t [[{op.name}]]",
        hint="allow_soft_placement=True in the ConfigProto lets such ops run where they can.",
    )
