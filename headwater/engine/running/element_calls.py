"""A function of one element, called for each of several ones in as many threads as there are cores.

For what has no form for stacked elements, such as decoding images of different sizes: the work of
the threads is done by libraries, without Python's lock.
"""

from __future__ import annotations

import os
import queue
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from headwater.base import cancellation, workers

_FEWEST = 2
# The largest number of bytes of the results of a call.
_MOST_BYTES = 1 << 24
# Where one element takes less, in seconds, the others are not worth a thread.
_SHORT = 1e-4
# A call should take no longer, in seconds: nothing that it makes can be seen before its end.
_LONG = 0.05


class ElementCalls:
    """A function of stacked arguments, by a function of one element.

    Args:
        call: the function of one element.

    Attributes:
        most: the largest number of elements that do not take too long, and whose results are not
            too large, as far as known.
    """

    def __init__(self, call: Callable[[Sequence[np.ndarray]], list[np.ndarray]]) -> None:
        self._call = call
        # How long the first element of the last call has taken, in seconds.
        self._seconds = 0.0
        self.most = _FEWEST

    def __call__(self, arguments: Sequence[np.ndarray]) -> list[Sequence[np.ndarray]]:
        """Each result as a list, with the value for each of the stacked arguments.

        Raises:
            Exception: what the function raises for one of them.
        """
        count = len(arguments[0])
        results: list[Any] = [None] * count
        failures: list[BaseException] = []
        waiting = deque(range(1, count))

        def compute(number: int) -> None:
            try:
                results[number] = self._call([array[number, ...] for array in arguments])
            except BaseException as error:
                failures.append(error)

        def work() -> None:
            while not failures:
                try:
                    number = waiting.popleft()
                except IndexError:
                    return
                compute(number)

        start = time.perf_counter()
        # Those of the last call tell whether threads are worth while, else the first of this one.
        wait = _started(work, min(_cores(), count) - 1) if self._seconds > _SHORT else None
        compute(0)
        self._seconds = time.perf_counter() - start
        if wait is None and self._seconds > _SHORT:
            wait = _started(work, min(_cores(), count - 1) - 1)
        work()
        if wait is not None:
            wait()
        if failures:
            raise failures[0]
        size = max(sum(array.nbytes for array in result) for result in results)
        seconds = max(time.perf_counter() - start, 1e-9) / count
        self.most = max(_FEWEST, min(_MOST_BYTES // max(size, 1), int(_LONG / seconds)))
        return list(zip(*results))


def _started(work: Callable[[], None], count: int) -> Callable[[], None]:
    """Starts some work in threads; returns a function that waits for its end in all of them."""
    run = cancellation.current()
    ended: queue.SimpleQueue[None] = queue.SimpleQueue()

    def task() -> None:
        outer = cancellation.enter(run)
        try:
            work()
        finally:
            cancellation.enter(outer)
            ended.put(None)

    for _ in range(count):
        workers.start(task)

    def wait() -> None:
        for _ in range(count):
            ended.get()

    return wait


def _cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
