"""Calls and their replies as frames on a stream of messages."""

from __future__ import annotations

import queue
import struct
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from headwater.distributed.transport import MASTER, TASKS, WORKER, message_limit

# The method of the streams.
STREAM = "Calls"
# The methods that every step calls, in the order of their numbers.
METHODS = (
    (MASTER, "RunStep"),
    (WORKER, "RunGraph"),
    (WORKER, "RecvTensor"),
    (WORKER, "CleanupGraph"),
    (TASKS, "PutTensors"),
)

CALL, REPLY, ERROR, CANCEL, NOTICE = range(5)
# The payload is the whole next message.
_APART = 0x80
# Larger payloads are not copied to put them beside others.
_MOST_JOINED_BYTES = 1 << 16
# Kind, number of the method or code of the error, number of the call, size of the payload.
_HEADER = struct.Struct("<BBQQ")


class Frame(NamedTuple):
    """A call, a reply, an error, the end of a call, or a call without a reply.

    Attributes:
        kind: which of them.
        detail: the number of the method, or the code of the error.
        number: the number of the call on its stream.
        payload: the request, the response or the text of the error.
    """

    kind: int
    detail: int
    number: int
    payload: bytes = b""


class Outgoing:
    """The messages of one direction of a stream; small frames that are ready together share one."""

    def __init__(self) -> None:
        self._frames: queue.SimpleQueue[Frame | None] = queue.SimpleQueue()
        self._apart: bytes | None = None
        self._ended = False

    def put(self, frame: Frame) -> None:
        """Sends a frame."""
        self._frames.put(frame)

    def end(self) -> None:
        """Ends the stream after the frames that were put."""
        self._frames.put(None)

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        if self._apart is not None:
            payload, self._apart = self._apart, None
            return payload
        parts: list[bytes] = []
        size = 0
        frame = None if self._ended else self._frames.get()
        while frame is not None:
            large = len(frame.payload) > _MOST_JOINED_BYTES
            kind = frame.kind | _APART if large else frame.kind
            parts.append(_HEADER.pack(kind, frame.detail, frame.number, len(frame.payload)))
            if large:
                self._apart = frame.payload
                return b"".join(parts)
            parts.append(frame.payload)
            size += len(frame.payload)
            if size > _MOST_JOINED_BYTES:
                return b"".join(parts)
            try:
                frame = self._frames.get_nowait()
            except queue.Empty:
                return b"".join(parts)
        self._ended = True
        if not parts:
            raise StopIteration
        return b"".join(parts)


def frames_of(messages: Iterable[bytes]) -> Iterator[Frame]:
    """The frames of the messages of a stream."""
    iterator = iter(messages)
    for message in iterator:
        position = 0
        while position < len(message):
            kind, detail, number, size = _HEADER.unpack_from(message, position)
            position += _HEADER.size
            if kind & _APART:
                yield Frame(kind & ~_APART, detail, number, next(iterator))
                continue
            yield Frame(kind, detail, number, message[position : position + size])
            position += size


def size_error(payload: bytes) -> str | None:
    """The text of the error of a payload that is too large; None if it is not."""
    limit = message_limit()
    if len(payload) <= limit:
        return None
    return f"Sent message larger than max ({len(payload)} vs. {limit})"
