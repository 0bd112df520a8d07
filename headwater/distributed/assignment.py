"""Which device of a cluster each op of a run stands on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from headwater.base import dtypes
from headwater.distributed.invariant_reads import invariant_reads
from headwater.engine.analysis.control_flow import Frame, items_of
from headwater.engine.analysis.placement import runs_on_host
from headwater.engine.devices import Device, check_placement, task_spec
from headwater.graph import Operation, Tensor
from headwater.graph.device import DeviceSpec


def task_of(device: str) -> str:
    """The task in a full device name: ``/job:worker/replica:0/task:0``."""
    return device.partition("/device:")[0]


class _Groups:
    """Ops that must stand together: a union-find structure."""

    def __init__(self, ops: Iterable[Operation]) -> None:
        self._parents = {op: op for op in ops}

    def __contains__(self, op: Operation) -> bool:
        return op in self._parents

    def leader(self, op: Operation) -> Operation:
        parents = self._parents
        while parents[op] is not op:
            parents[op] = parents[parents[op]]
            op = parents[op]
        return op

    def join(self, one: Operation, two: Operation) -> None:
        first, second = self.leader(one), self.leader(two)
        if first._id_value > second._id_value:
            first, second = second, first
        self._parents[second] = first

    def members(self, ops: Iterable[Operation]) -> dict[Operation, list[Operation]]:
        """Those of some ops that belong to each leader."""
        found: dict[Operation, list[Operation]] = {}
        for op in ops:
            found.setdefault(self.leader(op), []).append(op)
        return found


def assigned(
    ops: Sequence[Operation], devices: Sequence[Device], own_task: str, soft: bool = False
) -> dict[Operation, Device]:
    """Gives every op a device of the cluster.

    Colocated ops share a device, and so do ops that are joined by a reference or a handle, which
    cannot travel. Ops that ask for no job stand on the task of the master.

    Args:
        ops: the ops of a run, in order of creation.
        devices: the devices of all tasks.
        own_task: the task of the master.
        soft: whether a device type or index that does not exist is ignored.

    Returns:
        The device of each op.

    Raises:
        InvalidArgumentError: if an op asks for a device that does not exist.
    """
    check_placement(ops, list(devices), soft)
    groups = _Groups(ops)
    # These stand where their loop stands, not where the variable is.
    moved = invariant_reads(ops)
    for op in ops:
        if op not in moved:
            _join_neighbours(op, groups)
    wishing = [op for op in ops if op not in moved]
    for item in items_of(list(ops)):
        if isinstance(item, Frame):
            _join_loop(item, groups, wishing)
    wishes = groups.members(wishing)
    result: dict[Operation, Device] = {}
    for leader, members in groups.members(ops).items():
        device = _choose(_wish(wishes.get(leader, ())), members, devices, own_task)
        result.update(dict.fromkeys(members, device))
    return result


def _join_neighbours(op: Operation, groups: _Groups) -> None:
    for name in op._attrs.get("_class", ()):
        if isinstance(name, str) and name.startswith("loc:@"):
            other = op._graph._nodes_by_name.get(name[5:])
            if other is not None and other in groups:
                groups.join(op, other)
    for tensor in op._inputs:
        if tensor._op in groups and _stays(op, tensor):
            groups.join(op, tensor._op)
    if not op._inputs and not op._device and len(op._outputs) == 1 and op.type == "Const":
        consumers = [c for c in op._outputs[0].consumers() if c in groups]
        if len(consumers) == 1:
            groups.join(op, consumers[0])


def _stays(op: Operation, tensor: Tensor) -> bool:
    """Whether an op has to stand where one of its inputs stands."""
    dtype = tensor._dtype
    if dtype.base_dtype in (dtypes.resource, dtypes.variant):
        return True
    if not dtype._is_ref_dtype:
        return False
    # A reference that is only read may be sent as a value.
    return tensor in _references(op)


def _references(op: Operation) -> list[Tensor]:
    """The inputs of an op that are references to it."""
    found: list[Tensor] = []
    position = 0
    for arg in op._record.schema.inputs:
        count = arg.length_in(op._attrs)
        if arg.is_ref:
            found.extend(op._inputs[position : position + count])
        position += count
    return found


def _wish(members: Sequence[Operation]) -> DeviceSpec:
    """The device that the ops of a group ask for; earlier ops have precedence."""
    wish = DeviceSpec()
    for op in sorted(members, key=lambda op: (not _is_bound(op), op._id_value)):
        if not op._device:
            continue
        other = task_spec(op._device)
        if wish.job is None and other.job is not None:
            wish = wish.replace(job=other.job, replica=other.replica, task=other.task)
        if other.job in (None, wish.job):
            if wish.task is None:
                wish = wish.replace(task=other.task)
            if wish.device_type is None:
                wish = wish.replace(device_type=other.device_type, device_index=other.device_index)
    return wish


def _is_bound(op: Operation) -> bool:
    record = op._record
    return bool(record.variable or record.resource)


def _join_loop(frame: Frame, groups: _Groups, ops: Sequence[Operation]) -> None:
    """Puts a whole loop on one task: where it works on variables or handles, if it does.

    If these are on several tasks, what works on them stays there (`spread_loops.py`).

    Args:
        frame: the loop.
        groups: takes it.
        ops: the ops of the run that have a place of their own.
    """
    members = sorted(frame.members, key=lambda op: op._id_value)
    found = groups.members(ops)
    places: dict[Operation, tuple[str, int]] = {}
    for leader in dict.fromkeys(groups.leader(op) for op in members):
        if any(map(_is_bound, found.get(leader, ()))):
            wish = _wish(found[leader])
            if wish.job is not None:
                places[leader] = wish.job, wish.task or 0
    if len(set(places.values())) > 1:
        members = [op for op in members if groups.leader(op) not in places]
    for op in members[1:]:
        groups.join(members[0], op)


def _choose(
    wish: DeviceSpec, members: Sequence[Operation], devices: Sequence[Device], own_task: str
) -> Device:
    """The device of a group."""
    found = [
        device
        for device in devices
        if wish.job in (None, task_spec(device.name).job)
        and wish.task in (None, task_spec(device.name).task)
    ]
    own = [device for device in found if task_of(device.name) == own_task]
    if own:
        found = own
    task = task_of(found[0].name)
    found = [device for device in found if task_of(device.name) == task]
    cpu = next(device for device in found if device.device_type == "CPU")
    if any(runs_on_host(op) for op in members):
        return cpu
    if wish.device_type is None:
        return next((d for d in found if d.device_type not in ("CPU", "XLA_CPU")), cpu)
    kind = wish.device_type.upper().removeprefix("XLA_")
    name = f"{task}/device:{kind}:{wish.device_index or 0}"
    return next((device for device in found if device.name == name), cpu)
