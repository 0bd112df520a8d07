"""Device names: ``/job:worker/replica:0/task:1/device:GPU:0`` and partial ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base.export import export


@export("DeviceSpec")
class DeviceSpec:
    """A possibly partial description of a device.

    Args:
        job: job name or None.
        replica: replica index or None.
        task: task index or None.
        device_type: ``"CPU"``, ``"GPU"``, ... or None.
        device_index: index of the device or None.
    """

    __slots__ = ("device_index", "device_type", "job", "replica", "task")

    def __init__(
        self,
        job: str | None = None,
        replica: int | None = None,
        task: int | None = None,
        device_type: str | None = None,
        device_index: int | None = None,
    ) -> None:
        self.job = job
        self.replica = None if replica is None else int(replica)
        self.task = None if task is None else int(task)
        self.device_type = _normal_type(device_type)
        self.device_index = None if device_index is None else int(device_index)

    @classmethod
    def from_string(cls, spec: str) -> DeviceSpec:
        """Parses a device name; raises ValueError if it is malformed."""
        return cls().parse_from_string(spec)

    def parse_from_string(self, spec: str) -> DeviceSpec:
        """Sets the fields from a device name and returns self."""
        self.job = self.replica = self.task = self.device_type = self.device_index = None
        for part in spec.split("/"):
            key, *values = part.split(":")
            kind = None
            if key == "job" and len(values) == 1:
                self.job = values[0]
            elif key in ("replica", "task") and len(values) == 1:
                setattr(self, key, int(values[0]))
            elif key.upper() in ("CPU", "GPU") and len(values) <= 1:
                kind, index = key, values[0] if values else "*"
            elif key == "device" and len(values) == 2:
                kind, index = values
            elif part:
                raise ValueError(f"Unknown attribute: '{key}' in '{spec}'")
            if kind is not None:
                if self.device_type is not None:
                    raise ValueError(f"Cannot specify multiple device types: {spec}")
                self.device_type = _normal_type(kind)
                self.device_index = None if index == "*" else int(index)
        return self

    def merge_from(self, other: DeviceSpec) -> None:
        """Takes over the fields that `other` has set."""
        for name in self.__slots__:
            value = getattr(other, name)
            if value is not None:
                setattr(self, name, value)

    def make_merged_spec(self, dev: DeviceSpec) -> DeviceSpec:
        """A copy in which the fields that `dev` has set are those of `dev`."""
        merged = self.replace()
        merged.merge_from(dev)
        return merged

    def replace(self, **kwargs: Any) -> DeviceSpec:
        """A copy with other values for some of the fields."""
        return DeviceSpec(**{**{name: getattr(self, name) for name in self.__slots__}, **kwargs})

    def to_string(self) -> str:
        """The canonical name, e.g. ``/job:ps/task:0/device:CPU:0``."""
        text = ""
        for name in ("job", "replica", "task"):
            value = getattr(self, name)
            if value is not None:
                text += f"/{name}:{value}"
        if self.device_type is not None:
            index = "*" if self.device_index is None else self.device_index
            text += f"/device:{self.device_type}:{index}"
        return text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceSpec) and self.to_string() == other.to_string()

    def __hash__(self) -> int:
        return hash(self.to_string())

    def __str__(self) -> str:
        return self.to_string()


def _normal_type(kind: str | None) -> str | None:
    if kind is not None and kind.lower() in ("cpu", "gpu"):
        return kind.upper()
    return kind


def canonical_name(device: Any) -> str:
    """The canonical name of a device given as a name, a DeviceSpec or None."""
    if device is None:
        return ""
    if isinstance(device, DeviceSpec):
        return device.to_string()
    return DeviceSpec.from_string(device).to_string()


def requested_name(device: Any) -> str:
    """The name of a device that a device function has chosen: a text stays as it is."""
    return device if isinstance(device, str) else canonical_name(device)


def check_valid(spec: str) -> None:
    """Checks that a text is a device name.

    Raises:
        ValueError: if it is not.
    """
    DeviceSpec.from_string(spec)


def merge_device(spec: Any) -> Callable[[Any], str]:
    """A device function that fills in `spec` where the op's own device says nothing."""
    default = spec if isinstance(spec, DeviceSpec) else DeviceSpec.from_string(spec or "")

    def merged(op: Any) -> str:
        result = DeviceSpec.from_string(default.to_string())
        result.merge_from(DeviceSpec.from_string(op.device or ""))
        return result.to_string()

    return merged
