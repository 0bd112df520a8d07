"""The other end of links: runs the calls that arrive on sockets."""

from __future__ import annotations

import contextlib
import hmac
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from headwater.base import errors
from headwater.base.lazy import LazyModule
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
from headwater.distributed.links import OPEN_LINK, TOKEN_BYTES, new_token, place_of
from headwater.distributed.threads import run_in_thread
from headwater.distributed.transport import TASKS, is_secured, message_limit, messages_of, wire_text

_grpc: Any = LazyModule("grpc")

# Takes the response of a call, or its error.
Reply = Callable[[Any], object]

_TOKEN_SECONDS = 5.0


class LinkService:
    """Answers the calls of links.

    Args:
        host: where links are taken: on a port of its own, from those who know its token. The
            service of the server tells both, so whoever may call that may open links.
        methods: functions of request and context by method, as for unary calls.
        later: those that reply later, without a thread that waits: functions of request, context
            and reply.
        instant: those that do not wait, and reply nothing: functions of the request and what came
            beside it.
    """

    def __init__(
        self,
        host: str,
        methods: Mapping[str, Callable[[Any, Any], Any]],
        later: Mapping[str, Callable[[Any, Any, Reply], None]],
        instant: Mapping[str, Callable[[Any, Sequence[Any]], None]],
    ) -> None:
        self._methods = [methods.get(name) for name in METHODS]
        self._later = [later.get(name) for name in METHODS]
        self._instant = [instant.get(name) for name in METHODS]
        self._requests = [messages_of(name)[0] for name in METHODS]
        self._token = new_token()
        self._host = host
        self._port = 0

    def handler(self) -> Any:
        """The handler for the gRPC server."""
        handler = _grpc.unary_unary_rpc_method_handler(self._place)
        # Sockets have no TLS: with it, all calls are calls of gRPC.
        handlers = {} if is_secured() else {OPEN_LINK: handler}
        return _grpc.method_handlers_generic_handler(TASKS, handlers)

    def start(self) -> None:
        """Begins to take links."""
        if not is_secured():
            listener = _listening(self._host)
            self._port = listener.getsockname()[1]
            threading.Thread(
                target=self._accept, args=(listener,), daemon=True, name="headwater-links"
            ).start()

    def _place(self, request: bytes, context: Any) -> bytes:
        return place_of(self._port, self._token)

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                # Too many open files, perhaps.
                time.sleep(0.1)
                continue
            threading.Thread(
                target=self._serve, args=(connection,), daemon=True, name="headwater-link"
            ).start()

    def _serve(self, connection: socket.socket) -> None:
        """Answers the calls of a connection."""
        if hmac.compare_digest(_received_token(connection), self._token):
            _LinkEnd(self).read(prepared(connection))
        else:
            connection.close()

    def run(self, frame: Frame, context: CallContext, reply: Reply) -> None:
        """Runs a call; replies now or later.

        Args:
            frame: the frame of the call.
            context: its context.
            reply: takes the response, or the error.
        """
        if frame.detail >= len(METHODS):
            text = f"There is no method {frame.detail}."
            reply(errors.UnimplementedError(None, None, text))
            return
        request = self._requests[frame.detail].FromString(frame.payload)
        later = self._later[frame.detail]
        if later is not None:
            _answer(lambda: later(request, context, reply), reply)
            return
        method = self._methods[frame.detail]
        assert method is not None
        run_in_thread(lambda: _answer(lambda: reply(method(request, context)), reply))

    def run_at_once(self, frame: Frame) -> bool:
        """Runs a call that does not wait.

        Returns:
            Whether it is one.
        """
        method = self._instant[frame.detail] if frame.detail < len(METHODS) else None
        if method is None:
            return False
        method(self._requests[frame.detail].FromString(frame.payload), frame.attachments)
        return True


def _listening(host: str) -> socket.socket:
    """A socket that listens on a free port."""
    address = host.strip("[]")
    if ":" not in address:
        return socket.create_server((address, 0))
    if socket.has_dualstack_ipv6():
        return socket.create_server((address, 0), family=socket.AF_INET6, dualstack_ipv6=True)
    return socket.create_server(("", 0))


