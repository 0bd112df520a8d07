"""`tf.config`: the settings of sessions that are made without a ConfigProto."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from headwater.base.export import export
from headwater.engine.devices import local_devices
from headwater.protos.lazy import config_pb2


class PhysicalDevice(NamedTuple):
    """A processor of this machine."""

    name: str
    device_type: str


class LogicalDevice(NamedTuple):
    """A device that ops can be placed on."""

    name: str
    device_type: str


@export("config.experimental.VirtualDeviceConfiguration")
class VirtualDeviceConfiguration(NamedTuple):
    """One of the devices that a processor stands for."""

    memory_limit: int | None = None


# What programs have set, by name.
_settings: dict[str, Any] = {}
_DEFAULT_OPTIONS = {"disable_model_pruning": False, "disable_meta_optimizer": False}
_POLICIES = ("explicit", "warn", "silent", "silent_for_int32")


def process_config() -> Any:
    """The ConfigProto of sessions that are made without one; None if nothing has been set."""
    if not _settings:
        return None
    proto = config_pb2.ConfigProto()
    proto.allow_soft_placement = _settings.get("soft_placement", False)
    proto.log_device_placement = _settings.get("log_placement", False)
    proto.inter_op_parallelism_threads = _settings.get("inter_op_threads", 0)
    proto.intra_op_parallelism_threads = _settings.get("intra_op_threads", 0)
    if _settings.get("jit"):
        proto.graph_options.optimizer_options.global_jit_level = config_pb2.OptimizerOptions.ON_1
    for kind, devices in _settings.get("visible", {}).items():
        proto.device_count[kind] = len(devices)
    for device, parts in _settings.get("virtual", {}).items():
        proto.device_count[device.device_type] = len(parts)
    proto.gpu_options.allow_growth = any(_settings.get("growth", {}).values())
    return proto


@export("config.get_soft_device_placement")
def get_soft_device_placement() -> bool:
    """Tells whether ops that ask for devices which are not there run all the same."""
    return bool(_settings.get("soft_placement", False))


@export("config.set_soft_device_placement")
def set_soft_device_placement(enabled: bool) -> None:
    """Sets whether ops that ask for devices which are not there run all the same.

    Args:
        enabled: True or False.
    """
    _settings["soft_placement"] = bool(enabled)


@export("debugging.get_log_device_placement")
def get_log_device_placement() -> bool:
    """Tells whether the device of each op is printed."""
    return bool(_settings.get("log_placement", False))


@export("debugging.set_log_device_placement")
def set_log_device_placement(enabled: bool) -> None:
    """Sets whether the device of each op is printed.

    Args:
        enabled: True or False.
    """
    _settings["log_placement"] = bool(enabled)


@export("config.threading.get_inter_op_parallelism_threads")
def get_inter_op_parallelism_threads() -> int:
    """The number of threads between ops; 0 leaves it to the runtime."""
    return int(_settings.get("inter_op_threads", 0))


@export("config.threading.set_inter_op_parallelism_threads")
def set_inter_op_parallelism_threads(num_threads: int) -> None:
    """Sets the number of threads between ops, as in a ConfigProto.

    Args:
        num_threads: the number; 0 leaves it to the runtime.
    """
    _settings["inter_op_threads"] = int(num_threads)


@export("config.threading.get_intra_op_parallelism_threads")
def get_intra_op_parallelism_threads() -> int:
    """The number of threads of an op; 0 leaves it to the runtime."""
    return int(_settings.get("intra_op_threads", 0))


@export("config.threading.set_intra_op_parallelism_threads")
def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """Sets the number of threads of an op, as in a ConfigProto.

    Args:
        num_threads: the number; 0 leaves it to the runtime.
    """
    _settings["intra_op_threads"] = int(num_threads)


@export("config.optimizer.get_jit")
def get_optimizer_jit() -> bool:
    """Tells whether graphs are compiled in their first run."""
    return bool(_settings.get("jit", False))


@export("config.optimizer.set_jit")
def set_optimizer_jit(enabled: bool) -> None:
    """Sets whether graphs are compiled in their first run.

    Args:
        enabled: True or False.
    """
    _settings["jit"] = bool(enabled)


@export("config.optimizer.get_experimental_options")
def get_optimizer_experimental_options() -> dict[str, Any]:
    """What has been set of the options of TensorFlow's graph optimizers, and their defaults."""
    return {**_DEFAULT_OPTIONS, **_settings.get("options", {})}


@export("config.optimizer.set_experimental_options")
def set_optimizer_experimental_options(options: dict[str, Any]) -> None:
    """Stores options of TensorFlow's graph optimizers. They have no effect: XLA always optimizes.

    Args:
        options: values by the names of options; unknown names are ignored.
    """
    fields = {field.name for field in _rewriter_fields()}
    known = {key: value for key, value in options.items() if key in fields}
    _settings["options"] = {**_settings.get("options", {}), **known}


def _rewriter_fields() -> list[Any]:
    """The fields of the proto that has the options of graph optimizers."""
    options = config_pb2.GraphOptions.DESCRIPTOR.fields_by_name["rewrite_options"].message_type
    return list(options.fields)


