"""Runs in which ops wait for other runs, such as ops of queues."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from headwater.base.waiting import Waiting
from headwater.engine.nodes.layout import Values
from headwater.engine.state import Pending


class Deferred(Exception):
    """Says that a node would have to wait, to a run that has something else to do."""

    def __init__(self, work: Waiting) -> None:
        super().__init__()
        self.work = work


class _Thread(threading.local):
    defers = False


_thread = _Thread()


def waited(call: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel of an op that may have to wait, as one that returns its results.

    Raises:
        Deferred: instead of waiting, inside of `run_or_defer`.
    """

    def run(inputs: list[Any], **extra: Any) -> Any:
        returned = call(inputs, **extra)
        # A kernel with hidden state returns that too.
        work = returned[0] if extra else returned
        if not isinstance(work, Waiting):
            return returned
        if _thread.defers and not work.done:
            raise Deferred(work)
        results = work.wait()
        return (results, returned[1]) if extra else results

    return run


def run_or_defer(node: Any, values: Values, pending: Pending) -> Waiting | None:
    """Runs a node that may have to wait.

    Returns:
        None if it has run, otherwise what it waits for.
    """
    _thread.defers = True
    try:
        node.run(values, pending)
    except Deferred as deferred:
        return deferred.work
    finally:
        _thread.defers = False
    return None
