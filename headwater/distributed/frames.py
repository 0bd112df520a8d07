"""Calls and their replies as frames on a socket."""

from __future__ import annotations

import contextlib
import itertools
import socket
import struct
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from headwater.base import errors
from headwater.distributed import transport
from headwater.distributed.buffers import new_bytes
from headwater.distributed.threads import run_in_thread
from headwater.distributed.transport import encoded, is_split, message_limit

# The methods that every step calls, in the order of their numbers.
METHODS = ("RunStep", "RunGraph", "RecvTensor", "CleanupGraph", "PutTensors")

CALL, REPLY, ERROR, CANCEL, NOTICE, PROBE = range(6)
# Kind, number of the method or code of the error, number of attachments, number of the call, size
# of the payload. The sizes of the attachments follow, then the payload, then the attachments.
_HEADER = struct.Struct("<BBHQQ")
_SIZE = struct.Struct("<Q")
_BUFFER_BYTES = 1 << 16
# As many buffers as systems write at once.
_MOST_BUFFERS = 512
# As many buffers wait for another frame.
_MOST_WAITING = 32


class Frame(NamedTuple):
    """A call, a reply, an error, the end of a call, a call without a reply, or a sign of life.

    Attributes:
        kind: which of them.
        detail: the number of the method, or the code of the error.
        number: the number of the call on its link.
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


def prepared(connection: socket.socket) -> socket.socket:
    """A connected socket for frames: writes at once, and notices when it hears nothing."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.settimeout(None)
    seconds, milliseconds = divmod(transport.PROBE_MS, 1000)
    limit = struct.pack("ll", seconds, 1000 * milliseconds)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, limit)
    return connection


class Outgoing:
    """Writes frames to a socket.

    `put` never blocks. It writes in the thread that calls it what the socket takes at once; a
    thread of its own writes the rest.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._buffers: deque[Any] = deque()
        self._socket: socket.socket | None = None
        self._writing = self._ended = self._closed = False

    def attach(self, connection: socket.socket) -> None:
        """Writes to a socket from now on, first what was put before."""
        with self._lock:
            self._socket = connection
            self._writing = True
        self._write(socket.MSG_DONTWAIT)

    def put(self, frame: Frame, later: bool = False) -> None:
        """Sends a frame, unless the connection has ended.

        Args:
            frame: the frame, whose attachments must not change.
            later: whether it may wait for the next one, so that both are written at once.
        """
        with self._lock:
            if self._ended:
                return
            self._buffers.append(_head_of(frame))
            self._buffers.extend(frame.attachments)
            if self._writing or self._socket is None:
                return
            if later and len(self._buffers) < _MOST_WAITING:
                return
            self._writing = True
        self._write(socket.MSG_DONTWAIT)

    def end(self) -> None:
        """Ends the connection; reads and writes in other threads fail."""
        with self._lock:
            if not self._ended:
                self._ended = True
                self._buffers.clear()
                if self._socket is not None:
                    with contextlib.suppress(OSError):
                        self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Ends the connection and frees the socket, which nobody reads any more."""
        self.end()
        with self._lock:
            self._closed = True
            self._free()

    def _free(self) -> None:
        if self._closed and not self._writing and self._socket is not None:
            self._socket.close()

    def _write(self, flags: int) -> None:
        """Writes what there is; the rest in another thread if the socket does not take it all."""
        connection = self._socket
        assert connection is not None
        while True:
            with self._lock:
                if not self._buffers:
                    self._writing = False
                    self._free()
                    return
                buffers = list(itertools.islice(self._buffers, _MOST_BUFFERS))
            try:
                sent = connection.sendmsg(buffers, (), flags)
            except BlockingIOError:
                sent = 0
            except OSError:
                # The thread that reads finds out, too.
                self.end()
                continue
            with self._lock:
                blocked = self._drop(sent, buffers)
            if blocked and flags:
                run_in_thread(partial(self._write, 0))
                return

    def _drop(self, sent: int, buffers: Sequence[Any]) -> bool:
        """Forgets what has been written; returns whether it was not all of these buffers."""
        if self._ended:
            return False
        for buffer in buffers:
            if sent < len(buffer):
                self._buffers[0] = memoryview(buffer)[sent:]
                return True
            sent -= len(buffer)
            self._buffers.popleft()
        return False


def _head_of(frame: Frame) -> bytes:
    """What stands before the attachments."""
    header = _HEADER.pack(
        frame.kind, frame.detail, len(frame.attachments), frame.number, len(frame.payload)
    )
    sizes = [_SIZE.pack(len(attachment)) for attachment in frame.attachments]
    return b"".join([header, *sizes, frame.payload])


class Incoming:
    """Reads frames from a socket.

    Args:
        connection: the socket, of `prepared`.
        outgoing: where to ask for a sign of life when nothing comes.
    """

    def __init__(self, connection: socket.socket, outgoing: Outgoing) -> None:
        self._socket = connection
        self._outgoing = outgoing
        self._limit = message_limit()
        self._buffer = memoryview(bytearray(_BUFFER_BYTES))
        self._start = self._end = 0

    def frames(self) -> Iterator[Frame]:
        """The frames until the connection ends.

        Raises:
            UnavailableError: when it ends.
            ResourceExhaustedError: if a frame is larger than messages may be.
        """
        while True:
            kind, detail, count, number, size = _HEADER.unpack(self._read(_HEADER.size))
            sizes = [_SIZE.unpack(self._read(_SIZE.size))[0] for _ in range(count)]
            check_size(size + sum(sizes), self._limit, "Received")
            payload = bytes(self._read(size))
            attachments = []
            for size in sizes:
                attachments.append(new_bytes(size))
                self._read_into(attachments[-1].data)
            if kind != PROBE:
                yield Frame(kind, detail, number, payload, attachments)
                # They may be large.
                del attachments
            elif not detail:
                self._outgoing.put(Frame(PROBE, 1, 0))

    def _read(self, size: int) -> Any:
        """The next bytes; they are valid until the next call."""
        start, end = self._start, self._start + size
        if end <= self._end:
            self._start = end
            return self._buffer[start:end]
        target = memoryview(bytearray(size))
        self._read_into(target)
        return target

    def _read_into(self, target: memoryview) -> None:
        position = 0
        while position < len(target):
            if self._start == self._end:
                if len(target) - position >= _BUFFER_BYTES:
                    position += self._receive(target[position:], socket.MSG_WAITALL)
                    continue
                self._start, self._end = 0, self._receive(self._buffer)
            count = min(len(target) - position, self._end - self._start)
            target[position : position + count] = self._buffer[self._start : self._start + count]
            self._start += count
            position += count

    def _receive(self, target: memoryview, flags: int = 0) -> int:
        probed = False
        while True:
            try:
                count = self._socket.recv_into(target, 0, flags)
            except BlockingIOError:
                if probed:
                    text = "keepalive watchdog timeout"
                    raise errors.UnavailableError(None, None, text) from None
                probed = True
                self._outgoing.put(Frame(PROBE, 0, 0))
                continue
            except OSError:
                count = 0
            if not count:
                raise errors.UnavailableError(None, None, "Socket closed")
            return count


def check_size(size: int, limit: int, what: str = "Sent") -> None:
    """Checks the size of a message.

    Raises:
        ResourceExhaustedError: if it is too large.
    """
    if size > limit:
        text = f"{what} message larger than max ({size} vs. {limit})"
        raise errors.ResourceExhaustedError(None, None, text)
