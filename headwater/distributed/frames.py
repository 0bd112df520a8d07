"""Calls and their replies as frames on a stream of messages."""

from __future__ import annotations

import queue
import struct
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from headwater.base import errors
from headwater.distributed.transport import encoded, is_split, message_limit

# The method of the streams.
STREAM = "Calls"
# The methods that every step calls, in the order of their numbers.
METHODS = ("RunStep", "RunGraph", "RecvTensor", "CleanupGraph", "PutTensors")

CALL, REPLY, ERROR, CANCEL, NOTICE = range(5)
# Attachments go in messages of this size, so that writing and reading overlap.
_CHUNK_BYTES = 1 << 20
# Small frames share messages of up to this size.
_MOST_JOINED_BYTES = 1 << 16
# Kind, number of the method or code of the error, number of attachments, number of the call, size
# of the payload. The sizes of the attachments follow, then the payload.
_HEADER = struct.Struct("<BBHQQ")
_SIZE = struct.Struct("<Q")


class Frame(NamedTuple):
    """A call, a reply, an error, the end of a call, or a call without a reply.

    Attributes:
        kind: which of them.
        detail: the number of the method, or the code of the error.
        number: the number of the call on its stream.
        payload: the request, the response or the text of the error.
        attachments: buffers that belong to the payload.
    """

    kind: int
    detail: int
    number: int
    payload: bytes = b""
    attachments: Sequence[Any] = ()

    @property
    def size(self) -> int:
        """The bytes of payload and attachments."""
        return len(self.payload) + sum(map(len, self.attachments))


def framed(kind: int, detail: int, number: int, message: Any) -> Frame:
    """The frame of a message, of TensorFields or of bytes."""
    if is_split(message):
        return Frame(kind, detail, number, *message.split())
    return Frame(kind, detail, number, encoded(message))


class Outgoing:
    """The messages of one direction of a stream; small frames that are ready together share one."""

    def __init__(self) -> None:
        self._frames: queue.SimpleQueue[Frame | None] = queue.SimpleQueue()
        self._chunks: Iterator[bytes] = iter(())
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
        for chunk in self._chunks:
            return chunk
        parts: list[bytes] = []
        size = 0
        frame = None if self._ended else self._frames.get()
        while frame is not None:
            parts.append(_written(frame))
            size += len(frame.payload)
            if frame.attachments:
                self._chunks = _chunks_of(frame.attachments)
            if frame.attachments or size > _MOST_JOINED_BYTES:
                return b"".join(parts)
            try:
                frame = self._frames.get_nowait()
            except queue.Empty:
                return b"".join(parts)
        self._ended = True
        if not parts:
            raise StopIteration
        return b"".join(parts)


def _written(frame: Frame) -> bytes:
    header = _HEADER.pack(
        frame.kind, frame.detail, len(frame.attachments), frame.number, len(frame.payload)
    )
    sizes = [_SIZE.pack(len(attachment)) for attachment in frame.attachments]
    return b"".join([header, *sizes, frame.payload])


def _chunks_of(attachments: Sequence[Any]) -> Iterator[bytes]:
    for attachment in attachments:
        for start in range(0, len(attachment), _CHUNK_BYTES):
            yield bytes(attachment[start : start + _CHUNK_BYTES])


def frames_of(messages: Iterable[bytes]) -> Iterator[Frame]:
    """The frames of the messages of a stream.

    Raises:
        ResourceExhaustedError: if one is larger than messages may be.
    """
    iterator = iter(messages)
    for message in iterator:
        position = 0
        while position < len(message):
            kind, detail, count, number, size = _HEADER.unpack_from(message, position)
            position += _HEADER.size
            sizes = [_SIZE.unpack_from(message, position + 8 * i)[0] for i in range(count)]
            position += 8 * count
            text = size_error(size + sum(sizes), "Received")
            if text is not None:
                raise errors.ResourceExhaustedError(None, None, text)
            payload = message[position : position + size]
            position += size
            attachments = [_gathered(iterator, size) for size in sizes]
            yield Frame(kind, detail, number, payload, attachments)


def _gathered(messages: Iterator[bytes], size: int) -> np.ndarray:
    """An attachment of some chunks."""
    buffer = np.empty(size, np.uint8)
    position = 0
    while position < size:
        chunk = next(messages)
        buffer[position : position + len(chunk)] = np.frombuffer(chunk, np.uint8)
        position += len(chunk)
    return buffer


def size_error(size: int, what: str = "Sent") -> str | None:
    """The text of the error of a message that is too large; None if it is not."""
    limit = message_limit()
    return f"{what} message larger than max ({size} vs. {limit})" if size > limit else None
