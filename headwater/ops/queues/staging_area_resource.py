"""Staging areas: values that one run stores for a later one, in order or by key."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.cancellation import uninterrupted
from headwater.base.checks import fail
from headwater.base.waiting import Waiting
from headwater.ops.queues.resource import cancelled

Values = Sequence[Any]
# An op's step: returns its results, or None while it has to wait.
Attempt = Callable[[], Any]


class StagingArea:
    """Gives elements in the order in which they came.

    Args:
        capacity: how many elements it holds; 0 for any number.
        memory_limit: how many bytes they may have; 0 for any number.
    """

    def __init__(self, capacity: int, memory_limit: int) -> None:
        self._capacity = capacity
        self._memory_limit = memory_limit
        self._bytes = 0
        self._lock = threading.Lock()
        self._waiting: list[tuple[Waiting, Attempt]] = []
        self._elements: deque[list[Any]] = deque()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.size()} elements>"

    # Waiting

    def _start(self, text: str, attempt: Attempt) -> Waiting:
        work = Waiting(f"{text} operation was cancelled", self._withdraw)
        with uninterrupted(), self._lock:
            self._waiting.append((work, attempt))
            self._flush()
        return work

    def _withdraw(self, work: Waiting) -> None:
        with uninterrupted(), self._lock:
            if not work.done:
                self._waiting = [w for w in self._waiting if w[0] is not work]
                work.fail(cancelled(work.cancelled_text))

    def _flush(self) -> None:
        """Completes all waiting ops that can proceed."""
        changed = True
        while changed:
            changed = False
            for entry in list(self._waiting):
                work, attempt = entry
                try:
                    results = attempt()
                    if results is None:
                        continue
                    work.finish(results)
                except errors.OpError as error:
                    work.fail(error)
                self._waiting.remove(entry)
                changed = True

    # Room

    def _check_fits(self, size: int) -> None:
        if self._memory_limit and size > self._memory_limit:
            raise errors.ResourceExhaustedError(
                None,
                None,
                f"Attempted to insert tensors with combined size of '{size}' bytes into Staging "
                f"Area with a memory limit of '{self._memory_limit}'.",
            )

    def _has_room(self, size: int) -> bool:
        return not self._memory_limit or self._bytes + size <= self._memory_limit

    def _is_full(self) -> bool:
        return bool(self._capacity) and self.size() >= self._capacity

    # Ops

    def size(self) -> int:
        """The number of elements."""
        return len(self._elements)

    def clear(self) -> None:
        """Drops all elements."""
        with uninterrupted(), self._lock:
            self._drop()
            self._bytes = 0
            self._flush()

    def _drop(self) -> None:
        self._elements.clear()

    def put(self, values: Values) -> Waiting:
        """Adds an element."""
        element = [np.array(value) for value in values]
        size = _bytes(element)
        self._check_fits(size)

        def attempt() -> Any:
            if self._is_full() or not self._has_room(size):
                return None
            self._elements.append(element)
            self._bytes += size
            return ()

        return self._start("Stage", attempt)

    def get(self) -> Waiting:
        """Takes the first element."""

        def attempt() -> Any:
            if not self._elements:
                return None
            element = self._elements.popleft()
            self._bytes -= _bytes(element)
            return element

        return self._start("Unstage", attempt)

    def peek(self, index: int) -> Waiting:
        """Returns an element without removing it."""

        def attempt() -> Any:
            return list(self._elements[index]) if 0 <= index < len(self._elements) else None

        return self._start("StagePeek", attempt)


class MapStagingArea(StagingArea):
    """Gives elements by key; their components may come and go at different times.

    Args:
        count: the number of components.
        capacity: how many elements it holds; 0 for any number.
        memory_limit: how many bytes they may have; 0 for any number.
        ordered: whether elements that are taken without a key come in the order of keys.
    """

    def __init__(self, count: int, capacity: int, memory_limit: int, ordered: bool) -> None:
        super().__init__(capacity, memory_limit)
        self._count = count
        self._ordered = ordered
        self._complete: dict[int, list[Any]] = {}
        self._incomplete: dict[int, list[Any]] = {}

    def size(self) -> int:
        """The number of complete elements."""
        return len(self._complete)

    def incomplete_size(self) -> int:
        """The number of incomplete elements."""
        return len(self._incomplete)

    def _drop(self) -> None:
        self._complete.clear()
        self._incomplete.clear()

    def _check_index(self, key: int, index: int) -> None:
        if not 0 <= index < self._count:
            fail(f"Index '{index}' for key '{key}' was out of bounds '{self._count}'.")

    def put_at(self, key: int, indices: Sequence[int], values: Values) -> Waiting:
        """Adds some components of an element."""
        arrays = [np.array(value) for value in values]
        size = _bytes(arrays)
        self._check_fits(size)

        def attempt() -> Any:
            parts = self._incomplete.get(key, [None] * self._count)
            for index in indices:
                self._check_index(key, index)
                if parts[index] is not None:
                    fail(
                        f"The tensor for index '{index}' for key '{key}' was already initialized "
                        f"'{self._count}'."
                    )
            after = list(parts)
            for index, array in zip(indices, arrays):
                after[index] = array
            complete = all(part is not None for part in after)
            if not self._has_room(size) or (complete and self._is_full()):
                return None
            if not complete:
                self._incomplete[key] = after
                self._bytes += size
                return ()
            self._incomplete.pop(key, None)
            # An existing element is kept.
            if key not in self._complete:
                self._complete[key] = after
                self._bytes += size
            return ()

        return self._start("Stage", attempt)

    def get_at(self, key: int, indices: Sequence[int]) -> Waiting:
        """Takes some components of an element."""

        def attempt() -> list[np.ndarray] | None:
            return self._taken(key, indices) if key in self._complete else None

        return self._start("Unstage", attempt)

    def pop(self, indices: Sequence[int]) -> Waiting:
        """Takes some components of any element, with its key."""

        def attempt() -> Any:
            if not self._complete:
                return None
            key = min(self._complete) if self._ordered else next(iter(self._complete))
            return [np.asarray(key, np.int64), *self._taken(key, indices)]

        return self._start("Unstage", attempt)

    def peek_at(self, key: int, indices: Sequence[int]) -> Waiting:
        """Returns some components of an element without removing them."""

        def attempt() -> Any:
            return self._parts(key, indices) if key in self._complete else None

        return self._start("StagePeek", attempt)

    def _parts(self, key: int, indices: Sequence[int]) -> list[Any]:
        element = self._complete[key]
        for index in indices:
            self._check_index(key, index)
            if element[index] is None:
                fail(f"Tensor at index '{index}' for key '{key}' has already been removed.")
        return [element[index] for index in indices]

    def _taken(self, key: int, indices: Sequence[int]) -> list[Any]:
        parts = self._parts(key, indices)
        element = self._complete[key]
        for index in indices:
            element[index] = None
        if all(part is None for part in element):
            del self._complete[key]
        self._bytes -= _bytes(parts)
        return parts


def _bytes(arrays: Sequence[np.ndarray]) -> int:
    return sum(array.nbytes for array in arrays)
