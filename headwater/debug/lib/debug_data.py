"""DebugDumpDir: what a watched run has dumped."""

from __future__ import annotations

import glob
import json
import os
import re
from collections.abc import Callable, Iterator
from typing import Any

from headwater.debug.lib import debug_graphs
from headwater.debug.lib.debug_datum import (
    CORE_METADATA_TAG,
    DEVICE_TAG,
    FEED_KEYS_INFO_FILE_TAG,
    FETCHES_INFO_FILE_TAG,
    GRAPH_FILE_TAG,
    HASH_TAG,
    METADATA_FILE_PREFIX,
    CoreMetadata,
    DebugTensorDatum,
    InconvertibleTensorProto,
    device_name_to_device_path,
    device_path_to_device_name,
    extract_core_metadata_from_event_proto,
    get_tensor_name,
    get_tensor_watch_key,
    has_inf_or_nan,
    load_graph_def_from_event_file,
    load_log_message_from_event_file,
    load_tensor_from_event,
    load_tensor_from_event_file,
)
from headwater.debug.lib.library_paths import guess_is_tensorflow_py_library

__all__ = [
    "CORE_METADATA_TAG",
    "DEVICE_TAG",
    "FEED_KEYS_INFO_FILE_TAG",
    "FETCHES_INFO_FILE_TAG",
    "GRAPH_FILE_TAG",
    "HASH_TAG",
    "METADATA_FILE_PREFIX",
    "DebugDumpDir",
    "DebugTensorDatum",
    "InconvertibleTensorProto",
    "WatchKeyDoesNotExistInDebugDumpDirError",
    "device_name_to_device_path",
    "device_path_to_device_name",
    "extract_core_metadata_from_event_proto",
    "has_inf_or_nan",
    "load_tensor_from_event",
    "load_tensor_from_event_file",
]

_CoreMetadata = CoreMetadata
_get_tensor_name = get_tensor_name
_get_tensor_watch_key = get_tensor_watch_key
_load_graph_def_from_event_file = load_graph_def_from_event_file
_load_log_message_from_event_file = load_log_message_from_event_file

_FIRST_DEVICE = "/job:localhost/replica:0/task:0/device:CPU:0"
_MERGES = ("Merge", "RefMerge")


def _glob(glob_pattern: str) -> list[str]:
    return glob.glob(glob_pattern)


def _is_graph_file(file_name: str) -> bool:
    return file_name.startswith(METADATA_FILE_PREFIX + GRAPH_FILE_TAG)


def _is_run_fetches_info_file(file_name: str) -> bool:
    return file_name == METADATA_FILE_PREFIX + FETCHES_INFO_FILE_TAG


def _is_run_feed_keys_info_file(file_name: str) -> bool:
    return file_name == METADATA_FILE_PREFIX + FEED_KEYS_INFO_FILE_TAG


class WatchKeyDoesNotExistInDebugDumpDirError(ValueError):
    """A dump has no value of a tensor that is asked for."""


