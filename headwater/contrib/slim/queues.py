"""Running the queue runners of a graph in a with block."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from headwater.base.export import export
from headwater.graph import get_default_graph
from headwater.graph.graph_keys import GraphKeys
from headwater.train.coordinator import Coordinator

_running = threading.local()


@export("contrib.slim.queues.NestedQueueRunnerError")
class NestedQueueRunnerError(Exception):
    """A `QueueRunners` block stands inside of another."""


@export("contrib.slim.queues.QueueRunners")
@contextmanager
def QueueRunners(session: Any) -> Iterator[None]:
    """A with block in which the queue runners of the default graph run.

    Args:
        session: the session that they use.

    Yields:
        None.

    Raises:
        NestedQueueRunnerError: if the block stands inside of another.
    """
    if getattr(_running, "active", False):
        raise NestedQueueRunnerError("QueueRunners cannot be nested")
    _running.active = True
    coordinator = Coordinator()
    threads: list[threading.Thread] = []
    try:
        for runner in get_default_graph().get_collection(GraphKeys.QUEUE_RUNNERS):
            threads.extend(
                runner.create_threads(session, coord=coordinator, daemon=True, start=True)
            )
        yield
    finally:
        coordinator.request_stop()
        try:
            coordinator.join(threads, stop_grace_period_secs=120)
        except RuntimeError:
            session.close()
        finally:
            _running.active = False
