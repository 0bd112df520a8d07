"""Single files of a dump: values of watched tensors, graphs, messages."""

from __future__ import annotations

import json
import os
import re
from typing import Any, NamedTuple

import numpy as np

from headwater.io.files import file_statistics, read_bytes
from headwater.io.tensor_proto import make_ndarray
from headwater.protos.lazy import event_pb2, graph_pb2, types_pb2

METADATA_FILE_PREFIX = "_tfdbg_"
CORE_METADATA_TAG = "core_metadata_"
GRAPH_FILE_TAG = "graph_"
DEVICE_TAG = "device_"
HASH_TAG = "hash"
FETCHES_INFO_FILE_TAG = "fetches_info_"
FEED_KEYS_INFO_FILE_TAG = "feed_keys_info_"


class InconvertibleTensorProto:
    """The value of a tensor that is not an array, or that is not there.

    Args:
        tensor_proto: the TensorProto.
        initialized: whether the tensor has a value.
    """

    def __init__(self, tensor_proto: Any, initialized: bool = True) -> None:
        self._tensor_proto = tensor_proto
        self._initialized = initialized

    def __str__(self) -> str:
        begin = "" if self._initialized else "Uninitialized tensor:\n"
        return begin + str(self._tensor_proto)

    @property
    def initialized(self) -> bool:
        """Whether the tensor has a value."""
        return self._initialized


class CoreMetadata(NamedTuple):
    """The facts of a watched run."""

    global_step: int
    session_run_index: int
    executor_step_index: int
    input_names: list[str]
    output_names: list[str]
    target_nodes: list[str]


def load_tensor_from_event_file(event_file_path: str) -> Any:
    """Reads a value from a file of a dump.

    Args:
        event_file_path: the file, which holds one Event.

    Returns:
        An array; an `InconvertibleTensorProto` for a resource or a variable without a value.
    """
    event = event_pb2.Event()
    event.ParseFromString(read_bytes(event_file_path))
    return load_tensor_from_event(event)


def load_tensor_from_event(event: Any) -> Any:
    """Reads a value from an Event.

    Args:
        event: the Event proto.

    Returns:
        An array; an `InconvertibleTensorProto` for a resource or a variable without a value.
    """
    tensor = event.summary.value[0].tensor
    has_content = bool(tensor.tensor_content or tensor.string_val)
    if has_content or any(n.endswith("_val") for n in _set_fields(tensor)):
        if tensor.dtype == types_pb2.DT_RESOURCE:
            return InconvertibleTensorProto(tensor)
        try:
            return make_ndarray(tensor)
        except (KeyError, TypeError):
            return InconvertibleTensorProto(tensor)
    # Without content it is an empty array, or one that has never been set.
    if any(dim.size == 0 for dim in tensor.tensor_shape.dim):
        return make_ndarray(tensor)
    return InconvertibleTensorProto(tensor, initialized=False)


def _set_fields(message: Any) -> list[str]:
    return [descriptor.name for descriptor, _ in message.ListFields()]


def load_graph_def_from_event_file(event_file_path: str) -> Any:
    """Reads a GraphDef from a file of a dump."""
    event = event_pb2.Event()
    event.ParseFromString(read_bytes(event_file_path))
    return graph_pb2.GraphDef.FromString(event.graph_def)


def load_log_message_from_event_file(event_file_path: str) -> str:
    """Reads a message from a file of a dump."""
    event = event_pb2.Event()
    event.ParseFromString(read_bytes(event_file_path))
    return str(event.log_message.message)


def extract_core_metadata_from_event_proto(event: Any) -> CoreMetadata:
    """The facts of a run in an Event."""
    facts = json.loads(event.log_message.message)
    return CoreMetadata(*(facts[name] for name in CoreMetadata._fields))


def device_name_to_device_path(device_name: str) -> str:
    """The folder of a dump in which the values of a device are."""
    path = device_name.replace(":", "_").replace("/", ",")
    return METADATA_FILE_PREFIX + DEVICE_TAG + path


def device_path_to_device_name(device_dir: str) -> str:
    """The device whose values are in a folder of a dump."""
    parts = os.path.basename(device_dir)[len(METADATA_FILE_PREFIX + DEVICE_TAG) :].split(",")
    names = [part.replace("_", ":", 1) for part in parts]
    last = parts[-1]
    if last.startswith("device_"):
        kind, number = last.removeprefix("device_").rsplit("_", 1)
        names[-1] = f"device:{kind}:{number}"
    return "/".join(names)


