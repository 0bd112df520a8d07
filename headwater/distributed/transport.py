"""gRPC between the tasks of a cluster: channels, TensorFlow's services, errors on the wire."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from headwater.base import errors
from headwater.base.lazy import LazyModule
from headwater.distributed.pushes import Push
from headwater.distributed.threads import Threads
from headwater.protos.lazy import master_pb2, worker_pb2

_grpc: Any = LazyModule("grpc")

MASTER = "tensorflow.MasterService"
WORKER = "tensorflow.WorkerService"
# What servers of TensorFlow do not have.
TASKS = "headwater.TaskService"
TASK_METHODS = ["PutTensors"]
# How devices of Headwater's tasks describe themselves.
HEADWATER_DEVICE = "headwater"

MASTER_METHODS = (
    "CreateSession ExtendSession PartialRunSetup RunStep CloseSession ListDevices Reset "
    "MakeCallable RunCallable ReleaseCallable"
).split()
WORKER_METHODS = (
    "GetStatus CreateWorkerSession DeleteWorkerSession RegisterGraph DeregisterGraph RunGraph "
    "CleanupGraph CleanupAll RecvTensor MarkRecvFinished Logging Tracing"
).split()

# After this time without a sign of life a connection is probed, and after the same time it is given
# up.
PROBE_MS = 10_000
# The largest message that protocol buffers allow.
_MOST_BYTES = 2**31 - 1
# The largest that HTTP/2 allows.
_FRAME_BYTES = 2**24 - 1
# gRPC sends error texts as headers, which servers limit to 8 KiB.
_MOST_ERROR_TEXT = 3072
_CERTIFICATE, _KEY, _AUTHORITY = (
    "HEADWATER_TLS_CERTIFICATE",
    "HEADWATER_TLS_KEY",
    "HEADWATER_TLS_AUTHORITY",
)
_NODE_OF_OURS = re.compile(r"\[\[node (\S+) \]\]")
# A node in the text of an error, on the wire or here.
NODE = re.compile(r"\[\[(?:\{\{)?node ([^}\s]+)(?:\}\}| )\]\]")


def message_limit() -> int:
    """The size of the largest message that is sent or taken, in bytes."""
    return int(os.environ.get("HEADWATER_GRPC_MAX_MESSAGE_BYTES", _MOST_BYTES))


def _options() -> list[tuple[str, int]]:
    return [
        ("grpc.max_send_message_length", message_limit()),
        ("grpc.max_receive_message_length", message_limit()),
        # Large tensors in few frames: 3 times as fast as in those of the default size.
        ("grpc.http2.max_frame_size", _FRAME_BYTES),
    ]


def _tls_file(variable: str) -> bytes | None:
    path = os.environ.get(variable)
    return Path(path).read_bytes() if path else None


def channel_to(address: str) -> Any:
    """A channel to a task.

    Args:
        address: ``host:port``.

    Returns:
        A grpc.Channel: with TLS if HEADWATER_TLS_AUTHORITY names the certificate of the authority
        that the servers' certificates come from, otherwise without.
    """
    options = [
        *_options(),
        # A restarted task is found again at once, not after a growing time.
        ("grpc.max_reconnect_backoff_ms", 1000),
        ("grpc.initial_reconnect_backoff_ms", 100),
        # Channels to one address must not share a connection: each is closed on its own.
        ("grpc.use_local_subchannel_pool", 1),
        ("grpc.enable_http_proxy", 0),
    ]
    authority = _tls_file(_AUTHORITY)
    if authority is None:
        return _grpc.insecure_channel(address, options)
    # Servers of TensorFlow, which have no TLS, refuse channels that probe.
    options += [
        ("grpc.keepalive_time_ms", PROBE_MS),
        ("grpc.keepalive_timeout_ms", PROBE_MS),
        ("grpc.http2.max_pings_without_data", 0),
    ]
    credentials = _grpc.ssl_channel_credentials(authority, _tls_file(_KEY), _tls_file(_CERTIFICATE))
    return _grpc.secure_channel(address, credentials, options)


def is_secured() -> bool:
    """Whether servers of this process speak TLS."""
    return _tls_file(_CERTIFICATE) is not None and _tls_file(_KEY) is not None


def encoded(message: Any) -> bytes:
    """The bytes of a message, of TensorFields or of a Push, or what has been encoded already."""
    if isinstance(message, bytes):
        return message
    data: bytes = message.joined() if is_split(message) else message.SerializeToString()
    return data


def is_split(message: Any) -> bool:
    """Whether a message is TensorFields or a Push, which can be sent in parts."""
    return hasattr(message, "joined")


def messages_of(method: str) -> tuple[Any, Any]:
    """The classes of the request and the response of a method."""
    if method == "PutTensors":
        return Push, worker_pb2.CleanupGraphResponse
    module = master_pb2 if method in MASTER_METHODS else worker_pb2
    return getattr(module, f"{method}Request"), getattr(module, f"{method}Response")


def error_of(error: Any) -> errors.OpError:
    """The OpError of a failed call."""
    if not hasattr(error, "code"):
        return errors.CancelledError(None, None, "RPC cancelled")
    text = error.details() or ""
    if text in ("Deadline Exceeded", "") and error.code() is _grpc.StatusCode.DEADLINE_EXCEEDED:
        text = "Deadline Exceeded"
    return errors.make_error(error.code().value[0], text)


def wire_text(error: errors.OpError) -> str:
    """The text of an error as TensorFlow's runtime writes it: clients know the nodes' lines."""
    return _NODE_OF_OURS.sub(r"[[{{node \1}}]]", str(error.message))


def failed_node(text: str) -> str | None:
    """The name of the first node that the text of a runtime's error names."""
    found = NODE.search(text)
    return found.group(1) if found else None


