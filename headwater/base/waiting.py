"""Work that may have to wait for other runs: the result of blocking ops such as those of queues.

The resource that an op works on, such as a queue, keeps the `Waiting` until the work can be done;
the run that makes that possible finishes it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from headwater.base.cancellation import wait_for


class Waiting:
    """The pending or finished work of one op.

    Args:
        cancelled_text: the text of the CancelledError if the run is cancelled before.
        withdraw: function of this object that makes the resource forget it; called without holding
            the resource's lock.

    Attributes:
        done: whether the work is done or has failed.
    """

    def __init__(
        self,
        cancelled_text: str = "",
        withdraw: Callable[[Any], None] | None = None,
    ) -> None:
        self.cancelled_text = cancelled_text
        self.done = False
        self._results: Any = ()
        self._error: BaseException | None = None
        self._withdraw = withdraw
        self._listeners: list[threading.Condition] = []

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
        self.done = True
        for condition in list(self._listeners):
            with condition:
                condition.notify_all()

    def listen(self, condition: threading.Condition) -> None:
        """Has a condition notified when the work ends; callers check `done` afterwards."""
        self._listeners.append(condition)

    def withdraw(self) -> None:
        """Abandons the work if it is not done."""
        if not self.done and self._withdraw is not None:
            self._withdraw(self)

    def result(self) -> Any:
        """What the kernel of the op returns, when the work is done.

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
        if not self.done:
            wait_for_any([self])
        return self.result()


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
