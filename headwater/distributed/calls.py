"""Calls of methods of other tasks."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import errors


class Call:
    """A call that has begun.

    Args:
        decode: makes the response of its bytes.
        convert: makes the result of the response and of what came beside it; None if the response
            is the result.

    Attributes:
        attachments: what came beside the bytes of the response.
    """

    def __init__(
        self,
        decode: Callable[[bytes], Any] | None = None,
        convert: Callable[[Any, Sequence[Any]], Any] | None = None,
    ) -> None:
        self._decode = decode
        self._convert = convert
        self.attachments: Sequence[Any] = ()
        self._lock = threading.Lock()
        # Held until the call ends.
        self._running = threading.Lock()
        self._running.acquire()
        self._ended = False
        self._response: Any = None
        self._error: errors.OpError | None = None
        self._callbacks: list[Callable[[Call], object]] = []
        self._cancel: Callable[[], object] | None = None

    @property
    def ended(self) -> bool:
        """Whether the call has ended."""
        return self._ended

    def cancels_by(self, function: Callable[[], object]) -> None:
        """Says what ends the call early."""
        self._cancel = function

    def cancel(self) -> None:
        """Ends the call early; it fails with a CancelledError."""
        self._abandon()

    def finish(self, response: Any, attachments: Sequence[Any] = ()) -> None:
        """Gives the call its response, or the bytes of it and what came beside them."""
        self.attachments = attachments
        self._end(response, None)

    def fail(self, error: errors.OpError) -> None:
        """Ends the call with an error."""
        self._end(None, error)

    def _end(self, response: Any, error: errors.OpError | None) -> None:
        with self._lock:
            if self._ended:
                return
            self._response, self._error, self._ended = response, error, True
            # They refer to this call: what it holds may be large, and must not wait for the
            # garbage collector.
            callbacks, self._callbacks, self._cancel = self._callbacks, [], None
        self._running.release()
        for function in callbacks:
            function(self)

    def then(self, function: Callable[[Call], object]) -> None:
        """Calls a function of this call when it ends, or at once if it has ended."""
        with self._lock:
            if not self._ended:
                self._callbacks.append(function)
                return
        function(self)

    def result(self, timeout: float | None = None) -> Any:
        """Waits for the response.

        Args:
            timeout: how many seconds; None for as long as it takes.

        Raises:
            DeadlineExceededError: if that time passes.
            OpError: if the call fails, or its response cannot be converted.
        """
        if not self._ended:
            try:
                if not self._running.acquire(timeout=-1 if timeout is None else timeout):
                    self.fail(errors.DeadlineExceededError(None, None, "Deadline Exceeded"))
                    self._abandon()
                else:
                    self._running.release()
            except BaseException:
                # Ctrl-C: nobody waits for the response any more.
                self._abandon()
                raise
        if self._error is not None:
            raise self._error
        if self._decode is not None and isinstance(self._response, bytes):
            self._response = self._decode(self._response)
        if self._convert is not None:
            convert, self._convert = self._convert, None
            self._response = convert(self._response, self.attachments)
        return self._response

    def _abandon(self) -> None:
        cancel = self._cancel
        if cancel is not None:
            cancel()
