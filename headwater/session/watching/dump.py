"""Dumps: Events with the values of watched tensors, graphs and facts, in folders or to servers."""

from __future__ import annotations

import json
import threading
import time
import zlib
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.dtypes import DType
from headwater.io.files import folder_of, join_path, make_folders, open_file
from headwater.io.tensor_proto import proto_of_elements, shape_proto
from headwater.protos.lazy import event_pb2, tensor_pb2
from headwater.session.watching.server_stream import ServerStream
from headwater.session.watching.watches import FILE_SCHEME, GRPC_SCHEME

# The names of files and folders that are not of tensors begin so.
METADATA = "_tfdbg_"
_DT_RESOURCE = 20


def device_folder(device_name: str) -> str:
    """The folder of the values that were made on a device."""
    return f"{METADATA}device_" + device_name.replace(":", "_").replace("/", ",")


class Dump:
    """Writes the dump of one run.

    Every file has the time in microseconds in its name; no two of a dump have the same.

    Args:
        urls: the dump folders and debug servers; a value goes to each that its op names.

    Raises:
        FailedPreconditionError: if there is no debug server.
    """

    def __init__(self, urls: list[str]) -> None:
        self._folders = _places(urls, FILE_SCHEME)
        self._streams: dict[str, ServerStream] = {}
        for address in _places(urls, GRPC_SCHEME):
            self._streams[address] = ServerStream(address)
        self._made: set[str] = set()
        self._last = 0
        self._lock = threading.Lock()

    def tensor(
        self,
        urls: list[str],
        device: str,
        node: str,
        slot: int,
        debug_op: str,
        proto: Any,
        gated: bool = False,
    ) -> None:
        """Writes what a debug op says of a tensor.

        Args:
            urls: where it goes.
            device: where the tensor is.
            node: the name of its node.
            slot: which output of the node it is.
            debug_op: the type of the debug op.
            proto: its output, as a TensorProto.
            gated: whether debug servers must have enabled it.
        """
        now = self._now()
        event = event_pb2.Event(wall_time=now)
        value = event.summary.value.add(tag=node, node_name=f"{node}:{slot}:{debug_op}")
        value.tensor.CopyFrom(proto)
        value.metadata.plugin_data.plugin_name = "debugger"

        def about(chunk: int, count: int) -> bytes:
            facts = {"device": device, "outputSlot": slot, "numChunks": count, "chunkIndex": chunk}
            return _json(facts).encode()

        value.metadata.plugin_data.content = about(0, 1)
        for address in _places(urls, GRPC_SCHEME):
            self._streams[address].value(event, about, gated)
        for folder in _places(urls, FILE_SCHEME):
            path = join_path(device_folder(device), f"{node}_{slot}_{debug_op}_{now}")
            self._write(join_path(folder, path), event)

    def graph(self, device: str, graph_def: Any) -> None:
        """Writes the part of the graph that runs on a device, with its debug nodes."""
        now = self._now()
        data = graph_def.SerializeToString()
        event = event_pb2.Event(wall_time=now, graph_def=data)
        name = f"{METADATA}graph_hash{zlib.crc32(data)}_{now}"
        for stream in self._streams.values():
            stream.graph(event, f"{zlib.crc32(data)},{device},{now}")
        for folder in self._folders:
            self._write(join_path(folder, join_path(device_folder(device), name)), event)

    def core_metadata(self, run_index: int, facts: dict[str, Any]) -> None:
        """Writes the facts of the run, which is so many-th of its session."""
        now = self._now()
        event = event_pb2.Event(wall_time=now)
        event.log_message.message = _json(facts)
        name = f"{METADATA}core_metadata_sessionrun{run_index:014d}_{now}"
        for address, stream in self._streams.items():
            # A server tells clients apart by what follows its address in the URL.
            of_stream = event_pb2.Event(wall_time=now)
            of_stream.log_message.message = _json({**facts, "grpc_path": address.partition("/")[2]})
            stream.event(of_stream)
        for folder in self._folders:
            self._write(join_path(folder, name), event)

    def close(self) -> None:
        """Waits until debug servers have taken everything.

        Raises:
            UnavailableError: if one has not.
        """
        for stream in self._streams.values():
            stream.close()

    def _now(self) -> int:
        with self._lock:
            self._last = max(time.time_ns() // 1000, self._last + 1)
            return self._last

    def _write(self, path: str, event: Any) -> None:
        folder = folder_of(path)
        if folder not in self._made:
            try:
                make_folders(folder)
            except errors.OpError as error:
                raise errors.FailedPreconditionError(
                    None, None, f"Failed to create directory  {folder}, due to: {error.message}"
                ) from error
            self._made.add(folder)
        with open_file(path, "wb") as file:
            file.write(event.SerializeToString())


def _places(urls: list[str], scheme: str) -> list[str]:
    """What follows the scheme in those URLs that have it."""
    return [url[len(scheme) :] for url in urls if url.startswith(scheme)]


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, separators=(",", ":"))


def tensor_proto(value: Any, dtype: DType, shape: Any, name: str = "") -> Any:
    """A value as a TensorProto; the handle of a resource if it is not an array.

    Args:
        value: the value; None for a variable without one.
        dtype: the type of the tensor.
        shape: its static shape.
        name: the name of the resource.
    """
    base = dtype.base_dtype
    if base.name in ("resource", "variant") or not isinstance(value, (np.ndarray, np.generic)):
        if value is None:
            dims = shape if shape is not None and None not in shape else ()
            number = base.as_datatype_enum
            return tensor_pb2.TensorProto(dtype=number, tensor_shape=shape_proto(dims))
        proto = tensor_pb2.TensorProto(dtype=_DT_RESOURCE, tensor_shape=shape_proto(()))
        proto.resource_handle_val.add(name=name)
        return proto
    array = np.asarray(value)
    proto = proto_of_elements(array, base, array.shape)
    if array.size == 1 and array.dtype.kind in "biuf":
        # As TensorFlow's runtime writes it: DebugDumpDir and others look at the content.
        field = proto.DESCRIPTOR.fields_by_name
        for name in field:
            if name.endswith("_val"):
                proto.ClearField(name)
        proto.tensor_content = array.tobytes()
    return proto
