"""Work that may have to wait for other runs: the result of blocking ops such as those of queues.

The resource that an op works on, such as a queue, keeps the `Waiting` until the work can be done;
the run that makes that possible finishes it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from headwater.base.cancellation import Calling, wait_for


class Waiting:
    """The pending or finished work of one op.

    Args:
        cancelled_text: the text of the CancelledError if the run is cancelled before.
        withdraw: function of this object that makes the resource forget it; called without holding
            the resource's lock.

    Attributes:
        has_parts: whether `result` may do a part of the work, for which others may be waiting.
    """

    has_parts = False

    def __init__(
        self,
        cancelled_text: str = "",
        withdraw: Callable[[Any], None] | None = None,
    ) -> None:
        self.cancelled_text = cancelled_text
        self._done = False
        self._results: Any = ()
        self._error: BaseException | None = None
        self._withdraw = withdraw
        self._listeners: list[threading.Condition] = []

    @property
    def done(self) -> bool:
        """Whether the work is done or has failed."""
        return self._done

    @property
    def has_failed(self) -> bool:
        """Whether the work has failed."""
        return self._error is not None

    def finish(self, results: Any = ()) -> None:
        """Marks the work as done and wakes its waiters."""
        self._results = results
        self._end()

    def fail(self, error: BaseException) -> None:
        """Marks the work as failed and wakes its waiters."""
        self._error = error
        self._end()

    def _end(self) -> None:
        # Set before the listeners are read; `listen` uses the opposite order.
        self._done = True
        _notify(list(self._listeners))

    def listen(self, condition: threading.Condition) -> None:
        """Has a condition notified when the work ends; callers check `done` afterwards."""
        self._listeners.append(condition)

    def then(self, function: Callable[[], object]) -> None:
        """Calls a function when the work ends, or at once if it has ended."""
        condition = Calling(function)
        self._listeners.append(condition)
        if self._done:
            with condition:
                condition.notify_all()

    def withdraw(self) -> None:
        """Abandons the work if it is not done."""
        if not self.done and self._withdraw is not None:
            self._withdraw(self)

    def result(self) -> Any:
        """What the kernel of the op returns, when the work is done; called once.

        It may be another Waiting: work of several parts, which the run that waits goes on with.

        Raises:
            BaseException: the error that it failed with, usually an OpError.
        """
        if self._error is not None:
            raise self._error
        return self._results

    def wait(self) -> Any:
        """Waits until the work is done.

        Returns:
            What the kernel of the op returns.

        Raises:
            CancelledError: if the run is cancelled.
            DeadlineExceededError: if the time limit of the run passes.
            OpError: if the work has failed.
        """
        work: Any = self
        while isinstance(work, Waiting):
            if not work.done:
                wait_for_any([work])
            work = work.result()
        return work


def finish_all(pairs: Sequence[tuple[Waiting, Any]]) -> None:
    """Marks several pieces of work as done, each with its results.

    Who waits for all of them is woken once.

    Args:
        pairs: pieces of work, with the results of each.
    """
    listeners: dict[threading.Condition, None] = {}
    for work, results in pairs:
        work._results = results
        work._done = True
        listeners.update(dict.fromkeys(work._listeners))
    _notify(listeners)


def _notify(listeners: Iterable[threading.Condition]) -> None:
    for condition in listeners:
        with condition:
            condition.notify_all()


def advanced(work: Any) -> Any:
    """What a kernel has returned, or its results if it is a Waiting and they can be had now.

    Raises:
        OpError: if the work has failed.
    """
    while isinstance(work, Waiting) and work.done:
        work = work.result()
    return work


def wait_for_all(works: list[Waiting]) -> None:
    """Waits until all pieces of work are done, one has failed, or one of several parts can go on.

    Raises:
        CancelledError: if the run is cancelled.
        DeadlineExceededError: if the time limit of the run passes.
    """

    def is_enough() -> bool:
        return all(w.done for w in works) or any(
            w.has_failed or (w.has_parts and w.done) for w in works
        )

    if is_enough():
        return
    condition = threading.Condition()
    for work in works:
        work.listen(condition)
    with condition:
        wait_for(condition, is_enough, works[0].cancelled_text)


def wait_for_any(works: list[Waiting]) -> None:
    """Waits until one of several pieces of work is done; abandons all if the run is stopped.

    Raises:
        CancelledError: if the run is cancelled.
        DeadlineExceededError: if the time limit of the run passes.
    """
    condition = threading.Condition()
    for work in works:
        work.listen(condition)
    try:
        with condition:
            wait_for(condition, lambda: any(w.done for w in works), works[0].cancelled_text)
    except BaseException:
        for work in works:
            work.withdraw()
        raise
