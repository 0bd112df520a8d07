"""Stops a run from outside: time limits, closed sessions, interrupts.

Every run of a session has a `Cancellation`. Long-running work calls `check` periodically; work that
blocks on other runs waits with `wait_for`.
"""

from __future__ import annotations

import _signal  # the functions without the conversions of `signal`, which cost 15 us
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, ClassVar, TypeVar

from headwater.base import errors

Value = TypeVar("Value")

_SIGINT = int(signal.SIGINT)


class Cancellation:
    """Tells runs to stop.

    Args:
        seconds: the time limit from now, or None.
        parent: what else stops these runs, or None.
    """

    def __init__(self, seconds: float | None = None, parent: Cancellation | None = None) -> None:
        deadlines = [] if seconds is None else [time.monotonic() + seconds]
        if parent is not None and parent._deadline is not None:
            deadlines.append(parent._deadline)
        self._deadline: float | None = min(deadlines, default=None)
        # Where the parts of a graph that several tasks run meet: see `base/rendezvous.py`.
        self.rendezvous: Any = None if parent is None else parent.rendezvous
        self._parent = parent
        self._cancelled = False
        self._waiting: list[threading.Condition] = []

    @property
    def cancelled(self) -> bool:
        """Whether `cancel` was called here or on the parent."""
        return self._cancelled or (self._parent is not None and self._parent.cancelled)

    @property
    def is_limited(self) -> bool:
        """Whether there is a time limit."""
        return self._deadline is not None

    def cancel(self) -> None:
        """Stops the runs; waiting ones wake up at once."""
        self._cancelled = True
        for condition in list(self._waiting):
            with condition:
                condition.notify_all()

    @contextmanager
    def calling(self, function: Callable[[], object]) -> Iterator[None]:
        """A with block in which `cancel`, here or on the parent, calls a function."""
        condition = Calling(function)
        owners = list(self._ancestry())
        for owner in owners:
            owner._waiting.append(condition)
        try:
            # A cancel before this has not seen the function.
            if self.cancelled:
                function()
            yield
        finally:
            for owner in owners:
                owner._waiting.remove(condition)

    def check(self) -> None:
        """Raises the error of a run that has to stop, else does nothing.

        Raises:
            DeadlineExceededError: if the time limit has passed.
            CancelledError: if the run was cancelled.
        """
        self.check_time()
        if self.cancelled:
            raise errors.CancelledError(None, None, "Run call was cancelled")

    def check_time(self) -> None:
        """Raises a DeadlineExceededError if the time limit has passed."""
        if self._deadline is not None and time.monotonic() > self._deadline:
            raise errors.DeadlineExceededError(None, None, "Timed out waiting for notification")

    def _ancestry(self) -> Iterator[Cancellation]:
        found: Cancellation | None = self
        while found is not None:
            yield found
            found = found._parent

    def _wait(self, condition: threading.Condition, text: str) -> None:
        if self.cancelled:
            raise errors.CancelledError(None, None, text)
        self.check()
        owners = list(self._ancestry())
        for owner in owners:
            owner._waiting.append(condition)
        try:
            remaining = None if self._deadline is None else self._deadline - time.monotonic()
            # A cancel between the check above and here has not seen this condition.
            if not self.cancelled:
                condition.wait(remaining if remaining is None else max(remaining, 0.0))
        finally:
            for owner in owners:
                owner._waiting.remove(condition)


class Calling(threading.Condition):
    """Calls a function, once, where something that waits would wake up."""

    def __init__(self, function: Callable[[], object]) -> None:
        super().__init__()
        self._function: Callable[[], object] | None = function

    def notify_all(self) -> None:
        """Calls the function; the caller holds the condition."""
        function, self._function = self._function, None
        if function is not None:
            function()


class _Current(threading.local):
    cancellation: Cancellation | None = None


_current = _Current()


@contextmanager
def running(cancellation: Cancellation) -> Iterator[None]:
    """A with block of this thread that a `Cancellation` can stop."""
    outer = _current.cancellation
    _current.cancellation = cancellation
    try:
        yield
    finally:
        _current.cancellation = outer


def enter(cancellation: Cancellation | None) -> Cancellation | None:
    """Sets this thread's `Cancellation` and returns the previous one; cheaper than a with block."""
    outer = _current.cancellation
    _current.cancellation = cancellation
    return outer


def current() -> Cancellation | None:
    """The `Cancellation` of this thread."""
    return _current.cancellation


def check() -> None:
    """Raises the error of this thread's run if it has to stop, else does nothing.

    Raises:
        DeadlineExceededError: if its time limit has passed.
        CancelledError: if it was cancelled.
    """
    if _current.cancellation is not None:
        _current.cancellation.check()


def check_time() -> None:
    """Raises a DeadlineExceededError if the time limit of this thread's run has passed."""
    if _current.cancellation is not None:
        _current.cancellation.check_time()


def checked(values: Iterable[Value], every: int = 1024) -> Iterator[Value]:
    """Iterates over many values; a run that is stopped ends there.

    Args:
        values: what to iterate over.
        every: after how many values to check.

    Raises:
        DeadlineExceededError: if the run's time limit has passed.
        CancelledError: if the run was cancelled.
    """
    for i, value in enumerate(values):
        if i % every == 0:
            check()
        yield value


def wait_for(
    condition: threading.Condition, predicate: Callable[[], bool], cancelled_text: str
) -> None:
    """Waits, holding the condition, until a predicate is true.

    Args:
        condition: the condition; code that changes the predicate notifies it.
        predicate: what to wait for.
        cancelled_text: the text of the CancelledError, "Dequeue operation was cancelled".

    Raises:
        DeadlineExceededError: if the run's time limit passes.
        CancelledError: if the run is cancelled, for instance because its session is closed.
    """
    while not predicate():
        if _current.cancellation is None:
            condition.wait()
        else:
            _current.cancellation._wait(condition, cancelled_text)


class uninterrupted:
    """A with block that Ctrl-C does not interrupt: the signal takes effect at its end.

    Only the main thread gets signals; in other threads the block does nothing. Imports, tracing and
    compilation run in such a block: an exception raised at an arbitrary point inside JAX may end
    the process or be lost in a callback.
    """

    __slots__ = ("_handler", "_outer", "_pending")
    # The block that the main thread is in.
    _innermost: ClassVar[uninterrupted | None] = None

    def __enter__(self) -> None:
        self._handler: Any = None
        self._pending: tuple[int, FrameType | None] | None = None
        if threading.current_thread() is threading.main_thread():
            handler = _signal.getsignal(_SIGINT)
            if callable(handler):
                _signal.signal(_SIGINT, self._defer)
                self._handler = handler
                self._outer = uninterrupted._innermost
                uninterrupted._innermost = self

    def __exit__(self, *exc: Any) -> None:
        handler = self._handler
        if handler is None:
            return
        uninterrupted._innermost = self._outer
        _signal.signal(_SIGINT, handler)
        if self._pending is not None:
            handler(*self._pending)

    def _defer(self, number: int, frame: FrameType | None) -> None:
        self._pending = number, frame


def let_interrupt() -> None:
    """Delivers a Ctrl-C that an `uninterrupted` block has deferred.

    Long-running work in such a block calls this between two steps. In a nested block, the outer one
    keeps deferring it.
    """
    block = uninterrupted._innermost
    if block is None or block._pending is None:
        return
    if threading.current_thread() is threading.main_thread():
        pending, block._pending = block._pending, None
        block._handler(*pending)
