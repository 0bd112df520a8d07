"""A pool of threads for work that may block; threads are reused, since starting one is slow."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable

# How long an idle thread lives, in seconds.
_PATIENCE = 1.0


class _Worker(threading.Thread):
    def __init__(self) -> None:
        super().__init__(name="headwater worker", daemon=True)
        self.tasks: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()

    def run(self) -> None:
        """A worker thread."""
        while True:
            try:
                task = self.tasks.get(timeout=_PATIENCE)
            except queue.Empty:
                try:
                    _idle.remove(self)
                    return
                except ValueError:
                    # Another thread has just taken it off the list.
                    task = self.tasks.get()
            task()
            del task
            _idle.append(self)


_idle: list[_Worker] = []
# After a fork, the child process has none of these threads.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)


def start(task: Callable[[], None]) -> None:
    """Runs a function, which must not raise, in another thread."""
    try:
        worker = _idle.pop()
    except IndexError:
        worker = _Worker()
        worker.start()
    worker.tasks.put(task)
