"""Threads that make elements ahead of their use."""

from __future__ import annotations

import abc
import math
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from headwater.base import cancellation, errors, workers
from headwater.base.cancellation import Cancellation
from headwater.base.typing import Array
from headwater.ops.data.dataset import (
    Element,
    ElementIterator,
    IteratorContext,
    Rows,
    SavedState,
    rows_to_element,
)

AUTOTUNE = -1

# This part of a buffer is empty before it is filled again.
_REST = 8

# The largest block that is made at once, in elements and bytes.
_LARGEST_BLOCK = 128
_BLOCK_BYTES = 1 << 20

# A call that takes less, in seconds, costs less than handing its result to another thread.
_SHORT = 1e-4
# After so many calls in threads, short ones are made by the thread that wants the results.
_TRIAL = 32
_LONGEST_TRIAL = 1 << 14
# A long call counts twice, a short one takes back one: with so many, calls go back to threads.
_TOO_LONG = 6

_CANCELLED = "Iterator was cancelled"


@dataclass(frozen=True)
class Failure:
    """An error in the place of an element."""

    error: BaseException


Item: TypeAlias = "Element | Failure"


def element_of(item: Item) -> Element:
    """An element that was made ahead; raises the error that stands in its place."""
    if isinstance(item, Failure):
        raise item.error
    return item


@dataclass(eq=False)
class Block:
    """Several elements, stacked.

    Attributes:
        rows: the elements.
        position: how many of them have been taken.
    """

    rows: Rows
    position: int = 0

    @property
    def size(self) -> int:
        """How many elements are left."""
        return len(self.rows[0]) - self.position

    def take(self, count: int) -> Rows:
        """The next elements: `count`, or fewer at the end."""
        start, self.position = self.position, min(self.position + count, len(self.rows[0]))
        return [array[start : self.position] for array in self.rows]