def has_inf_or_nan(datum: Any, tensor: Any) -> bool:
    """Whether a tensor has an infinite value or a NaN; a filter for `DebugDumpDir.find`.

    Args:
        datum: the DebugTensorDatum, which is not looked at.
        tensor: its value.

    Returns:
        False for tensors that do not consist of floating-point or complex numbers.
    """
    del datum
    if isinstance(tensor, InconvertibleTensorProto):
        return False
    if tensor.dtype.kind in "fc" or np.issubdtype(tensor.dtype, np.inexact):
        return not bool(np.all(np.isfinite(tensor)))
    if tensor.dtype.name == "bfloat16":
        return not bool(np.all(np.isfinite(tensor.astype(np.float32))))
    return False


def get_tensor_name(node_name: str, output_slot: int) -> str:
    """The name of an output of a node."""
    return f"{node_name}:{output_slot}"


def get_tensor_watch_key(node_name: str, output_slot: int, debug_op: str) -> str:
    """The name of an output of a node, and of a debug op: ``node:0:DebugIdentity``."""
    return f"{get_tensor_name(node_name, output_slot)}:{debug_op}"


_TENSOR_FILE = re.compile(r"(.*)_(-?\d+)_([^_]+)_([^_]+)", re.DOTALL)


class DebugTensorDatum:
    """One dumped value.

    Args:
        dump_root: the folder of the dump.
        debug_dump_rel_path: the file below it.
        device_name: where the tensor is, for dumps of TensorFlow 1.0, which do not say it.

    Raises:
        ValueError: if the name of the file is not of the form node_0_DebugIdentity_timestamp.
    """

    def __init__(
        self, dump_root: str, debug_dump_rel_path: str, device_name: str | None = None
    ) -> None:
        path = os.path.normpath(debug_dump_rel_path)
        device, _, rest = path.partition(os.sep)
        # The time may be followed by a number that tells files of the same microsecond apart.
        self._extended_timestamp = path.rsplit("_", 1)[-1]
        base = os.path.basename(path)
        if base.count("_") < 3:
            raise ValueError(f"Dump file path does not conform to the naming pattern: {base}")
        name = rest if rest and device_name is None else path
        node, slot, self._debug_op, stamp = name.rsplit("_", 3)
        self._timestamp = int(stamp.split("-")[0])
        self._node_name = node.replace(os.sep, "/")
        self._output_slot = int(slot)
        self._device_name = device_name or device_path_to_device_name(device)
        self._file_path = os.path.join(dump_root, debug_dump_rel_path)
        self._dump_size: int | None = (
            file_statistics(self._file_path).length if os.path.exists(self._file_path) else None
        )

    def __str__(self) -> str:
        return (
            f"{{DebugTensorDatum ({self.device_name}) {self.node_name}:{self.output_slot} @ "
            f"{self.debug_op} @ {self.timestamp}}}"
        )

    __repr__ = __str__

    def get_tensor(self) -> Any:
        """Reads the value; an `InconvertibleTensorProto` if it is not an array."""
        return load_tensor_from_event_file(self.file_path)

    @property
    def timestamp(self) -> int:
        """When it was dumped, in microseconds since 1970."""
        return self._timestamp

    @property
    def extended_timestamp(self) -> str:
        """The time with what tells values of the same microsecond apart."""
        return self._extended_timestamp

    @property
    def debug_op(self) -> str:
        """The type of the debug op."""
        return self._debug_op

    @property
    def device_name(self) -> str:
        """Where the tensor is."""
        return self._device_name

    @property
    def node_name(self) -> str:
        """The node whose output it is."""
        return self._node_name

    @property
    def output_slot(self) -> int:
        """Which output of the node it is."""
        return self._output_slot

    @property
    def tensor_name(self) -> str:
        """The name of the tensor, ``node:0``."""
        return get_tensor_name(self.node_name, self.output_slot)

    @property
    def watch_key(self) -> str:
        """The names of tensor and debug op, ``node:0:DebugIdentity``."""
        return get_tensor_watch_key(self.node_name, self.output_slot, self.debug_op)

    @property
    def file_path(self) -> str:
        """The file that the value is in."""
        return self._file_path

    @property
    def dump_size_bytes(self) -> int | None:
        """The size of the file; None if it is not there."""
        return self._dump_size
