"""Threads for calls that wait for other calls; they do not keep the process alive."""

from __future__ import annotations

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

        with self._lock:
            thread = self._idle.pop() if self._idle else None
        if thread is None:
            thread = _Thread(self)
            thread.give(work)
            thread.start()
        else:
            thread.give(work)
        return future

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
        self._given = threading.Semaphore(0)
        self._work: Callable[[], None] | None = None

    def give(self, work: Callable[[], None]) -> None:
        self._work = work
        self._given.release()

    def run(self) -> None:
        while True:
            if not self._given.acquire(timeout=_IDLE_SECONDS):
                if self._pool.leave(self):
                    return
                self._given.acquire()
            work, self._work = self._work, None
            assert work is not None
            work()
            # Its arguments may be large.
            del work
            self._pool.rest(self)


_threads = Threads()


def run_in_thread(function: Callable[..., Any], *arguments: Any) -> futures.Future[Any]:
    """Calls a function in another thread."""
    return _threads.submit(function, *arguments)
