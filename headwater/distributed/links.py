"""Links: the calls that every step makes, on one stream to another task of Headwater.

A call of its own costs gRPC for Python as much as small steps compute; frames of a stream cost a
third of it, and calls that begin together share a message.
"""

from __future__ import annotations

import itertools
import threading
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
    STREAM,
    Frame,
    Outgoing,
    framed,
    frames_of,
    size_error,
)
from headwater.distributed.transport import TASKS, error_of, messages_of

_grpc: Any = LazyModule("grpc")
_NUMBERS = {name: number for number, name in enumerate(METHODS)}


class Link:
    """A stream of calls to one task.

    Args:
        channel: the channel to the task.
        fall_back: starts a call in another way, a function of the method, the request and the
            call, where the task does not know such streams.

    Attributes:
        usable: whether calls can be started: the stream has not ended.
        refused: whether the task does not know such streams.
    """

    def __init__(self, channel: Any, fall_back: Any) -> None:
        self.usable = True
        self.refused = False
        self._fall_back = fall_back
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        self._calls: dict[int, tuple[str, Any, Call]] = {}
        self._outgoing = Outgoing()
        self._stream = channel.stream_stream(f"/{TASKS}/{STREAM}")(iter(self._outgoing))
        reader = threading.Thread(target=self._read, daemon=True, name="headwater-link")
        reader.start()

    def start(self, method: str, request: Any) -> Call | None:
        """Starts a call; returns None if the stream has ended."""
        _, response = messages_of(method)
        call = Call(response.FromString)
        frame = framed(CALL, _NUMBERS[method], 0, request)
        text = size_error(frame.size)
        if text is not None:
            call.fail(errors.ResourceExhaustedError(None, None, text))
            return call
        with self._lock:
            if not self.usable:
                return None
            number = next(self._numbers)
            self._calls[number] = method, request, call
            call.cancels_by(lambda: self._cancel(number))
            self._outgoing.put(frame._replace(number=number))
        return call

    def notify(self, method: str, request: Any) -> bool:
        """Makes a call whose response nobody needs; returns whether the stream has taken it."""
        with self._lock:
            if self.usable:
                self._outgoing.put(framed(NOTICE, _NUMBERS[method], 0, request))
            return self.usable

    def _cancel(self, number: int) -> None:
        found = self._calls.pop(number, None)
        if found is not None:
            self._outgoing.put(Frame(CANCEL, 0, number))
            found[2].fail(errors.CancelledError(None, None, "RPC cancelled"))

    def _read(self) -> None:
        """Takes replies until the stream ends."""
        error: errors.OpError = errors.UnavailableError(None, None, "Socket closed")
        try:
            for frame in frames_of(self._stream):
                found = self._calls.pop(frame.number, None)
                if found is None:
                    continue
                if frame.kind == REPLY:
                    found[2].finish(frame.payload, frame.attachments)
                elif frame.kind == ERROR:
                    text = frame.payload.decode(errors="replace")
                    found[2].fail(errors.make_error(frame.detail, text))
                del found, frame
        except _grpc.RpcError as failure:
            error = error_of(failure)
        except errors.OpError as failure:
            error = failure
        except Exception as failure:
            error = errors.InternalError(None, None, f"{type(failure).__name__}: {failure}")
        self._end(error)

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
