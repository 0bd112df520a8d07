"""Placement: which ops of a run stay on the host, and which device each op stands on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from headwater.base import dtypes, errors
from headwater.base.lazy import jax
from headwater.engine.analysis.control_flow import Frame, Item
from headwater.engine.analysis.variables import variable_of
from headwater.engine.devices import Device, physical_devices
from headwater.graph import Operation, Tensor
from headwater.graph.device import DeviceSpec
from headwater.graph.traceback import defined_at

_HOST_TYPES = {dtypes.string, dtypes.variant, dtypes.resource} | dtypes.QUANTIZED_DTYPES
# Their numbers, references included: planning asks for every tensor, and a DType hashes slowly.
_HOST_ENUMS = frozenset(t._type_enum for dtype in _HOST_TYPES for t in (dtype, dtype.as_ref))


def runs_on_host(item: Item) -> bool:
    """Whether an item cannot be part of a compiled program."""
    if isinstance(item, Frame):
        return True
    record = item._record
    if not record.compilable:
        return True
    if any(is_host_value(t) for t in item._outputs):
        return True
    return any(
        is_host_value(t) and not (record.labels and t._op._record.name == "Const")
        for t in item._inputs
    )


def is_host_value(tensor: Tensor) -> bool:
    """Whether a tensor has a value of a type that programs cannot take."""
    if tensor._dtype._type_enum not in _HOST_ENUMS:
        return False
    variable = variable_of(tensor)
    return variable is None or variable._attrs["dtype"]._type_enum in _HOST_ENUMS


def place(ops: Iterable[Operation], devices: list[Device]) -> dict[Operation, Device]:
    """Gives every op a device.

    Colocated ops share a device, and so do ops that are joined by a reference or resource edge, and
    a constant and its only consumer. Ops that ask for no device are placed on the first accelerator
    if there is one and they can be compiled, else on the first CPU.

    Args:
        ops: the ops of a run.
        devices: the devices of the session.

    Returns:
        The device of each op.
    """
    groups: dict[Operation, list[Operation]] = {}
    for op in ops:
        groups.setdefault(_leader(op), []).append(op)
    by_name = {device.name: device for device in devices}
    accelerators = [device for device in devices if device.device_type != "CPU"]
    cpus = [device for device in devices if device.device_type == "CPU"]
    default = accelerators[0] if accelerators else cpus[0]
    result: dict[Operation, Device] = {}
    for leader, members in groups.items():
        wish = _merged(leader, members)
        device = _find(wish, by_name)
        if any(runs_on_host(op) for op in members):
            if device is None or device.device_type != "CPU":
                device = cpus[0]
        elif device is None:
            device = default
        result.update((op, device) for op in members)
    return result


def physical_placement(
    ops: Iterable[Operation], devices: list[Device]
) -> dict[Operation, Any] | None:
    """The device of JAX for each op.

    Args:
        ops: the ops of a run.
        devices: the devices of the session.

    Returns:
        The devices; None if all that can be compiled stands on the default device.
    """
    physical = physical_devices(devices)
    if physical is None:
        return None
    result = {op: physical[d.name] for op, d in place(ops, devices).items()}
    default = jax.local_devices()[0]
    if all(device is default or runs_on_host(op) for op, device in result.items()):
        return None
    return result


def check_colocation(ops: Iterable[Operation]) -> None:
    """Checks that colocated ops do not ask for different devices.

    Raises:
        InvalidArgumentError: for the first op that asks for another device than the op with which
            it is colocated.
    """
    for op in ops:
        other = _colocated(op) if op._device and "_class" in op._attrs else None
        if other is None or other._device in ("", op._device):
            continue
        mine, theirs = DeviceSpec.from_string(op._device), DeviceSpec.from_string(other._device)
        for name, what in (("device_type", "types"), ("device_index", "ids")):
            one, two = getattr(mine, name), getattr(theirs, name)
            if one is not None and two is not None and one != two:
                raise _cannot_colocate(op, other, what)


def _leader(op: Operation) -> Operation:
    """The op whose device an op takes."""
    seen = {op}
    while True:
        following = _colocated(op) or _behind_reference(op) or _consumer(op)
        if following is None or following in seen:
            return op
        seen.add(following)
        op = following


def _colocated(op: Operation) -> Operation | None:
    """Another op that an op is explicitly colocated with."""
    for group in op._attrs.get("_class", ()):
        if isinstance(group, str) and group.startswith("loc:@"):
            found: Operation | None = op._graph._nodes_by_name.get(group[5:])
            if found is not None and found is not op:
                return found
    return None


def _behind_reference(op: Operation) -> Operation | None:
    """The variable that an op reads or updates through a reference or a resource."""
    for tensor in op._inputs:
        reference = tensor._dtype._is_ref_dtype and op._record.update_positions
        if reference or tensor._dtype is dtypes.resource:
            variable = variable_of(tensor)
            if variable is not None and variable is not op:
                return variable
    return None


def _consumer(op: Operation) -> Operation | None:
    """The only consumer of an op without inputs that asks for no device."""
    if op._inputs or op._device or len(op._outputs) != 1 or op._outputs[0]._dtype._is_ref_dtype:
        return None
    consumers = op._outputs[0].consumers()
    return consumers[0] if len(consumers) == 1 else None


def _merged(leader: Operation, members: list[Operation]) -> DeviceSpec:
    """The device that the ops of a group ask for; the leader has precedence."""
    wish = DeviceSpec.from_string(leader._device)
    for op in members:
        if wish.device_type is None and op._device:
            other = DeviceSpec.from_string(op._device)
            if other.device_type is not None:
                wish.merge_from(other)
    return wish


def _cannot_colocate(op: Operation, other: Operation, what: str) -> errors.OpError:
    return errors.InvalidArgumentError(
        op.node_def,
        op,
        f"Cannot colocate nodes {_node(op)} and {_node(other)}: Cannot merge devices with "
        f"incompatible {what}: '{op._device}' and '{other._device}'\n\t [[{_node(op)} ]]",
        hint="allow_soft_placement=True in the ConfigProto lets such ops run where they can.",
    )


def _node(op: Operation) -> str:
    return f"node {op.name}{defined_at(op._stack)} placed on device {op._device}"


def _find(wish: DeviceSpec, by_name: dict[str, Device]) -> Device | None:
    """The requested device; None if none is requested or it does not exist."""
    if wish.device_type is None:
        return None
    kind = wish.device_type.upper().removeprefix("XLA_")
    task = next(iter(by_name)).partition("/device:")[0]
    return by_name.get(f"{task}/device:{kind}:{wish.device_index or 0}")