def _received_token(connection: socket.socket) -> bytes:
    """What a connection begins with: a token, or something shorter."""
    found = b""
    with contextlib.suppress(OSError):
        connection.settimeout(_TOKEN_SECONDS)
        while len(found) < TOKEN_BYTES:
            received = connection.recv(TOKEN_BYTES - len(found))
            if not received:
                break
            found += received
    return found


def _answer(function: Callable[[], object], reply: Reply) -> None:
    """Calls a function that replies; replies with its error if it fails."""
    try:
        function()
    except errors.OpError as error:
        reply(error)
    except Exception as error:
        reply(errors.InternalError(None, None, f"{type(error).__name__}: {error}"))


class CallContext:
    """What a method asks of the context of its call: whether anyone waits for it still.

    Args:
        attachments: what came beside the request.
    """

    def __init__(self, attachments: Sequence[Any] = ()) -> None:
        self.attachments = attachments
        self._lock = threading.Lock()
        self._active = True
        self._callbacks: list[Callable[[], object]] = []

    def add_callback(self, function: Callable[[], object]) -> bool:
        """Has a function called when the call ends; False if it has ended."""
        with self._lock:
            if self._active:
                self._callbacks.append(function)
            return self._active

    def is_active(self) -> bool:
        """Whether the call has not ended."""
        return self._active

    def end(self) -> bool:
        """Ends the call; returns whether it had not ended."""
        with self._lock:
            was, self._active = self._active, False
            callbacks, self._callbacks = self._callbacks, []
        for function in callbacks:
            function()
        return was


class _LinkEnd:
    """One connection."""

    def __init__(self, service: LinkService) -> None:
        self.outgoing = Outgoing()
        self._limit = message_limit()
        self._service = service
        self._lock = threading.Lock()
        self._contexts: dict[int, CallContext] = {}
        self._closed = False

    def read(self, connection: socket.socket) -> None:
        """Begins the calls of a connection until it ends."""
        try:
            self.outgoing.attach(connection)
            for frame in Incoming(connection, self.outgoing).frames():
                if frame.kind == CALL:
                    self._begin(frame)
                elif frame.kind == CANCEL:
                    self._cancel(frame.number)
                elif frame.kind == NOTICE and not self._service.run_at_once(frame):
                    self._service.run(frame, CallContext(frame.attachments), lambda response: None)
                del frame
        except Exception:
            # The connection is gone, or what came was no frame.
            pass
        finally:
            self.close()

    def _begin(self, frame: Frame) -> None:
        try:
            if self._service.run_at_once(frame):
                self.outgoing.put(Frame(REPLY, 0, frame.number))
                return
        except Exception as error:
            failure = errors.InternalError(None, None, f"{type(error).__name__}: {error}")
            self.outgoing.put(_frame_of(frame.number, failure, self._limit))
            return
        number, context = frame.number, CallContext(frame.attachments)
        with self._lock:
            self._contexts[number] = context
        if self._closed:
            context.end()
        self._service.run(frame, context, lambda response: self._reply(number, response))

    def _reply(self, number: int, response: Any) -> None:
        # A response that cannot be written raises here; its error is the reply then.
        frame = _frame_of(number, response, self._limit)
        context = self._contexts.pop(number, None)
        if context is not None and context.end():
            self.outgoing.put(frame)

    def _cancel(self, number: int) -> None:
        context = self._contexts.pop(number, None)
        if context is not None:
            context.end()

    def close(self) -> None:
        """Ends all calls: nobody takes their responses."""
        with self._lock:
            self._closed = True
            contexts = list(self._contexts.values())
            self._contexts.clear()
        for context in contexts:
            context.end()
        self.outgoing.close()


def _frame_of(number: int, response: Any, limit: int) -> Frame:
    """The frame of a response, or of an error."""
    if not isinstance(response, errors.OpError):
        frame = framed(REPLY, 0, number, response)
        try:
            check_size(frame.size, limit)
        except errors.OpError as error:
            response = error
        else:
            return frame
    return Frame(ERROR, response.error_code, number, wire_text(response).encode())
