"""The other end of links: runs the calls that arrive on a stream."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
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
    STREAM,
    Frame,
    Outgoing,
    framed,
    frames_of,
    size_error,
)
from headwater.distributed.threads import run_in_thread
from headwater.distributed.transport import TASKS, messages_of, wire_text

_grpc: Any = LazyModule("grpc")

# Takes the response of a call, or its error.
Reply = Callable[[Any], object]


class LinkService:
    """Answers the calls of links.

    Args:
        methods: functions of request and context by method, as for unary calls.
        quick: the methods that never wait: functions of request, context and reply.
    """

    def __init__(
        self,
        methods: Mapping[str, Callable[[Any, Any], Any]],
        quick: Mapping[str, Callable[[Any, Any, Reply], None]],
    ) -> None:
        self._methods = [methods.get(name) for name in METHODS]
        self._quick = [quick.get(name) for name in METHODS]
        self._requests = [messages_of(name)[0] for name in METHODS]

    def handler(self) -> Any:
        """The handler for the gRPC server."""
        stream = _grpc.stream_stream_rpc_method_handler(self._open)
        return _grpc.method_handlers_generic_handler(TASKS, {STREAM: stream})

    def _open(self, messages: Iterator[bytes], context: Any) -> Iterator[bytes]:
        end = _LinkEnd(self)
        context.add_callback(end.close)
        reader = threading.Thread(
            target=end.read, args=(messages,), daemon=True, name="headwater-link"
        )
        reader.start()
        return iter(end.outgoing)

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
        quick = self._quick[frame.detail]
        if quick is not None:
            _answer(lambda: quick(request, context, reply), reply)
            return
        method = self._methods[frame.detail]
        assert method is not None
        run_in_thread(_answer, lambda: reply(method(request, context)), reply)


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
    """One stream."""

    def __init__(self, service: LinkService) -> None:
        self.outgoing = Outgoing()
        self._service = service
        self._lock = threading.Lock()
        self._contexts: dict[int, CallContext] = {}
        self._closed = False

    def read(self, messages: Iterator[bytes]) -> None:
        """Begins the calls of a stream until it ends."""
        try:
            for frame in frames_of(messages):
                if frame.kind == CALL:
                    self._begin(frame)
                elif frame.kind == CANCEL:
                    self._cancel(frame.number)
                elif frame.kind == NOTICE:
                    self._service.run(frame, CallContext(frame.attachments), lambda response: None)
                del frame
        except Exception:
            # The connection is gone, or what came was no frame.
            pass
        finally:
            self.close()

    def _begin(self, frame: Frame) -> None:
        number, context = frame.number, CallContext(frame.attachments)
        with self._lock:
            self._contexts[number] = context
        if self._closed:
            context.end()
        self._service.run(frame, context, lambda response: self._reply(number, response))

    def _reply(self, number: int, response: Any) -> None:
        # A response that cannot be written raises here; its error is the reply then.
        frame = _frame_of(number, response)
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
        self.outgoing.end()


def _frame_of(number: int, response: Any) -> Frame:
    """The frame of a response, or of an error."""
    if not isinstance(response, errors.OpError):
        frame = framed(REPLY, 0, number, response)
        text = size_error(frame.size)
        if text is None:
            return frame
        response = errors.ResourceExhaustedError(None, None, text)
    return Frame(ERROR, response.error_code, number, wire_text(response).encode())
