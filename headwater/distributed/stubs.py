"""The services of other tasks, as this one calls them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from headwater.base import errors
from headwater.base.lazy import LazyModule
from headwater.distributed.calls import Call
from headwater.distributed.frames import METHODS
from headwater.distributed.links import Link, connected
from headwater.distributed.transport import (
    TASK_METHODS,
    TASKS,
    channel_to,
    encoded,
    error_of,
    messages_of,
)

_grpc: Any = LazyModule("grpc")

# A link that was refused is tried again after this time: perhaps the task was just starting.
_REFUSED_SECONDS = 60.0


class Stub:
    """Calls the methods of a service of one task.

    The methods that every step calls go over a link if the task is one of Headwater.

    Args:
        address: ``host:port`` of the task.
        service: the full name of the service.
        methods: the names of its methods.
    """

    def __init__(self, address: str, service: str, methods: list[str]) -> None:
        self._address = address
        self._channel = channel_to(address)
        self._lock = threading.Lock()
        self._link: Link | None = None
        self._linked_at = 0.0
        self._methods: dict[str, Any] = {}
        for name in [*methods, *TASK_METHODS]:
            _, response = messages_of(name)
            self._methods[name] = self._channel.unary_unary(
                f"/{TASKS if name in TASK_METHODS else service}/{name}",
                request_serializer=encoded,
                response_deserializer=response.FromString,
            )

    def call(
        self, name: str, request: Any, timeout: float | None = None, wait: bool = False
    ) -> Any:
        """Calls a method and waits for the response.

        Args:
            name: the method.
            request: its request.
            timeout: the time limit in seconds, or None.
            wait: whether to wait for a task that cannot be reached yet.

        Raises:
            OpError: the error of the method, or of the connection.
        """
        return self._start_alone(name, request, Call(), timeout, wait).result()

    def start(
        self, name: str, request: Any, convert: Callable[[Any, Sequence[Any]], Any] | None = None
    ) -> Call:
        """Begins to call a method.

        Args:
            name: the method.
            request: its request.
            convert: makes the result of the response and of what came beside it; None if the
                response is the result.
        """
        link = self._open_link(name)
        while link is not None and not link.refused:
            call = link.start(name, request, convert)
            if call is not None:
                return call
            # It has ended since it was found.
            link = self._open_link(name)
        return self._start_alone(name, request, Call(None, convert))

    def notify(self, name: str, request: Any, timeout: float, later: bool = False) -> None:
        """Calls a method whose response nobody needs.

        Args:
            name: the method.
            request: its request.
            timeout: the time limit in seconds.
            later: whether it may wait for the next call.
        """
        link = self._open_link(name)
        if link is None or not link.notify(name, request, later):
            self._start_alone(name, request, Call(), timeout)

    def post(self, name: str, request: Any) -> bool:
        """Calls a method over the link that calls go over which have begun.

        If the request is lost, these calls fail: the link has ended.

        Args:
            name: the method.
            request: its request.

        Returns:
            Whether there is such a link.
        """
        link = self._link
        return link is not None and link.usable and link.notify(name, request)

    def _open_link(self, method: str) -> Link | None:
        """The link for calls of a method, opened again if it has ended; None if there is none."""
        if method not in METHODS:
            return None
        link = self._link
        if link is None or not link.usable:
            with self._lock:
                link = self._link
                if link is None or not (link.usable or self._is_refused(link)):
                    self._linked_at = time.monotonic()
                    link = self._link = Link(partial(connected, self._address), self._fall_back)
        return link

    def _is_refused(self, link: Link) -> bool:
        return link.refused and time.monotonic() < self._linked_at + _REFUSED_SECONDS

    def close(self) -> None:
        """Ends all calls, and the connections."""
        self._channel.close()
        with self._lock:
            if self._link is not None:
                self._link.close()

    def _fall_back(self, method: str, request: Any, call: Call) -> None:
        self._start_alone(method, request, call)

    def _start_alone(
        self, name: str, request: Any, call: Call, timeout: float | None = None, wait: bool = False
    ) -> Call:
        method = self._methods.get(name)
        if method is None:
            call.fail(errors.UnimplementedError(None, None, f"The task has no method {name}."))
            return call
        future = method.future(request, timeout=timeout, wait_for_ready=wait)
        call.cancels_by(future.cancel)
        future.add_done_callback(lambda future: _pass_on(future, call))
        return call


def _pass_on(future: Any, call: Call) -> None:
    try:
        response = future.result()
    except (_grpc.RpcError, _grpc.FutureCancelledError) as error:
        call.fail(error_of(error))
        return
    call.finish(response)
