"""Mutexes, which also exclude other runs of the session: MutexV2 and its relatives."""

from __future__ import annotations

import threading
from collections import deque
from typing import Any

import numpy as np

from headwater.base.cancellation import uninterrupted
from headwater.base.checks import fail
from headwater.base.handles import handle_of, resource_of
from headwater.base.typing import Array, ArrayModule
from headwater.base.waiting import Waiting
from headwater.graph import RunsOn, register_op, shapes
from headwater.ops.queues.resource import cancelled


class Mutex:
    """A fair lock: waiters get it in the order in which they came."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held = False
        self._waiting: deque[Waiting] = deque()

    def acquire(self) -> Waiting:
        """The work of an op that gets a `Hold`."""
        work = Waiting("Lock acquisition cancelled.", self._withdraw)
        with uninterrupted(), self._lock:
            self._waiting.append(work)
            self._pass_on()
        return work

    def release(self) -> None:
        """Passes the mutex to the next waiter."""
        with uninterrupted(), self._lock:
            self._held = False
            self._pass_on()

    def _pass_on(self) -> None:
        if self._waiting and not self._held:
            self._held = True
            self._waiting.popleft().finish(handle_of(Hold(self)))

    def _withdraw(self, work: Waiting) -> None:
        with uninterrupted(), self._lock:
            if not work.done:
                self._waiting.remove(work)
                work.fail(cancelled(work.cancelled_text))


class Hold:
    """Ownership of a mutex; ends when consumed, or when garbage-collected after a failed run."""

    def __init__(self, mutex: Mutex) -> None:
        self._mutex: Mutex | None = mutex

    def end(self) -> None:
        """Releases the mutex, once."""
        mutex, self._mutex = self._mutex, None
        if mutex is not None:
            mutex.release()

    __del__ = end


def make_mutex(attrs: dict[str, Any]) -> Mutex:
    return Mutex()


def kernel_mutex(xp: ArrayModule, *, state: Mutex) -> tuple[Mutex | np.ndarray, ...]:
    return handle_of(state), state


def kernel_lock(xp: ArrayModule, mutex: Array) -> Waiting:
    return resource_of(mutex).acquire()


def kernel_consume(xp: ArrayModule, mutex_lock: Array) -> None:
    hold = resource_of(mutex_lock)
    if not isinstance(hold, Hold):
        fail("Expected input to be a mutex lock, but saw another variant.")
    hold.end()


register_op(
    "MutexV2",
    outputs="resource: resource",
    attrs="container: string = '', shared_name: string = ''",
    shape=shapes.scalar,
    kernel=kernel_mutex,
    state=make_mutex,
    resource="mutex",
    stateful=True,
    runs_on=RunsOn.HOST,
)
register_op(
    "MutexLock",
    inputs="mutex: resource",
    outputs="mutex_lock: variant",
    shape=shapes.scalar,
    kernel=kernel_lock,
    exchanges=True,
    stateful=True,
    runs_on=RunsOn.HOST,
)
register_op(
    "ConsumeMutexLock",
    inputs="mutex_lock: variant",
    shape=shapes.none,
    kernel=kernel_consume,
    exchanges=True,
    stateful=True,
    runs_on=RunsOn.HOST,
)
