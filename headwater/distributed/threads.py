"""Threads for calls that wait for other calls; they do not keep the process alive."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent import futures
from typing import Any

_IDLE_SECONDS = 10.0


class Threads(futures.Executor):
    """Runs each call in a thread at once: a call may wait for one that is made later.

    Threads are used again, and end when they have had no work for a while.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[_Thread] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> futures.Future[Any]:
        """Runs a function; the future has its result."""
        future: futures.Future[Any] = futures.Future()

        def work() -> None:
            try:
                result = fn(*args, **kwargs)
            except BaseException as error:
                future.set_exception(error)
            else:
                future.set_result(result)

        self.begin(work)
        return future

    def begin(self, work: Callable[[], object]) -> None:
        """Runs a function that raises nothing."""
        with self._lock:
            thread = self._idle.pop() if self._idle else None
        if thread is None:
            thread = _Thread(self)
            thread.given.put(work)
            thread.start()
        else:
            thread.given.put(work)

    def rest(self, thread: _Thread) -> None:
        """Puts a thread among those without work."""
        with self._lock:
            self._idle.append(thread)

    def leave(self, thread: _Thread) -> bool:
        """Takes a thread out; False if it has been given work meanwhile."""
        with self._lock:
            found = thread in self._idle
            if found:
                self._idle.remove(thread)
            return found


class _Thread(threading.Thread):
    def __init__(self, pool: Threads) -> None:
        super().__init__(daemon=True, name="headwater-task")
        self._pool = pool
        self.given: queue.SimpleQueue[Callable[[], object]] = queue.SimpleQueue()

    def run(self) -> None:
        while True:
            try:
                work = self.given.get(timeout=_IDLE_SECONDS)
            except queue.Empty:
                if self._pool.leave(self):
                    return
                work = self.given.get()
            work()
            # Its arguments may be large.
            del work
            self._pool.rest(self)


_threads = Threads()


def run_in_thread(work: Callable[[], object]) -> None:
    """Calls a function that raises nothing in another thread."""
    _threads.begin(work)