def make_server(
    handlers: dict[str, dict[str, Callable[[Any, Any], Any]]], links: Any, address: str
) -> Any:
    """Makes a gRPC server that is not started yet.

    Args:
        handlers: functions of request and context, by service and method.
        links: the handler of the method that opens links.
        address: where it listens; port 0 takes a free port.

    Returns:
        The server and its port; the port is 0 if it cannot listen there.
    """
    server = _grpc.server(
        Threads(),
        options=[
            *_options(),
            ("grpc.so_reuseport", 0),
            # Channels with TLS are probed.
            ("grpc.http2.min_ping_interval_without_data_ms", PROBE_MS // 2),
            ("grpc.keepalive_time_ms", PROBE_MS),
            ("grpc.keepalive_timeout_ms", PROBE_MS),
            ("grpc.http2.max_pings_without_data", 0),
            ("grpc.http2.ping_timeout_ms", PROBE_MS),
        ],
    )
    for service, methods in handlers.items():
        server.add_generic_rpc_handlers((_handler(service, methods),))
    server.add_generic_rpc_handlers((links,))
    certificate, key = _tls_file(_CERTIFICATE), _tls_file(_KEY)
    try:
        if certificate and key:
            authority = _tls_file(_AUTHORITY)
            credentials = _grpc.ssl_server_credentials(
                [(key, certificate)], authority, require_client_auth=authority is not None
            )
            port = server.add_secure_port(address, credentials)
        else:
            port = server.add_insecure_port(address)
    except RuntimeError:
        port = 0
    return server, port


def _handler(service: str, methods: dict[str, Callable[[Any, Any], Any]]) -> Any:
    handlers = {}
    for name, function in methods.items():
        request, _ = messages_of(name)
        handlers[name] = _grpc.unary_unary_rpc_method_handler(
            _with_status(function),
            request_deserializer=request.FromString,
            response_serializer=encoded,
        )
    return _grpc.method_handlers_generic_handler(service, handlers)


def _with_status(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """A method whose errors end the call with their code and text."""

    def method(request: Any, context: Any) -> Any:
        try:
            return function(request, context)
        except errors.OpError as error:
            code, text = error.error_code, wire_text(error)
        except Exception as error:
            code, text = errors.INTERNAL, f"{type(error).__name__}: {error}"
        statuses = {status.value[0]: status for status in _grpc.StatusCode}
        status = statuses.get(code, _grpc.StatusCode.UNKNOWN)
        context.abort(status, text[:_MOST_ERROR_TEXT])

    return method
