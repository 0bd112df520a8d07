"""Sends the lines that made a graph, and the files they are in, to debug servers."""

from __future__ import annotations

import os
import socket
import traceback
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from headwater.base import errors
from headwater.base.lazy import LazyModule
from headwater.debug.lib import library_paths
from headwater.graph import Graph
from headwater.profiling.op_log import Strings, complete_op_log
from headwater.protos.lazy import debug_pb2, debug_service_pb2

_grpc: Any = LazyModule("grpc")

_SERVICE = "/tensorflow.EventListener/"
_SECONDS = 60.0
# Servers take messages of 4 MiB by default; larger files are left out.
_MOST_BYTES = 3 * 2**20


def send_graph_tracebacks(
    destinations: Iterable[str],
    run_key: str,
    origin_stack: traceback.StackSummary,
    graph: Graph,
    send_source: bool = True,
) -> None:
    """Sends the lines that made the nodes of a graph.

    Args:
        destinations: the addresses of the servers.
        run_key: what tells this kind of run from others.
        origin_stack: the calls that have led to the run.
        graph: the graph.
        send_source: whether the files of the user's lines are sent as well.

    Raises:
        UnavailableError: if a server does not take them.
    """
    call = debug_service_pb2.CallTraceback(
        call_type=debug_service_pb2.CallTraceback.GRAPH_EXECUTION,
        call_key=run_key,
        graph_version=graph.version,
    )
    call.graph_traceback.CopyFrom(complete_op_log(graph))
    strings = Strings(call.origin_id_to_string)
    for frame in origin_stack:
        line = call.origin_stack.traces.add(lineno=frame.lineno)
        line.file_id = strings.id_of(frame.filename)
        line.function_id = strings.id_of(frame.name)
    paths = {frame.filename for frame in origin_stack}
    names = call.graph_traceback.id_to_string
    for entry in call.graph_traceback.log_entries:
        paths.update(names[trace.file_id] for trace in entry.code_def.traces)
    for address in destinations:
        _send(address, "SendTracebacks", [call])
        if send_source:
            _send(address, "SendSourceFiles", list(_sources(paths)))


def _sources(paths: Iterable[str]) -> Iterable[Any]:
    """The files of a user, each as a DebuggedSourceFiles."""
    for path in sorted(paths):
        if library_paths.guess_is_tensorflow_py_library(path) or not os.path.isfile(path):
            continue
        # A file that cannot be read has no lines to show.
        with suppress(OSError, UnicodeDecodeError):
            about = os.stat(path)
            if about.st_size > _MOST_BYTES:
                continue
            with open(path, encoding="utf-8") as file:
                lines = file.read().split("\n")
            files = debug_pb2.DebuggedSourceFiles()
            files.source_files.add(
                host=socket.gethostname(),
                file_path=path,
                last_modified=int(about.st_mtime * 1e6),
                bytes=about.st_size,
                lines=lines,
            )
            yield files


def _send(address: str, method: str, messages: list[Any]) -> None:
    address = address.removeprefix("grpc://").partition("/")[0]
    options = [("grpc.max_send_message_length", -1)]
    with _grpc.insecure_channel(address, options=options) as channel:
        send = channel.unary_unary(
            _SERVICE + method, request_serializer=lambda message: message.SerializeToString()
        )
        for message in messages:
            try:
                send(message, timeout=_SECONDS, wait_for_ready=True)
            except _grpc.RpcError as error:
                text = f"The gRPC debug server at {address} failed: {error.details()}"
                raise errors.UnavailableError(None, None, text) from None