@export("config.experimental.list_physical_devices")
def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The processors of this machine.

    Args:
        device_type: only those of a type, such as "GPU".

    Returns:
        A list of PhysicalDevices.
    """
    found = [
        PhysicalDevice(f"/physical_device:{d.name.partition('/device:')[2]}", d.device_type)
        for d in local_devices()
    ]
    return [d for d in found if device_type is None or d.device_type == device_type]


@export("config.experimental.list_logical_devices")
def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """The devices that ops can be placed on.

    Args:
        device_type: only those of a type, such as "GPU".

    Returns:
        A list of LogicalDevices.
    """
    found = [LogicalDevice(d.name, d.device_type) for d in local_devices(process_config())]
    return [d for d in found if device_type is None or d.device_type == device_type]


@export("config.experimental_list_devices")
def list_devices() -> list[str]:
    """The names of the devices that ops can be placed on."""
    return [device.name for device in list_logical_devices()]


@export("config.experimental.get_visible_devices")
def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The processors that sessions may use.

    Args:
        device_type: only those of a type, such as "GPU".

    Returns:
        A list of PhysicalDevices.
    """
    hidden = _settings.get("visible", {})
    found = list_physical_devices(device_type)
    return [d for d in found if d.device_type not in hidden or d in hidden[d.device_type]]


@export("config.experimental.set_visible_devices")
def set_visible_devices(devices: Any, device_type: str | None = None) -> None:
    """Says which processors sessions may use.

    Args:
        devices: a PhysicalDevice or a list of them.
        device_type: the type that is meant; all types if None.

    Raises:
        ValueError: if a device does not exist, or is of another type.
    """
    chosen = list(devices) if isinstance(devices, list) else [devices]
    for device in chosen:
        if device not in list_physical_devices():
            raise ValueError(f"Unrecognized device: {device!r}")
        if device_type is not None and device.device_type != device_type:
            raise ValueError(f"Unrecognized device: {device!r}")
    kinds = (
        {d.device_type for d in list_physical_devices()} if device_type is None else {device_type}
    )
    by_kind = {kind: [d for d in chosen if d.device_type == kind] for kind in kinds}
    _settings["visible"] = {**_settings.get("visible", {}), **by_kind}


@export("config.experimental.get_memory_growth")
def get_memory_growth(device: PhysicalDevice) -> bool:
    """Tells whether a GPU takes memory as it is needed.

    Args:
        device: a PhysicalDevice.

    Returns:
        True or False.

    Raises:
        KeyError: if nothing has been set for the device.
    """
    return bool(_settings.get("growth", {})[device])


@export("config.experimental.set_memory_growth")
def set_memory_growth(device: PhysicalDevice, enable: bool) -> None:
    """Sets whether a GPU takes memory as it is needed.

    Args:
        device: a PhysicalDevice.
        enable: True or False.

    Raises:
        ValueError: if the device does not exist, or is not a GPU.
    """
    if device not in list_physical_devices():
        raise ValueError(f"Unrecognized device: {device!r}")
    if device.device_type != "GPU":
        raise ValueError("Cannot set memory growth on non-GPU devices")
    _settings["growth"] = {**_settings.get("growth", {}), device: bool(enable)}


@export("config.experimental.get_virtual_device_configuration")
def get_virtual_device_configuration(device: PhysicalDevice) -> Any:
    """The devices that a processor stands for; None if nothing has been set.

    Args:
        device: a PhysicalDevice.

    Returns:
        A list of VirtualDeviceConfigurations, or None.
    """
    return _settings.get("virtual", {}).get(device)


@export("config.experimental.set_virtual_device_configuration")
def set_virtual_device_configuration(device: PhysicalDevice, virtual_devices: Any) -> None:
    """Makes a processor stand for several devices.

    Args:
        device: a PhysicalDevice.
        virtual_devices: a list of VirtualDeviceConfigurations.

    Raises:
        ValueError: if the device does not exist.
    """
    if device not in list_physical_devices():
        raise ValueError(f"Unrecognized device: {device!r}")
    _settings["virtual"] = {**_settings.get("virtual", {}), device: list(virtual_devices)}


@export("config.experimental.get_synchronous_execution")
def get_synchronous_execution() -> bool:
    """Tells whether ops of eager mode run synchronously; there is no eager mode."""
    return bool(_settings.get("synchronous", True))


@export("config.experimental.set_synchronous_execution")
def set_synchronous_execution(enable: bool) -> None:
    """Stores a setting of eager mode, which has no effect.

    Args:
        enable: True or False.
    """
    _settings["synchronous"] = bool(enable)


@export("config.experimental.get_device_policy")
def get_device_policy() -> str:
    """The policy of eager mode for inputs on other devices."""
    return str(_settings.get("policy", "silent"))


@export("config.experimental.set_device_policy")
def set_device_policy(device_policy: str | None) -> None:
    """Stores the policy of eager mode for inputs on other devices, which has no effect.

    Args:
        device_policy: "explicit", "warn", "silent", "silent_for_int32", or None for the default.

    Raises:
        ValueError: if it is another one.
    """
    if device_policy is not None and device_policy not in _POLICIES:
        raise ValueError(f"Not a valid device policy: {device_policy!r}")
    _settings["policy"] = device_policy or "silent"


@export("experimental.output_all_intermediates")
def output_all_intermediates(state: bool | None) -> None:
    """Does nothing: gradients of functional control flow find the values that they need.

    Args:
        state: ignored.
    """


@export("experimental.function_executor_type")
@contextmanager
def function_executor_type(executor_type: str | None) -> Iterator[None]:
    """A with block that would choose the executor of functions; there is one only.

    Args:
        executor_type: ignored.

    Yields:
        Nothing.
    """
    yield
