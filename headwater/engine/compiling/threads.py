"""Work of compiling in several threads: XLA leaves Python's lock alone while it compiles."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from headwater.base.lazy import jax

Result = TypeVar("Result")


def _cores() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return (os.cpu_count() or 1) if affinity is None else len(affinity(0))


# How many threads may work besides those that ask for it, however many ask.
_free_cores = threading.Semaphore(max(0, _cores() - 1))


def in_threads(first: Callable[[], Result], others: Sequence[Callable[[], object]]) -> Result:
    """Calls functions in this thread and, as far as cores are free, in others.

    Args:
        first: called in this thread.
        others: called in any thread; their exceptions are dropped.

    Returns:
        The result of `first`, after all have ended.
    """
    waiting = deque(others)
    # A device of this thread is not that of the others.
    device = jax.config.jax_default_device if others else None

    def work() -> None:
        while True:
            try:
                task = waiting.popleft()
            except IndexError:
                return
            try:
                task()
            except Exception:
                # Whoever needs its result will meet the error.
                continue

    def help_out() -> None:
        try:
            with jax.default_device(device), np.errstate(all="ignore"):
                work()
        finally:
            _free_cores.release()

    helpers: list[threading.Thread] = []
    for _ in others:
        if not _free_cores.acquire(blocking=False):
            break
        helpers.append(threading.Thread(target=help_out, name="compile", daemon=True))
        helpers[-1].start()
    try:
        return first()
    finally:
        work()
        for helper in helpers:
            helper.join()


def all_in_threads(tasks: Sequence[Callable[[], Result]]) -> list[Result]:
    """The results of functions that are called in several threads.

    Raises:
        Exception: the first one that a function has raised.
    """
    results: list[Any] = [None] * len(tasks)
    failed: dict[int, BaseException] = {}

    def keeping(place: int) -> Callable[[], None]:
        def call() -> None:
            try:
                results[place] = tasks[place]()
            except BaseException as error:
                failed[place] = error

        return call

    calls = [keeping(place) for place in range(len(tasks))]
    if calls:
        in_threads(calls[0], calls[1:])
    if failed:
        raise failed[min(failed)]
    return results
