"""Values that differ from replica to replica, or are copied to each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from headwater.base import nest
from headwater.graph import (
    IndexedSlices,
    Operation,
    Tensor,
    build,
    convert_to_tensor,
    register_tensor_conversion_function,
    replication,
)
from headwater.graph import group as group_ops
from headwater.graph.default_graph import control_dependencies
from headwater.graph.default_graph import device as in_device
from headwater.graph.device import DeviceSpec
from headwater.model.variables.variable import Variable


class DistributedValues:
    """One value for each replica.

    Args:
        devices: the device of each replica.
        values: the value of each.
    """

    def __init__(self, devices: Sequence[str], values: Sequence[Any]) -> None:
        self._devices = tuple(devices)
        self._values = tuple(values)

    @property
    def devices(self) -> tuple[str, ...]:
        """The device of each replica."""
        return self._devices

    @property
    def values(self) -> tuple[Any, ...]:
        """The value of each replica."""
        return self._values

    @property
    def primary(self) -> Any:
        """The value of the first replica."""
        return self._values[0]

    def get(self, device: str | None = None) -> Any:
        """The value of one replica.

        Args:
            device: its device; None for the replica whose code runs, or the first one.

        Returns:
            The value.

        Raises:
            ValueError: if no replica has this device.
        """
        return self._values[position_of(self._devices, device)]

    def __str__(self) -> str:
        return self._shown(str)

    def __repr__(self) -> str:
        return self._shown(repr)

    def _shown(self, show: Callable[[Any], str]) -> str:
        lines = ",\n".join(
            f"  {i} {device}: {show(value)}"
            for i, (device, value) in enumerate(zip(self._devices, self._values))
        )
        return f"{type(self).__name__}:{{\n{lines}\n}}"


class PerReplica(DistributedValues):
    """A value that replicas have computed, each its own."""


class Mirrored(DistributedValues):
    """A value that is equal on all replicas; elsewhere it stands for the first."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("_values", "_devices"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.get(), name)

    def _as_graph_element(self) -> Any:
        value = self.get()
        convert = getattr(value, "_as_graph_element", None)
        return value if convert is None else convert()


def _operator_of_value(name: str) -> Callable[..., Any]:
    def operator(self: Mirrored, *args: Any) -> Any:
        return getattr(self.get(), name)(*args)

    operator.__name__ = name
    return operator


for _name in sorted(Tensor.OVERLOADABLE_OPERATORS):
    setattr(Mirrored, _name, _operator_of_value(_name))


def _to_tensor(
    value: Mirrored, dtype: Any = None, name: Any = None, as_ref: bool = False
) -> Tensor:
    return convert_to_tensor(value.get(), dtype, name)


register_tensor_conversion_function(Mirrored, _to_tensor)


def position_of(devices: Sequence[str], device: str | None) -> int:
    """The number of the replica on a device; of the current one, or 0, for None."""
    mode = replication.replicating()
    if device is None and mode is not None:
        if mode.replica_context is not None:
            number: int = mode.replica_context._number
            return number if number < len(devices) else 0
        device = mode.update_device
    if device is None:
        return 0
    wanted = canonical(device)
    if wanted not in devices:
        raise ValueError(f"Device {wanted} not found in {tuple(devices)} (current device )")
    return devices.index(wanted)


def canonical(device: str) -> str:
    """The full name of a device."""
    spec = DeviceSpec(replica=0, task=0, device_type="CPU", device_index=0)
    spec.merge_from(DeviceSpec.from_string(device))
    text: str = spec.to_string()
    return text