class DebugDumpDir:
    """What a watched run has dumped: values, graphs, and facts of the run.

    Args:
        dump_root: the folder.
        partition_graphs: the GraphDefs of the run's devices; None to read those of the dump.
        validate: whether the values are checked against the graphs.

    Raises:
        IOError: if the folder does not exist.
        ValueError: if the values do not fit the graphs.
    """

    def __init__(self, dump_root: str, partition_graphs: Any = None, validate: bool = True) -> None:
        if not os.path.isdir(dump_root):
            raise OSError(f"Dump root directory {dump_root} does not exist")
        self._dump_root = dump_root
        self._device_names: list[str] = []
        self._core_metadata = self._load_core_metadata()
        self._fetches_info = self._messages(FETCHES_INFO_FILE_TAG)
        self._feed_keys_info = self._messages(FEED_KEYS_INFO_FILE_TAG)
        self._data: dict[str, list[DebugTensorDatum]] = {}
        self._by_key: dict[str, dict[str, list[DebugTensorDatum]]] = {}
        self._watched: dict[str, dict[str, dict[int, set[str]]]] = {}
        self._partition_graphs: dict[str, Any] = {}
        self._debug_graphs: dict[str, debug_graphs.DebugGraph] = {}
        self._node_devices: dict[str, set[str]] = {}
        self._python_graph: Any = None
        folders = sorted(_glob(self._path(DEVICE_TAG)))
        for folder in folders:
            self._load_device(folder, device_path_to_device_name(os.path.basename(folder)))
        if not folders and _glob(self._path(GRAPH_FILE_TAG)):
            self._load_device_of_old_release()
        self._t0 = min((data[0].timestamp for data in self._data.values() if data), default=None)
        self._load_partition_graphs(partition_graphs, validate)

    # Loading

    def _path(self, tag: str) -> str:
        return os.path.join(glob.escape(self._dump_root), METADATA_FILE_PREFIX + tag + "*")

    def _load_core_metadata(self) -> list[CoreMetadata]:
        messages = self._messages(CORE_METADATA_TAG)
        facts = [json.loads(message) for message in messages]
        return [CoreMetadata(*(fact[n] for n in CoreMetadata._fields)) for fact in facts]

    def _messages(self, tag: str) -> list[str]:
        return [load_log_message_from_event_file(path) for path in sorted(_glob(self._path(tag)))]

    def _load_device_of_old_release(self) -> None:
        """Loads a dump of TensorFlow 1.0, which has no folders of devices."""
        graph = load_graph_def_from_event_file(_glob(self._path(GRAPH_FILE_TAG))[0])
        device = debug_graphs._infer_device_name(graph) or _FIRST_DEVICE
        self._load_device(self._dump_root, device, named_by_path=False)

    def _load_device(self, folder: str, device: str, named_by_path: bool = True) -> None:
        self._device_names.append(device)
        data = []
        for path, _, names in os.walk(folder):
            for name in names:
                if _is_graph_file(name):
                    graph = load_graph_def_from_event_file(os.path.join(path, name))
                    self._partition_graphs[device] = graph
                elif not name.startswith(METADATA_FILE_PREFIX):
                    relative = os.path.relpath(os.path.join(path, name), self._dump_root)
                    given = None if named_by_path else device
                    data.append(DebugTensorDatum(self._dump_root, relative, given))
        data.sort(key=lambda datum: (datum.timestamp, datum.extended_timestamp))
        self._data[device] = data
        by_key = self._by_key[device] = {}
        watched = self._watched[device] = {}
        for datum in data:
            by_key.setdefault(datum.watch_key, []).append(datum)
            slots = watched.setdefault(datum.node_name, {})
            slots.setdefault(datum.output_slot, set()).add(datum.debug_op)

    def _load_partition_graphs(self, client_graphs: Any, validate: bool) -> None:
        if client_graphs:
            self._partition_graphs = {}
            for graph in client_graphs:
                device = debug_graphs._infer_device_name(graph)
                self._partition_graphs[device or self._device_names[0]] = graph
        for device, graph in self._partition_graphs.items():
            debug_graph = debug_graphs.DebugGraph(graph, device_name=device)
            self._debug_graphs[device] = debug_graph
            for node, devices in debug_graph.node_devices.items():
                self._node_devices.setdefault(node, set()).update(devices)
            if validate and device in self._data:
                self._validate(device)

    def _validate(self, device: str) -> None:
        """Checks that dumped nodes are in the graph, and that inputs were dumped first."""
        graph = self._debug_graphs[device]
        identities = {
            node: {slot for slot, ops in slots.items() if "DebugIdentity" in ops}
            for node, slots in self._watched[device].items()
        }
        for datum in self._data[device]:
            if datum.node_name not in graph.node_inputs:
                raise ValueError(
                    f"Node name '{datum.node_name}' is not found in partition graphs of device "
                    f"{device}."
                )
        pending = {
            node: {
                (name, slot)
                for name, slot in map(_node_and_slot, inputs)
                if slot in identities.get(name, ()) and graph.node_op_types[node] not in _MERGES
            }
            for node, inputs in graph.node_inputs.items()
        }
        for position, datum in enumerate(self._data[device]):
            waiting = pending[datum.node_name]
            if waiting and not self._satisfied(device, waiting, datum.timestamp, position):
                raise ValueError(
                    "Causality violated in timing relations of debug dumps: "
                    f"{datum.node_name} ({datum.timestamp}): these input(s) are not satisfied: "
                    f"{sorted(waiting)!r}"
                )
            for recipient in graph.node_recipients.get(datum.node_name, ()):
                pending[recipient].discard((datum.node_name, datum.output_slot))

    def _satisfied(
        self, device: str, waiting: set[tuple[str, int]], timestamp: int, start: int
    ) -> bool:
        """Whether values that are waited for come in the same microsecond."""
        left = set(waiting)
        for datum in self._data[device][start + 1 :]:
            if datum.timestamp > timestamp:
                break
            left.discard((datum.node_name, datum.output_slot))
        return not left

    # Facts of the run

    @property
    def core_metadata(self) -> Any:
        """The facts of the run; a list if the folder has more than one."""
        return self._core_metadata[0] if len(self._core_metadata) == 1 else self._core_metadata

    @property
    def run_fetches_info(self) -> Any:
        """The fetches of the run as text; a list if there is not exactly one."""
        return self._fetches_info[0] if len(self._fetches_info) == 1 else self._fetches_info

    @property
    def run_feed_keys_info(self) -> Any:
        """The feeds of the run as text; a list if there is not exactly one."""
        return self._feed_keys_info[0] if len(self._feed_keys_info) == 1 else self._feed_keys_info

    @property
    def t0(self) -> int | None:
        """The time of the first value, in microseconds since 1970."""
        return self._t0

    @property
    def size(self) -> int:
        """How many values there are."""
        return sum(map(len, self._data.values()))

    def devices(self) -> list[str]:
        """The devices that values were made on."""
        return self._device_names

    # Values

    @property
    def dumped_tensor_data(self) -> list[DebugTensorDatum]:
        """All values, in the order of time."""
        data = [datum for data in self._data.values() for datum in data]
        return sorted(data, key=lambda datum: datum.extended_timestamp)

    def find(
        self,
        predicate: Callable[[DebugTensorDatum, Any], bool],
        first_n: int = 0,
        device_name: str | None = None,
        exclude_node_names: str | None = None,
    ) -> list[DebugTensorDatum]:
        """The values for which a function is true.

        Args:
            predicate: the function of a datum and its value.
            first_n: how many are wanted at most; 0 for all.
            device_name: the device; None for all.
            exclude_node_names: a regular expression that matches the names of nodes to leave out.
        """
        pattern = re.compile(exclude_node_names) if exclude_node_names else None
        found: list[DebugTensorDatum] = []
        for device in [device_name] if device_name else self._data:
            for datum in self._data[device]:
                if pattern and pattern.match(datum.node_name):
                    continue
                if predicate(datum, datum.get_tensor()):
                    found.append(datum)
                    if 0 < first_n <= len(found):
                        return found
        return found

    def watch_key_to_data(
        self, debug_watch_key: str, device_name: str | None = None
    ) -> list[DebugTensorDatum]:
        """The values of a watch key, in the order of time.

        Args:
            debug_watch_key: such as ``node:0:DebugIdentity``.
            device_name: the device, which must be given if several have the key.

        Raises:
            ValueError: if it must be given and is not.
        """
        if device_name is None:
            devices = [name for name, keys in self._by_key.items() if debug_watch_key in keys]
            if not devices:
                return []
            if len(devices) > 1:
                raise ValueError(
                    f"The debug watch key '{debug_watch_key}' exists on multiple "
                    f"({len(devices)}) devices, but device name is not specified."
                )
            device_name = devices[0]
        elif device_name not in self._by_key:
            raise ValueError(
                f"There is no tensor dumped on device '{device_name}' in this dump directory"
            )
        return self._by_key[device_name].get(debug_watch_key, [])

    def debug_watch_keys(self, node_name: str, device_name: str | None = None) -> list[str]:
        """The watch keys of a node.

        Args:
            node_name: the node.
            device_name: its device, which must be given if several have the node.
        """
        try:
            device = self._infer_device_name(device_name, node_name)
        except ValueError:
            return []
        slots = self._watched.get(device, {}).get(node_name, {})
        return [
            get_tensor_watch_key(node_name, slot, debug_op)
            for slot, debug_ops in sorted(slots.items())
            for debug_op in sorted(debug_ops)
        ]

    def _found(
        self, node: str, slot: int, debug_op: str, device: str | None, where: bool = True
    ) -> list[DebugTensorDatum]:
        key = get_tensor_watch_key(node, slot, debug_op)
        if device is None:
            names = [name for name, keys in self._by_key.items() if key in keys]
            names = names or [name for name, nodes in self._watched.items() if node in nodes]
            if len(names) > 1:
                device = self._infer_device_name(None, node)
            device = device or (names[0] if names else None)
        data = self._by_key.get(device or "", {}).get(key)
        if data is None:
            place = f" of device {device}" if where else ""
            raise WatchKeyDoesNotExistInDebugDumpDirError(
                f'Watch key "{key}" does not exist in the debug dump{place}'
            )
        return data

    def get_tensors(
        self, node_name: str, output_slot: int, debug_op: str, device_name: str | None = None
    ) -> list[Any]:
        """The values of a tensor, in the order of time.

        Args:
            node_name: the node.
            output_slot: its output.
            debug_op: the type of the debug op.
            device_name: the device, which must be given if several have the tensor.

        Raises:
            WatchKeyDoesNotExistInDebugDumpDirError: if there are none.
        """
        data = self._found(node_name, output_slot, debug_op, device_name)
        return [datum.get_tensor() for datum in data]

    def get_tensor_file_paths(
        self, node_name: str, output_slot: int, debug_op: str, device_name: str | None = None
    ) -> list[str]:
        """The files of a tensor's values; as `get_tensors`."""
        data = self._found(node_name, output_slot, debug_op, device_name)
        return [datum.file_path for datum in data]

    def get_rel_timestamps(
        self, node_name: str, output_slot: int, debug_op: str, device_name: str | None = None
    ) -> list[int]:
        """When a tensor's values were dumped, in microseconds after `t0`; as `get_tensors`."""
        data = self._found(node_name, output_slot, debug_op, device_name, where=False)
        return [datum.timestamp - (self._t0 or 0) for datum in data]

    def get_dump_sizes_bytes(
        self, node_name: str, output_slot: int, debug_op: str, device_name: str | None = None
    ) -> list[int | None]:
        """The sizes of the files of a tensor's values; as `get_tensors`."""
        data = self._found(node_name, output_slot, debug_op, device_name)
        return [datum.dump_size_bytes for datum in data]

    # Graphs

    def partition_graphs(self) -> list[Any]:
        """The GraphDefs of the run, with debug nodes.

        Raises:
            LookupError: if there are none.
        """
        self._check_graphs()
        return [graph.debug_graph_def for graph in self._debug_graphs.values()]

    def reconstructed_non_debug_partition_graphs(self) -> dict[str, Any]:
        """The GraphDefs of the run without debug nodes, by device.

        Raises:
            LookupError: if there are none.
        """
        self._check_graphs()
        return {name: graph.non_debug_graph_def for name, graph in self._debug_graphs.items()}

    def loaded_partition_graphs(self) -> bool:
        """Whether there are graphs."""
        return bool(self._debug_graphs)

    def _check_graphs(self, purpose: str = "") -> None:
        if not self._debug_graphs:
            raise LookupError(f"No partition graphs have been loaded.{purpose}")

    def _infer_device_name(self, device_name: str | None, node_name: str) -> str:
        """The device of a node.

        Raises:
            ValueError: if it does not exist, or if there is more than one.
        """
        if device_name is not None:
            return device_name
        known: dict[str, Any] = self._debug_graphs or self._watched
        devices = [
            name
            for name, graph in known.items()
            if node_name in (graph.node_inputs if self._debug_graphs else graph)
        ]
        if not devices:
            raise ValueError(f"None of the {len(known)} device(s) has a node named '{node_name}'.")
        if len(devices) > 1:
            raise ValueError(
                f"There are multiple ({len(devices)}) devices with nodes named '{node_name}' but "
                "device_name is not specified."
            )
        return devices[0]

    def _graph_of(self, node_name: str, device_name: str | None) -> debug_graphs.DebugGraph:
        self._check_graphs()
        return self._debug_graphs[self._infer_device_name(device_name, node_name)]

    def nodes(self, device_name: str | None = None) -> list[str]:
        """The names of the nodes of a device; of all devices if it is None.

        Raises:
            LookupError: if there are no graphs.
            ValueError: if there is no such device.
        """
        self._check_graphs()
        if device_name is None:
            return [name for graph in self._debug_graphs.values() for name in graph.node_inputs]
        if device_name not in self._debug_graphs:
            raise ValueError(f"Invalid device name: {device_name}")
        return list(self._debug_graphs[device_name].node_inputs)

    def node_attributes(self, node_name: str, device_name: str | None = None) -> Any:
        """The attrs of a node."""
        return self._graph_of(node_name, device_name).node_attributes[node_name]

    def node_inputs(
        self, node_name: str, is_control: bool = False, device_name: str | None = None
    ) -> list[str]:
        """The tensors that a node takes, or the nodes that it waits for.

        Args:
            node_name: the node.
            is_control: whether the nodes that it waits for are wanted.
            device_name: its device, which must be given if several have the node.

        Raises:
            LookupError: if there are no graphs.
            ValueError: if the node does not exist.
        """
        graph = self._graph_of(node_name, device_name)
        return (graph.node_ctrl_inputs if is_control else graph.node_inputs)[node_name]

    def node_recipients(
        self, node_name: str, is_control: bool = False, device_name: str | None = None
    ) -> list[str]:
        """The nodes that take the outputs of a node, or that wait for it; as `node_inputs`."""
        graph = self._graph_of(node_name, device_name)
        return (graph.node_ctrl_recipients if is_control else graph.node_recipients)[node_name]

    def transitive_inputs(
        self,
        node_name: str,
        include_control: bool = True,
        include_reversed_ref: bool = False,
        device_name: str | None = None,
    ) -> list[str]:
        """What a node depends on, up to the beginning of loops.

        Args:
            node_name: the node.
            include_control: whether control inputs count.
            include_reversed_ref: whether nodes count that change a variable through a reference.
            device_name: its device, which must be given if several have the node.

        Raises:
            LookupError: if there are no graphs.
            ValueError: if the node does not exist.
        """
        self._check_graphs()
        device = self._infer_device_name(device_name, node_name)
        inputs = self._input_lists(device, include_control, include_reversed_ref)
        tracer = debug_graphs.DFSGraphTracer(inputs, self._merge_nodes(device))
        tracer.trace(node_name)
        return tracer.inputs()

    def find_some_path(
        self,
        src_node_name: str,
        dst_node_name: str,
        include_control: bool = True,
        include_reversed_ref: bool = False,
        device_name: str | None = None,
    ) -> list[str] | None:
        """A path along edges of the graph.

        Args:
            src_node_name: where it begins.
            dst_node_name: where it ends.
            include_control: whether control edges count.
            include_reversed_ref: whether references count in both directions.
            device_name: the device, which must be given if several have the nodes.

        Returns:
            The names from the first to the last; None if there is no path.

        Raises:
            ValueError: if the nodes are not on one device.
        """
        source = self._infer_device_name(device_name, src_node_name)
        target = self._infer_device_name(device_name, dst_node_name)
        if source != target:
            raise ValueError(
                f"No device contains both nodes '{src_node_name}' and '{dst_node_name}'"
            )
        inputs = self._input_lists(source, include_control, include_reversed_ref)
        tracer = debug_graphs.DFSGraphTracer(
            inputs, self._merge_nodes(source), destination_node_name=src_node_name
        )
        try:
            tracer.trace(dst_node_name)
        except debug_graphs.GraphTracingReachedDestination:
            return tracer.path()[::-1]
        return None

    def _input_lists(self, device: str, control: bool, refs: bool) -> list[dict[str, list[str]]]:
        graph = self._debug_graphs[device]
        lists = [graph.node_inputs]
        if control:
            lists.append(graph.node_ctrl_inputs)
        if refs:
            lists.append(graph.node_reversed_ref_inputs)
        return lists

    def _merge_nodes(self, device: str) -> set[str]:
        types = self._debug_graphs[device].node_op_types
        return {name for name, op_type in types.items() if op_type == "Merge"}

    def node_exists(self, node_name: str, device_name: str | None = None) -> bool:
        """Whether there is a node.

        Args:
            node_name: the node.
            device_name: the device; None for any.

        Raises:
            LookupError: if there are no graphs.
            ValueError: if the device does not exist.
        """
        self._check_graphs()
        if device_name is not None and device_name not in self._debug_graphs:
            raise ValueError(f"The specified device_name '{device_name}' cannot be found.")
        graphs: Iterator[tuple[str, debug_graphs.DebugGraph]] = iter(self._debug_graphs.items())
        return any(
            node_name in graph.node_inputs for name, graph in graphs if device_name in (None, name)
        )

    def node_device(self, node_name: str) -> str | list[str]:
        """The device of a node; a list if there are several.

        Raises:
            LookupError: if there are no graphs.
            ValueError: if the node does not exist.
        """
        self._check_graphs()
        devices = self._node_devices.get(node_name)
        if not devices:
            raise ValueError(f"Node '{node_name}' does not exist in partition graphs.")
        return sorted(devices) if len(devices) > 1 else next(iter(devices))

    def node_op_type(self, node_name: str, device_name: str | None = None) -> str:
        """The op type of a node."""
        return self._graph_of(node_name, device_name).node_op_types[node_name]

    # The Python side

    @property
    def python_graph(self) -> Any:
        """The tf.Graph that the run was of; None if it has not been set."""
        return self._python_graph

    def set_python_graph(self, python_graph: Any) -> None:
        """Sets the tf.Graph that the run was of, which knows where nodes were made."""
        self._python_graph = python_graph

    def node_traceback(self, element_name: str) -> Any:
        """The lines of Python that made a node.

        Args:
            element_name: the name of the node or of a tensor.

        Returns:
            A tuple of (file, line, function, text), the innermost last.

        Raises:
            LookupError: if the graph has not been set.
            KeyError: if it has no such node.
        """
        if self._python_graph is None:
            raise LookupError("Python graph is not available for traceback lookup")
        node_name = debug_graphs.get_node_name(element_name)
        try:
            frames = self._python_graph.get_operation_by_name(node_name).traceback
        except KeyError:
            raise KeyError(f'Cannot find node "{node_name}" in Python graph') from None
        return tuple(_of_program(list(map(tuple, frames))))


def _of_program(frames: list[Any]) -> list[Any]:
    """The frames without those of `headwater run`, which come before the program's."""
    for position, (path, *_) in enumerate(frames):
        if not path.startswith("<frozen") and not guess_is_tensorflow_py_library(path):
            return frames[position:]
    return frames


def _node_and_slot(element: str) -> tuple[str, int]:
    return debug_graphs.get_node_name(element), debug_graphs.get_output_slot(element)
