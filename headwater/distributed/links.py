"""Links: the calls that every step makes, on one socket to another task of Headwater.

gRPC for Python needs 0.3 ms of processor time for a call of its own, more than small steps compute.
A frame on a socket needs a tenth of that: it is written by the thread that makes the call.
"""

from __future__ import annotations

import itertools
import secrets
import socket
import struct
import threading
from collections.abc import Callable
from typing import Any

from headwater.base import errors
from headwater.base.lazy import LazyModule
from headwater.distributed.calls import Call
from headwater.distributed.frames import (
    CALL,
    CANCEL,
    ERROR,
    METHODS,
    NOTICE,
    REPLY,
    Frame,
    Incoming,
    Outgoing,
    check_size,
    framed,
    prepared,
)
from headwater.distributed.transport import TASKS, channel_to, error_of, message_limit, messages_of

_grpc: Any = LazyModule("grpc")
_NUMBERS = {name: number for number, name in enumerate(METHODS)}
# The method of TASKS that says where links are taken.
OPEN_LINK = "OpenLink"
TOKEN_BYTES = 16
_PLACE = struct.Struct(f"<H{TOKEN_BYTES}s")
# How long to wait for a port of a task whose service can be reached: a firewall may hide it.
_CONNECT_SECONDS = 5.0


def new_token() -> bytes:
    """What shows that who opens a link has asked the service for it."""
    return secrets.token_bytes(TOKEN_BYTES)


def place_of(port: int, token: bytes) -> bytes:
    """The response that says where links are taken."""
    return _PLACE.pack(port, token)


def place_at(address: str) -> tuple[str, int, bytes]:
    """Where a task takes links.

    Args:
        address: ``host:port`` of the task's services.

    Returns:
        The host, the port, and the token that a link begins with.

    Raises:
        UnimplementedError: if the task does not take links.
        UnavailableError: if the task cannot be reached.
    """
    # A channel that could not connect before would not try again for a while.
    with channel_to(address) as channel:
        try:
            response = channel.unary_unary(f"/{TASKS}/{OPEN_LINK}")(b"")
        except _grpc.RpcError as error:
            raise error_of(error) from None
    port, token = _PLACE.unpack(response)
    return address.rpartition(":")[0].strip("[]"), port, token


def connected(address: str) -> socket.socket:
    """Connects a socket for a link to a task; see `place_at`."""
    host, port, token = place_at(address)
    try:
        found = socket.create_connection((host, port), _CONNECT_SECONDS)
        found.sendall(token)
    except OSError as error:
        raise errors.UnimplementedError(None, None, f"No link to {host}:{port}: {error}") from None
    return prepared(found)


class Link:
    """A socket with calls to one task.

    Args:
        connect: makes the socket; see `connected`.
        fall_back: starts a call in another way, a function of the method, the request and the
            call, where there can be no link to the task.

    Attributes:
        usable: whether calls can be started: the connection has not ended.
        refused: whether there can be no link to the task.
    """

    def __init__(
        self,
        connect: Callable[[], socket.socket],
        fall_back: Callable[[str, Any, Call], object],
    ) -> None:
        self.usable = True
        self.refused = False
        self._fall_back = fall_back
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        self._calls: dict[int, tuple[str, Any, Call]] = {}
        self._decoders = {name: messages_of(name)[1].FromString for name in METHODS}
        self._limit = message_limit()
        self._outgoing = Outgoing()
        threading.Thread(
            target=self._run, args=(connect,), daemon=True, name="headwater-link"
        ).start()

    def start(self, method: str, request: Any, convert: Any = None) -> Call | None:
        """Starts a call, as for `Stub.start`; returns None if the connection has ended."""
        call = Call(self._decoders[method], convert)
        frame = framed(CALL, _NUMBERS[method], 0, request)
        try:
            check_size(frame.size, self._limit)
        except errors.OpError as error:
            call.fail(error)
            return call
        with self._lock:
            if not self.usable:
                return None
            number = next(self._numbers)
            self._calls[number] = method, request, call
        call.cancels_by(lambda: self._cancel(number))
        self._outgoing.put(frame._replace(number=number))
        return call

    def notify(self, method: str, request: Any, later: bool = False) -> bool:
        """Makes a call whose response nobody needs.

        Args:
            method: the method.
            request: its request.
            later: whether it may wait for the next call.

        Returns:
            Whether the link has taken it.
        """
        frame = framed(NOTICE, _NUMBERS[method], 0, request)
        if not self.usable or frame.size > self._limit:
            return False
        self._outgoing.put(frame, later)
        return True

    def close(self) -> None:
        """Ends the connection, and its calls."""
        self._end(errors.CancelledError(None, None, "RPC cancelled"))

    def _cancel(self, number: int) -> None:
        found = self._calls.pop(number, None)
        if found is not None:
            self._outgoing.put(Frame(CANCEL, 0, number))
            found[2].fail(errors.CancelledError(None, None, "RPC cancelled"))

    def _run(self, connect: Callable[[], socket.socket]) -> None:
        """Connects, and takes replies until the connection ends."""
        try:
            connection = connect()
            self._outgoing.attach(connection)
            self._read(connection)
        except errors.OpError as failure:
            self._end(failure)
        except Exception as failure:
            text = f"{type(failure).__name__}: {failure}"
            self._end(errors.InternalError(None, None, text))
        finally:
            self._outgoing.close()

    def _read(self, connection: socket.socket) -> None:
        for frame in Incoming(connection, self._outgoing).frames():
            found = self._calls.pop(frame.number, None)
            if found is None:
                continue
            if frame.kind == REPLY:
                found[2].finish(frame.payload, frame.attachments)
            elif frame.kind == ERROR:
                text = frame.payload.decode(errors="replace")
                found[2].fail(errors.make_error(frame.detail, text))
            del found, frame

    def _end(self, error: errors.OpError) -> None:
        with self._lock:
            self.usable = False
            self.refused = isinstance(error, errors.UnimplementedError)
            calls = list(self._calls.values())
            self._calls.clear()
        self._outgoing.end()
        for method, request, call in calls:
            if self.refused:
                self._fall_back(method, request, call)
            else:
                call.fail(error)