def regroup(devices: Sequence[str], values: Sequence[Any], kind: Any = PerReplica) -> Any:
    """One structure of the structures that the replicas have returned.

    Args:
        devices: the device of each replica.
        values: the structure of each, of one form.
        kind: what leaves become that are not the same object in all replicas.

    Returns:
        A structure of the form of each, whose leaves stand for those of all replicas.

    Raises:
        AssertionError: if the structures differ.
    """
    first = values[0]
    if isinstance(first, (list, tuple)):
        assert all(isinstance(v, type(first)) and len(v) == len(first) for v in values)
        items = [regroup(devices, parts, kind) for parts in zip(*values)]
        if hasattr(first, "_fields"):
            return type(first)._make(items)  # type: ignore[union-attr]
        return type(first)(items)
    if isinstance(first, Mapping):
        assert all(isinstance(v, Mapping) and set(v) == set(first) for v in values)
        return type(first)(  # type: ignore[call-arg]
            {key: regroup(devices, [v[key] for v in values], kind) for key in first}
        )
    containers = [replication.container(value) for value in values]
    if all(c is containers[0] for c in containers) and containers[0] is not first:
        return containers[0]
    if all(value is first for value in values):
        return first
    return kind(devices, values)


def select(number: int, structure: Any) -> Any:
    """The part of a structure that belongs to a replica; what is not distributed belongs to all."""
    if isinstance(structure, DistributedValues):
        return structure.values[number]
    if isinstance(structure, (list, tuple)):
        items = [select(number, item) for item in structure]
        if hasattr(structure, "_fields"):
            return type(structure)._make(items)  # type: ignore[union-attr]
        return type(structure)(items)
    if isinstance(structure, Mapping):
        return type(structure)(  # type: ignore[call-arg]
            {key: select(number, value) for key, value in structure.items()}
        )
    return structure


def select_mirrored(number: int, structure: Any) -> Any:
    """`select` for arguments of updates, which have to be equal on all replicas.

    Raises:
        TypeError: if a value differs from replica to replica.
    """
    if isinstance(structure, PerReplica):
        raise TypeError(
            f"Expected value to be mirrored across replicas: {structure} in {structure}."
        )
    if isinstance(structure, (list, tuple)):
        return tuple(select_mirrored(number, item) for item in structure)
    if isinstance(structure, Mapping):
        return {key: select_mirrored(number, value) for key, value in structure.items()}
    return select(number, structure)


def regroup_updates(devices: Sequence[str], values: Sequence[Any], group: bool) -> Any:
    """One structure of what the updates of all copies have returned.

    Args:
        devices: the devices of the copies.
        values: what the update of each has returned.
        group: whether each leaf is to stand for all updates; otherwise they are tuples.
    """
    found = regroup(devices, values, Mirrored)
    return _mapped(found, _all_done if group else _parts)


def _mapped(structure: Any, function: Callable[[Any], Any]) -> Any:
    if isinstance(structure, (list, tuple)):
        items = [_mapped(item, function) for item in structure]
        if hasattr(structure, "_fields"):
            return type(structure)._make(items)  # type: ignore[union-attr]
        return type(structure)(items)
    if isinstance(structure, Mapping):
        return type(structure)(  # type: ignore[call-arg]
            {key: _mapped(value, function) for key, value in structure.items()}
        )
    return function(structure)


def _parts(value: Any) -> Any:
    return value.values if isinstance(value, DistributedValues) else (value,)


def _all_done(value: Any) -> Any:
    """A value that is there when all updates have run."""
    if not isinstance(value, DistributedValues) or isinstance(value, Variable):
        return value
    parts = value.values
    if all(isinstance(part, Operation) for part in parts):
        return group_ops(*parts)
    if not all(isinstance(part, (Tensor, Variable, IndexedSlices)) for part in parts):
        return value
    done = group_ops(*parts)
    copies = []
    for device, part in zip(value.devices, parts):
        with in_device(device), control_dependencies([done]):
            copies.append(build.Identity(part))
    return Mirrored(value.devices, copies)


def leaves(structure: Any) -> list[Any]:
    """The tensors and IndexedSlices of a structure, in order."""
    return nest.flatten(structure)


def packed(structure: Any, leaves: Sequence[Any]) -> Any:
    """A structure with other leaves."""
    return nest.pack_sequence_as(structure, list(leaves))
