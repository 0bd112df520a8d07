"""The events of one run as a stream to a debug server: the service EventListener of TensorFlow."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from typing import Any

from headwater.base import cancellation, errors
from headwater.base.lazy import LazyModule
from headwater.protos.lazy import debug_service_pb2

# TensorBoard depends on it; a program that watches nothing does not load it.
_grpc: Any = LazyModule("grpc")

_METHOD = "/tensorflow.EventListener/SendEvents"
_CONNECT_SECONDS = 60.0
# Servers take messages of 4 MiB by default; the rest of an event needs some room.
_CHUNK_BYTES = 4 * 2**20 - 2**16
# How often a run that waits for a reply looks whether it is cancelled.
_CHECK_SECONDS = 0.5
# States of EventReply.DebugOpStateChange.
_DISABLED, _READ_ONLY, _READ_WRITE = 1, 2, 3


# What the server at an address has last said of gated debug ops: {address: {watch key: state}}.
_states: dict[str, dict[str, int]] = {}


class ServerStream:
    """Sends the events of one run to a debug server, in their order.

    A gated debug op sends nothing until the server enables it; with READ_WRITE, the run waits for
    a reply to each of its values. What a server has enabled stays so in later runs.

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
            _METHOD,
            request_serializer=lambda event: event.SerializeToString(),
            response_deserializer=debug_service_pb2.EventReply.FromString,
        )
        self._states = _states.setdefault(self._address, {})
        self._replied = threading.Condition()
        self._reply_count = 0
        self._ended = False
        self._failure: Any = None
        replies = send(self._waiting())
        self._reader = threading.Thread(target=self._read, args=(replies,), daemon=True)
        self._reader.start()

    def _read(self, replies: Any) -> None:
        """Takes the replies; runs in a thread of its own."""
        try:
            for reply in replies:
                with self._replied:
                    for change in reply.debug_op_state_changes:
                        key = f"{change.node_name}:{change.output_slot}:{change.debug_op}"
                        self._states[key] = change.state
                    self._reply_count += 1
                    self._replied.notify_all()
        except _grpc.RpcError as error:
            self._failure = error
        finally:
            with self._replied:
                self._ended = True
                self._replied.notify_all()

    def _wait_for_reply(self, count: int) -> None:
        """Waits until there are so many replies, or the stream has ended."""
        with self._replied:
            while self._reply_count < count and not self._ended:
                self._replied.wait(_CHECK_SECONDS)
                run = cancellation.current()
                if run is not None and run.cancelled:
                    return
                cancellation.check_time()

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

    def value(self, event: Any, about: Any, gated: bool = False) -> None:
        """Sends the value of a tensor, in chunks if it is large.

        Args:
            event: the Event.
            about: a function of the number of a chunk and the number of chunks, which returns what
                the metadata say.
            gated: whether the server must have enabled the debug op.
        """
        if gated:
            # The first reply, to the facts of the run, says what is enabled.
            self._wait_for_reply(1)
        key = event.summary.value[0].node_name
        state = self._states.get(key, _DISABLED)
        if gated and state not in (_READ_ONLY, _READ_WRITE):
            return
        replies = self._reply_count
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
        if gated and state == _READ_WRITE:
            self._wait_for_reply(replies + 1)

    def close(self) -> None:
        """Waits until the server has taken everything.

        Raises:
            UnavailableError: if it has not.
        """
        self._events.put(None)
        self._reader.join()
        self._channel.close()
        if self._failure is not None:
            text = f"The gRPC debug server at {self._address} failed: {self._failure.details()}"
            raise errors.UnavailableError(None, None, text)