def cpu_count() -> int:
    """How many CPUs this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Background(abc.ABC):
    """Threads that do the jobs of an iterator; they end with it, or when nothing is left to do.

    Args:
        context: the iterator's; its cancellation ends the threads.
        threads: the largest number of threads.
    """

    def __init__(self, context: IteratorContext, threads: int) -> None:
        # One lock: threads wait for jobs with the first, iterators for results with the second.
        lock = threading.RLock()
        self.condition = threading.Condition(lock)
        self.results = threading.Condition(lock)
        self._cancellation = Cancellation(parent=context.cancellation)
        self._threads = threads
        self._running = 0
        self._busy = 0
        self._paused = False
        self._closed = False
        self._released = False

    @abc.abstractmethod
    def _pick(self) -> Callable[[], None] | None:
        """A job that is to be done now, if there is one; called with the condition held.

        The job runs without the condition. It does not raise.
        """

    @abc.abstractmethod
    def _width(self) -> int:
        """How many threads may find a job, now or later; 0 when nothing is left to do."""

    @abc.abstractmethod
    def _release(self) -> None:
        """Closes the iterators; called once, when no thread uses them."""

    def start(self) -> None:
        """Starts a thread if there is work for one; called with the condition held."""
        if self._running < min(self._threads, self._width()) and not self._closed:
            self._running += 1
            workers.start(self._work)

    def utilization(self) -> float:
        """The part of the threads that is busy."""
        return self._busy / self._threads

    def wait(self, predicate: Callable[[], bool]) -> None:
        """Waits, with the condition held, until there is a result.

        Raises:
            CancelledError: if the iterator is closed.
        """
        self._wait(self.results, predicate)

    def _wait(self, condition: threading.Condition, predicate: Callable[[], bool]) -> None:
        cancellation.wait_for(condition, lambda: self._closed or predicate(), _CANCELLED)
        if self._closed:
            raise errors.CancelledError(None, None, _CANCELLED)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """A with block in which no job runs; the condition is held."""
        with self.condition:
            self._paused = True
            try:
                self._wait(self.condition, lambda: not self._busy)
                yield
            finally:
                self._paused = False
                self.condition.notify_all()

    def close(self) -> None:
        """Ends the threads, without waiting for them; the last one closes the iterators."""
        with self.condition:
            if self._closed:
                return
            self._closed = True
            self.condition.notify_all()
            self.results.notify_all()
        self._cancellation.cancel()
        self._release_if_last()

    def _work(self) -> None:
        with cancellation.running(self._cancellation):
            while (job := self._next_job()) is not None:
                job()
                # The last reference to an element must not outlive its use.
                del job
                with self.condition:
                    self._busy -= 1
                    if self._paused:
                        self.condition.notify_all()
        self._release_if_last()

    def _release_if_last(self) -> None:
        with self.condition:
            last = self._closed and not self._running and not self._released
            self._released = self._released or last
        if last:
            self._release()

    def _next_job(self) -> Callable[[], None] | None:
        job: Callable[[], None] | None = None

        def found() -> bool:
            nonlocal job
            job = None if self._paused else self._pick()
            return job is not None or not self._width()

        with self.condition:
            try:
                self._wait(self.condition, found)
            except errors.OpError:
                job = None
            if job is None:
                self._running -= 1
            else:
                self._busy += 1
                self.start()
            return job


def _bytes_of(array: Array) -> int:
    """The size of an array; that of the strings in it, if it has strings."""
    if array.dtype != object:
        return int(array.nbytes)
    return sum(len(value) for value in array.flat if isinstance(value, bytes))


@dataclass(eq=False)
class Source:
    """An iterator whose elements are made ahead.

    Attributes:
        make: makes the iterator.
        limit: how many elements may wait.
        rows: how many elements are made at once; more than one for a dataset whose elements may be
            early.
        inputs: from what `make` makes it, for saved states.
    """

    make: Callable[[], ElementIterator]
    limit: int
    rows: int = 1
    inputs: Item | None = None
    iterator: ElementIterator | None = None
    items: deque[Item | Block] = field(default_factory=deque)
    busy: bool = False
    ended: bool = False
    # After a buffer is full, the threads rest for some elements: they take turns less often.
    filling: bool = True

    def waiting(self) -> int:
        """How many elements wait."""
        if self.rows == 1:
            return len(self.items)
        return sum(item.size if isinstance(item, Block) else 1 for item in self.items)

    def single_items(self) -> list[Item]:
        """The elements that wait, and errors in their places, one by one."""
        items: list[Item] = []
        for item in self.items:
            if isinstance(item, Block):
                stop = item.position + item.size
                items += [rows_to_element(item.rows, i) for i in range(item.position, stop)]
            else:
                items.append(item)
        return items

    def pop(self) -> Item:
        """Takes the first element that waits."""
        first = self.items[0]
        if not isinstance(first, Block):
            self.items.popleft()
            return first
        return rows_to_element(self.pop_rows(1), 0)

    def pop_rows(self, count: int) -> Rows:
        """Takes some of the first elements, which are a block."""
        first = self.items[0]
        assert isinstance(first, Block)
        rows = first.take(count)
        if not first.size:
            self.items.popleft()
        return rows

    def head(self) -> int:
        """How many elements the first item has if it is a block, else 0."""
        first = self.items[0] if self.items else None
        return first.size if isinstance(first, Block) else 0

    def head_shapes(self) -> list[tuple[int, ...]]:
        """The shapes of the elements of the first item, which is a block."""
        first = self.items[0]
        return [array.shape[1:] for array in first.rows] if isinstance(first, Block) else []

    def produce(self) -> Item | Block | None:
        """The next element or elements, or an error in their place; None at the end."""
        try:
            if self.iterator is None:
                self.iterator = self.make()
        except BaseException as error:
            self.ended = True
            return Failure(error)
        try:
            if self.rows == 1:
                return self.iterator.next()
            rows = self.iterator.next_rows(self.rows)
            if rows is None:
                return None
            size = sum(map(_bytes_of, rows)) // len(rows[0]) + 1
            self.rows = max(2, min(_LARGEST_BLOCK, _BLOCK_BYTES // size))
            return Block(rows)
        except BaseException as error:
            return Failure(error)


class SourcePool(Background):
    """Makes the elements of some iterators ahead.

    Args:
        context: the iterator's.
        threads: the largest number of threads.
    """

    def __init__(self, context: IteratorContext, threads: int) -> None:
        super().__init__(context, threads)
        self._sources: list[Source] = []

    def add(self, source: Source) -> None:
        """Begins to make the elements of a source; those added first are the most urgent."""
        with self.condition:
            self._sources.append(source)
            self.start()
            self.condition.notify_all()

    def take(self, source: Source) -> Item | None:
        """The next element of a source; None at its end.

        Raises:
            CancelledError: if the iterator is closed.
        """
        with self.condition:
            self._await_item(source)
            item = source.pop() if source.items else None
            self._refill(source)
            return item

    def take_block(self, source: Source, count: int) -> Block | Failure | None:
        """One element or more of a source, `count` at most; None at its end.

        Raises:
            CancelledError: if the iterator is closed.
        """
        with self.condition:
            self._await_item(source)
            if not source.head():
                item = self.take(source)
                if item is None or isinstance(item, Failure):
                    return item
                return Block([np.asarray(value)[np.newaxis] for value in item])
            rows = source.pop_rows(count)
            self._refill(source)
            return Block(rows)

    def waiting(self, source: Source) -> int:
        """How many elements of a source wait, after waiting for one; 0 at its end."""
        with self.condition:
            self._await_item(source)
            return source.waiting()

    def rows_ready(self, sources: Sequence[Source]) -> int:
        """How many rows `take_block` can give of each of some sources, after waiting for them."""
        with self.condition:
            for source in sources:
                self._await_item(source)
            return min(source.head() for source in sources)

    def _await_item(self, source: Source) -> None:
        if not source.items and not source.ended:
            self.wait(lambda: bool(source.items) or source.ended)

    def first_ready(self, sources: Sequence[Source]) -> int:
        """Waits for the first of some sources that has an element, or has come to its end."""
        ready: list[int] = []

        def found() -> bool:
            ready[:] = [i for i, s in enumerate(sources) if s.items or s.ended][:1]
            return bool(ready)

        with self.condition:
            self.wait(found)
        return ready[0]

    def _refill(self, source: Source) -> None:
        """Lets threads go on with a source from which something was taken."""
        rest = max(1, source.limit // _REST)
        if not source.filling and source.waiting() <= source.limit - rest and not source.ended:
            source.filling = True
            self.start()
            self.condition.notify_all()

    def remove(self, source: Source) -> None:
        """Forgets a source that has come to its end, and closes its iterator."""
        with self.condition:
            self._sources.remove(source)
        if source.iterator is not None:
            source.iterator.close()

    def _pick(self) -> Callable[[], None] | None:
        for source in self._sources:
            if source.filling and not source.busy and not source.ended:
                source.busy = True
                return lambda: self._fill(source)
        return None

    def _width(self) -> int:
        return sum(not source.ended for source in self._sources)

    def _fill(self, source: Source) -> None:
        item = source.produce()
        with self.condition:
            source.busy = False
            if item is None:
                source.ended = True
            else:
                source.items.append(item)
                source.filling = source.waiting() < source.limit
            if source.ended:
                self.condition.notify_all()
            self.results.notify_all()

    def _release(self) -> None:
        for source in self._sources:
            if source.iterator is not None:
                source.iterator.close()


@dataclass(eq=False)
class _Call:
    """A call of a function: its result, once it is known."""

    result: Item | None = None


class CallPool(Background):
    """Calls a function of the elements of an iterator, of several at the same time.

    Args:
        context: the iterator's.
        elements: makes the elements; only the threads use it.
        function: the function.
        threads: how many calls there may be at the same time, and results that wait.
        ordered: whether the results come in the order of the elements.
        may_wait: whether a call may wait for another one.
    """

    def __init__(
        self,
        context: IteratorContext,
        elements: ElementIterator,
        function: Callable[[Element], Sequence[Array]],
        threads: int,
        ordered: bool,
        may_wait: bool,
    ) -> None:
        super().__init__(context, threads)
        self._elements = elements
        self._function = function
        self._ordered = ordered
        self._calls: deque[_Call] = deque()
        self._taking = False
        self._ended = False
        # Whether the thread that wants the results makes the calls; only if they are short.
        self._alone = False
        self._may_wait = may_wait
        self._trial = _TRIAL
        self._tried = 0
        self._shortest = math.inf
        self._long = 0

    def next(self) -> Item | None:
        """The next result; None at the end.

        Raises:
            CancelledError: if the iterator is closed.
        """
        with self.condition:
            if not self._alone or self._calls or self._ended:
                return self._next_result()
            if self._closed:
                raise errors.CancelledError(None, None, _CANCELLED)
            # The elements must stay open.
            self._running += 1
        try:
            return self._call_alone()
        finally:
            with self.condition:
                self._running -= 1
            self._release_if_last()

    def _call_alone(self) -> Item | None:
        start = time.perf_counter()
        try:
            element = self._elements.next()
            result = None if element is None else self._function(element)
        except (errors.CancelledError, errors.DeadlineExceededError):
            raise
        except Exception as error:
            return Failure(error)
        if element is None:
            with self.condition:
                self._ended = True
                self.condition.notify_all()
            return None
        self._long = max(0, self._long + (2 if time.perf_counter() - start > 4 * _SHORT else -1))
        if self._long >= _TOO_LONG:
            with self.condition:
                self._alone = False
                self._trial = min(2 * self._trial, _LONGEST_TRIAL)
                self._long = 0
                self.condition.notify_all()
        return result

    def _note_time(self, seconds: float) -> None:
        """Notes how long a call in a thread has taken; called with the condition held."""
        self._tried += 1
        self._shortest = min(self._shortest, seconds)
        if self._tried >= self._trial and not self._may_wait:
            self._alone = self._shortest < _SHORT
            self._tried, self._shortest = 0, math.inf

    def _next_result(self) -> Item | None:
        with self.condition:
            self.start()
            self.wait(lambda: self._ready() is not None or (self._ended and not self._calls))
            call = self._ready()
            if call is None:
                return None
            self._calls.remove(call)
            self.condition.notify()
            return call.result

    def _ready(self) -> _Call | None:
        for call in self._calls:
            if call.result is not None:
                return call
            if self._ordered:
                break
        return None

    def _pick(self) -> Callable[[], None] | None:
        if self._taking or self._ended or self._alone or len(self._calls) >= self._threads:
            return None
        self._taking = True
        call = _Call()
        self._calls.append(call)
        return lambda: self._run(call)

    def _width(self) -> int:
        return 0 if self._ended else self._threads

    def _run(self, call: _Call) -> None:
        result: Item | None = None
        element: Element | None = None
        try:
            element = self._elements.next()
        except BaseException as error:
            result = Failure(error)
        with self.condition:
            self._taking = False
            if element is None and result is None:
                self._ended = True
                self._calls.remove(call)
                self.condition.notify_all()
                self.results.notify_all()
            else:
                self.condition.notify()
        start = time.perf_counter()
        if element is not None:
            try:
                result = self._function(element)
            except BaseException as error:
                result = Failure(error)
        with self.condition:
            call.result = result
            self._note_time(time.perf_counter() - start)
            self.results.notify_all()

    def _release(self) -> None:
        self._elements.close()

    def save(self, state: SavedState, prefix: str) -> None:
        """Writes the results that wait and where the elements are."""
        with self.paused():
            self._elements.save(state, f"{prefix}/input")
            results = [call.result for call in self._calls if call.result is not None]
            save_items(state, f"{prefix}/results", results)

    def restore(self, state: SavedState, prefix: str) -> None:
        """Goes to where a saved pool was."""
        self._elements.restore(state, f"{prefix}/input")
        self._calls.extend(_Call(item) for item in restored_items(state, f"{prefix}/results"))

    def add(self, element: Element) -> None:
        """Computes the result of an element that comes before those of the iterator."""
        try:
            self._calls.append(_Call(self._function(element)))
        except Exception as error:
            self._calls.append(_Call(Failure(error)))


# Saved states


def save_items(state: SavedState, prefix: str, items: Sequence[Item]) -> None:
    """Writes elements, and errors in their places, to a state."""
    state[f"{prefix}/count"] = len(items)
    for i, item in enumerate(items):
        if isinstance(item, Failure):
            code = item.error.error_code if isinstance(item.error, errors.OpError) else None
            state[f"{prefix}/{i}/code"] = errors.UNKNOWN if code is None else code
            state[f"{prefix}/{i}/message"] = getattr(item.error, "message", str(item.error))
        else:
            state[f"{prefix}/{i}/size"] = len(item)
            for j, value in enumerate(item):
                state[f"{prefix}/{i}/{j}"] = value


def restored_items(state: SavedState, prefix: str) -> list[Item]:
    """The elements, and errors in their places, that `save_items` has written."""
    return [_restored_item(state, f"{prefix}/{i}") for i in range(int(state[f"{prefix}/count"]))]


def _restored_item(state: SavedState, prefix: str) -> Item:
    if f"{prefix}/code" in state:
        message = _text(state[f"{prefix}/message"])
        return Failure(errors.make_error(int(state[f"{prefix}/code"]), message))
    values: Any = [state[f"{prefix}/{j}"] for j in range(int(state[f"{prefix}/size"]))]
    return list(values)


def _text(value: Any) -> str:
    found = value.item() if hasattr(value, "item") else value
    return found.decode() if isinstance(found, bytes) else str(found)
