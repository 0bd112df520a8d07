"""Blocking ops, such as ops of queues, which wait for other runs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from headwater.base.waiting import Waiting, advanced
from headwater.engine.nodes.layout import Values
from headwater.engine.state import Pending


class Deferred(Exception):
    """Raised when a node would have to wait in a run that has other work."""

    def __init__(self, work: Waiting) -> None:
        super().__init__()
        self.work = work


class _Thread(threading.local):
    defers = False


_thread = _Thread()


def waited(call: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps the kernel of a blocking op so that it returns results instead of a Waiting.

    Raises:
        Deferred: inside of `run_or_defer`, instead of waiting.
    """

    def run(*inputs: Any, **extra: Any) -> Any:
        returned = call(*inputs, **extra)
        # A kernel with a state returns the state too.
        work = returned[0] if extra else returned
        if not isinstance(work, Waiting):
            return returned
        if _thread.defers:
            results = advanced(work)
            if isinstance(results, Waiting):
                raise Deferred(results)
        else:
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
