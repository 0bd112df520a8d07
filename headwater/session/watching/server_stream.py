"""The events of one run as a stream to a debug server: the service EventListener of TensorFlow."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from typing import Any

from headwater.base import errors
from headwater.base.lazy import LazyModule

# TensorBoard depends on it; a program that watches nothing does not load it.
_grpc: Any = LazyModule("grpc")

_METHOD = "/tensorflow.EventListener/SendEvents"
_CONNECT_SECONDS = 60.0
# Servers take messages of 4 MiB by default; the rest of an event needs some room.
_CHUNK_BYTES = 4 * 2**20 - 2**16


class ServerStream:
    """Sends the events of one run to a debug server, in their order.

    Args:
        address: the server as ``host:port``.

    Raises:
        FailedPreconditionError: if there is no server within a minute.
    """

    def __init__(self, address: str) -> None:
        self._address = address.partition("/")[0]
        self._events: queue.Queue[Any] = queue.Queue()
        self._channel = _grpc.insecure_channel(self._address)
        try:
            _grpc.channel_ready_future(self._channel).result(timeout=_CONNECT_SECONDS)
        except _grpc.FutureTimeoutError:
            self._channel.close()
            raise errors.FailedPreconditionError(
                None,
                None,
                f"Failed to connect to gRPC channel at {self._address} within a timeout of "
                f"{_CONNECT_SECONDS:g} s.",
            ) from None
        send = self._channel.stream_stream(
            _METHOD, request_serializer=lambda event: event.SerializeToString()
        )
        self._replies = send(self._waiting())

    def _waiting(self) -> Iterator[Any]:
        while (event := self._events.get()) is not None:
            yield event

    def event(self, event: Any) -> None:
        """Sends an event with the facts of the run."""
        self._events.put(event)

    def graph(self, event: Any, key: str) -> None:
        """Sends the graph of an event in chunks.

        Args:
            event: the Event.
            key: what identifies the graph: a hash, the device, and the time.
        """
        data = event.graph_def
        starts = range(0, max(len(data), 1), _CHUNK_BYTES)
        for i, start in enumerate(starts):
            chunk = type(event)(wall_time=event.wall_time)
            head = f"{key}|{i}|{len(starts)}|".encode()
            chunk.graph_def = head + data[start : start + _CHUNK_BYTES]
            self._events.put(chunk)

    def value(self, event: Any, about: Any) -> None:
        """Sends the value of a tensor, in chunks if it is large.

        Args:
            event: the Event.
            about: a function of the number of a chunk and the number of chunks, which returns what
                the metadata say.
        """
        data = event.summary.value[0].tensor.tensor_content
        starts = range(0, max(len(data), 1), _CHUNK_BYTES)
        for i, start in enumerate(starts):
            chunk = type(event)()
            chunk.CopyFrom(event)
            value = chunk.summary.value[0]
            value.metadata.plugin_data.content = about(i, len(starts))
            if len(starts) > 1:
                value.tensor.tensor_content = data[start : start + _CHUNK_BYTES]
            self._events.put(chunk)

    def close(self) -> None:
        """Waits until the server has taken everything.

        Raises:
            UnavailableError: if it has not.
        """
        self._events.put(None)
        try:
            for _ in self._replies:
                # Gated debug ops stay closed, so state changes are not asked for.
                continue
        except _grpc.RpcError as error:
            text = f"The gRPC debug server at {self._address} failed: {error.details()}"
            raise errors.UnavailableError(None, None, text) from None
        finally:
            self._channel.close()
