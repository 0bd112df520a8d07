"""The values of queue handles: the queues themselves, which a session keeps between runs.

Nothing blocks in here. Every op on a queue becomes an attempt, which waits in line until it can
proceed; every change of the queue advances all attempts as far as possible.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from headwater.base import errors
from headwater.base.cancellation import uninterrupted
from headwater.base.checks import fail
from headwater.base.dtypes import DType
from headwater.base.waiting import Waiting
from headwater.graph import shapes
from headwater.ops.queues.element_line import Element, ElementLine, Rows, joined
from headwater.ops.queues.resource import (
    cancelled,
    fits,
    out_of_range,
    private_name,
    shapes_text,
    stacked,
    types_text,
)

Shape = Sequence["int | None"] | None
# The rows of a component: of an array, or one by one.
RowArrays: TypeAlias = "np.ndarray | Sequence[np.ndarray]"

_ENQUEUE = "Enqueue operation was cancelled"
_DEQUEUE = "Dequeue operation was cancelled"

# So few rows are put in one by one.
_FEW = 8

# The bytes of a row that may be a view, which keeps the whole array alive.
_VIEWED = 1024


class Attempt(Waiting):
    """An op on a queue that may have to wait.

    Args:
        cancelled_text: the text of the error if its run is cancelled.
        withdraw: makes the queue forget it.
        step: does as much of the work as is possible now, and returns whether it made progress;
            called with the lock of the queue held.
    """

    def __init__(
        self,
        cancelled_text: str,
        withdraw: Callable[[Any], None],
        step: Callable[[Any], bool],
        requested: int = 1,
    ) -> None:
        super().__init__(cancelled_text, withdraw)
        self.step = step
        self.requested = requested
        self.taken: list[Element | Rows] = []


class Queue:
    """A queue of elements, which are tuples of arrays: first in, first out.

    Args:
        types: the types of the components of each element.
        component_shapes: their shapes; empty if elements may have any shapes.
        capacity: how many elements it holds; negative for any number.
    """

    kind = "FIFOQueue"
    # The kind that the errors of single elements name.
    single_kind = "FIFOQueue"

    def __init__(
        self, types: Sequence[DType], component_shapes: Sequence[Shape], capacity: int
    ) -> None:
        self.types = list(types)
        self.shapes = [None if s is None else tuple(s) for s in component_shapes]
        self.capacity = capacity
        self.closed = False
        self.name = ""
        # A queue is found under its shared name by several nodes; this one has been checked last.
        self.checked: Any = None
        # Held by the thread that looks ahead, while it computes with what it sees.
        self.turn = threading.Lock()
        self._lock = threading.Lock()
        self._enqueues: deque[Attempt] = deque()
        self._dequeues: deque[Attempt] = deque()
        self._elements: Any = ElementLine()

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name}: {len(self._elements)} elements>"

    def set_name(self, op_name: str, shared_name: str) -> None:
        """Gives the queue its name, the first time."""
        with self._lock:
            if not self.name:
                self.name = shared_name or private_name(op_name)

    def check_arguments(self) -> None:
        """Raises InvalidArgumentError if there is no such queue."""

    def check_same(self, op_type: str, other: Queue) -> None:
        """Checks that this queue matches what another node declares.

        Args:
            op_type: the type of that node.
            other: a queue made as the node says.

        Raises:
            InvalidArgumentError: if the queue is another one.
        """
        if op_type not in (self.kind, f"{self.kind}V2"):
            fail(f"Expected {self.kind}, found {op_type}")
        shared = f"Shared queue '{self.name}' has"
        if self.capacity != other.capacity:
            fail(f"{shared} capacity {self.capacity} but requested capacity was {other.capacity}")
        self._check_order(other, shared)
        if self.types != other.types:
            fail(
                f"{shared} component types {types_text(self.types)} but requested component types "
                f"were {types_text(other.types)}"
            )
        if self.shapes != other.shapes:
            fail(
                f"{shared} component shapes {shapes_text(self.shapes)} but requested component "
                f"shapes were {shapes_text(other.shapes)}"
            )

    def _check_order(self, other: Queue, shared: str) -> None:
        """Checks the properties that only some kinds of queues have."""

    # Ops

    def size(self) -> int:
        """The number of elements."""
        # With the lock, so that rows that are put in together are counted together.
        with uninterrupted(), self._lock:
            return len(self._elements)

    def room(self, wanted: int) -> int:
        """How many of so many elements could be put in now."""
        if self.closed or self._enqueues:
            return 0
        if self.capacity < 0:
            return wanted
        return min(wanted, self.capacity - len(self._elements))

    def enqueue(self, element: Element) -> Waiting:
        """Puts one element in."""
        for i, (array, wanted) in enumerate(zip(element, self.shapes)):
            if not fits(array.shape, wanted):
                _fail_shape(i, wanted, array.shape)
        with uninterrupted(), self._lock:
            if not self._enqueues and not self.closed and self._has_room():
                # The usual case: nothing to wait for.
                self._push(element)
                if self._dequeues:
                    self._flush()
                work = Waiting()
                work.finish()
                return work
        return self._start(
            self._enqueues, _ENQUEUE, lambda attempt: self._enqueue_one(attempt, element)
        )

    def enqueue_many(self, batch: Element) -> Waiting:
        """Puts the rows of arrays in, one after the other."""
        count = next((array.shape[0] for array in batch if array.ndim), 1)
        for i, array in enumerate(batch):
            if self.shapes:
                shape = self.shapes[i]
                wanted = None if shape is None else (count, *shape)
                if array.ndim == 0 or not fits(array.shape, wanted):
                    _fail_shape(i, wanted, array.shape)
            elif array.ndim == 0 or array.shape[0] != count:
                fail(
                    "All input tensors must have the same size in the 0th dimension. Component "
                    f"{i} has {array.shape[0] if array.ndim else 0}, and should have {count}"
                )
        if not count:
            work = Waiting()
            work.finish()
            return work
        rows = Rows(batch, 0, count)
        return self._start(
            self._enqueues, _ENQUEUE, lambda attempt: self._enqueue_rows(attempt, rows)
        )

    def enqueue_rows(self, batch: Sequence[RowArrays], admit: Callable[[int], int]) -> int:
        """Puts in as many rows of arrays as there is room for, and never waits.

        It does what as many enqueues of one element do one after the other.

        Args:
            batch: the arrays; or lists of the rows.
            admit: gets how many rows there is room for and returns how many are put in; called with
                the lock of the queue held.

        Returns:
            How many rows have been put in: the first ones.
        """
        rows = list(zip(*map(_row_arrays, batch)))
        with uninterrupted(), self._lock:
            room = self.room(len(rows))
            count = admit(room) if room > 0 else 0
            for element in rows[:count]:
                self._push(element)
                if self._dequeues:
                    self._flush()
            return count

    def accepts_rows(self, batch: Sequence[RowArrays]) -> bool:
        """Whether the rows of arrays, or of lists, are elements of this queue."""
        return len(batch) == len(self.types) and all(
            row_type == dtype.numpy_dtype and fits(row_shape, shape)
            for rows, dtype, shape in zip(batch, self.types, self.shapes or [None] * len(batch))
            for row_type, row_shape in _kinds(rows)
        )

    def dequeue(self) -> Waiting:
        """Takes one element."""
        return self._start(self._dequeues, _DEQUEUE, self._dequeue_one)

    def look_ahead(self, count: int) -> list[Element]:
        """The elements that the next dequeues get.

        Args:
            count: the largest number.

        Returns:
            The elements; none if the order of a queue of this kind is not that of the enqueues, or
            elements may differ in shape.
        """
        if type(self) is not Queue or len(self.shapes) != len(self.types):
            return []
        with uninterrupted(), self._lock:
            return [] if self._dequeues else self._elements.first(count)

    def dequeue_seen(self, elements: Sequence[Element]) -> int:
        """Takes elements that `look_ahead` has given, and never waits, not even for the lock.

        It does what as many dequeues of one element do one after the other.

        Returns:
            How many have been taken: the first ones, up to one that another run has taken.
        """
        if not self._lock.acquire(blocking=False):
            return 0
        try:
            taken = 0
            if not self._dequeues:
                for element in elements:
                    if not self._elements.starts_with(element):
                        break
                    self._pop()
                    taken += 1
            if taken and self._enqueues:
                self._flush()
            return taken
        finally:
            self._lock.release()

    def batch(self, elements: list[Element]) -> list[np.ndarray]:
        """Elements as rows of arrays."""
        return self._batch(elements)

    def dequeue_many(self, count: int, op_text: str, allow_small_batch: bool = False) -> Waiting:
        """Takes some elements, stacked as rows of arrays.

        Args:
            count: how many.
            op_text: how the error of a negative count calls the op.
            allow_small_batch: whether fewer will do when the queue is closed.
        """
        if len(self.shapes) != len(self.types):
            fail(
                f"{self.kind}'s DequeueMany and DequeueUpTo require the components to have "
                "specified shapes."
            )
        if count < 0:
            fail(f"{op_text} requested {count} < 0 elements")
        if not count:
            work = Waiting()
            work.finish(self._batch([]))
            return work

        def step(attempt: Attempt) -> bool:
            return self._dequeue_rows(attempt, allow_small_batch)

        return self._start(self._dequeues, _DEQUEUE, step, count)

    def close(self, cancel_pending_enqueues: bool) -> Waiting:
        """Closes the queue: nothing can be added once the pending enqueues are done.

        Args:
            cancel_pending_enqueues: whether the pending enqueues are cancelled instead.
        """
        if not cancel_pending_enqueues:
            return self._start(self._enqueues, _ENQUEUE, self._closing)
        with uninterrupted(), self._lock:
            self.closed = True
            for attempt in self._enqueues:
                if not attempt.done:
                    attempt.fail(cancelled(_ENQUEUE))
            self._enqueues.clear()
            self._flush()
        work = Waiting()
        work.finish()
        return work

    # Attempts

    def _start(
        self,
        line: deque[Attempt],
        text: str,
        step: Callable[[Attempt], bool],
        requested: int = 1,
    ) -> Attempt:
        attempt = Attempt(text, self._withdraw, step, requested)
        with uninterrupted(), self._lock:
            line.append(attempt)
            self._flush()
        return attempt

    def _withdraw(self, attempt: Attempt) -> None:
        with uninterrupted(), self._lock:
            if attempt.done:
                return
            line = self._dequeues if attempt in self._dequeues else self._enqueues
            self._restore(attempt)
            attempt.fail(cancelled(attempt.cancelled_text))
            line.remove(attempt)
            self._flush()

    def _flush(self) -> None:
        """Advances all attempts as far as that is possible."""
        changed = True
        while changed:
            changed = self._advance(self._enqueues)
            changed = self._advance(self._dequeues) or changed

    @staticmethod
    def _advance(line: deque[Attempt]) -> bool:
        changed = False
        while line:
            attempt = line[0]
            try:
                changed = attempt.step(attempt) or changed
            except errors.OpError as error:
                attempt.fail(error)
            if not attempt.done:
                return changed
            changed = True
            line.popleft()
        return changed

    def _enqueue_one(self, attempt: Attempt, element: Element) -> bool:
        self._check_open()
        if not self._has_room():
            return False
        self._push(element)
        attempt.finish()
        return True

    def _enqueue_rows(self, attempt: Attempt, rows: Rows) -> bool:
        self._check_open()
        fitting = len(rows)
        if self.capacity >= 0:
            fitting = max(min(fitting, self.capacity - len(self._elements)), 0)
        if fitting < _FEW:
            for element in rows.split(fitting).elements():
                self._push(element)
        else:
            self._push_rows(rows.split(fitting))
        if not rows:
            attempt.finish()
        return fitting > 0

    def _check_open(self) -> None:
        if self.closed:
            raise cancelled(f"{self.single_kind} '{self.name}' is closed.")

    def _has_room(self) -> bool:
        return self.capacity < 0 or len(self._elements) < self.capacity

    def _closing(self, attempt: Attempt) -> bool:
        if self.closed:
            raise cancelled(f"Queue '{self.name}' is already closed.")
        self.closed = True
        attempt.finish()
        return True

    def _dequeue_one(self, attempt: Attempt) -> bool:
        size = len(self._elements)
        if self.closed and not size:
            raise self._insufficient(self.single_kind, 1, 0)
        if not self._available():
            return False
        attempt.finish(list(self._pop()))
        return True

    def _dequeue_rows(self, attempt: Attempt, allow_small_batch: bool) -> bool:
        size = len(self._elements)
        if self.closed and size < attempt.requested:
            self._restore(attempt)
            if allow_small_batch and self._elements:
                attempt.requested = len(self._elements)
            elif allow_small_batch and self._enqueues:
                # Pending enqueues come first.
                return True
            else:
                raise self._insufficient(self.kind, attempt.requested, size)
        if size < attempt.requested and not self._takes_parts():
            return False
        count = min(attempt.requested, self._available())
        attempt.taken += self._pop_many(count)
        attempt.requested -= count
        if not attempt.requested:
            attempt.finish(self._batch(attempt.taken))
        return count > 0

    def _restore(self, attempt: Attempt) -> None:
        """Puts back what an attempt has taken so far."""
        if attempt.taken:
            self._put_back(attempt.taken)
            attempt.taken = []

    def _insufficient(self, kind: str, requested: int, size: int) -> errors.OutOfRangeError:
        return out_of_range(
            f"{kind} '{self.name}' is closed and has insufficient elements (requested "
            f"{requested}, current size {size})"
        )

    # What differs from kind to kind

    def _available(self) -> int:
        """How many elements may be taken."""
        return len(self._elements)

    def _takes_parts(self) -> bool:
        """Whether a batch is taken bit by bit, rather than at once."""
        return True

    def _push(self, element: Element) -> None:
        self._elements.append(element)

    def _push_rows(self, rows: Rows) -> None:
        self._elements.append_rows(rows)

    def _pop(self) -> Element:
        return self._elements.popleft()

    def _pop_many(self, count: int) -> list[Element | Rows]:
        return self._elements.take(count)

    def _put_back(self, elements: list[Element | Rows]) -> None:
        self._elements.put_back(elements)

    def _batch(self, elements: Sequence[Element | Rows]) -> list[np.ndarray]:
        """Elements as rows."""
        if any(isinstance(part, Rows) for part in elements):
            return [joined(elements, i) for i in range(len(self.types))]
        single: Any = elements
        return [
            stacked([element[i] for element in single], dtype, shape)  # type: ignore[arg-type]
            for i, (dtype, shape) in enumerate(zip(self.types, self.shapes))
        ]


def _kinds(rows: RowArrays) -> Iterable[tuple[np.dtype, tuple[int, ...]]]:
    """The types and shapes that rows have."""
    if isinstance(rows, np.ndarray):
        return [(rows.dtype, rows.shape[1:])]
    return {(row.dtype, row.shape) for row in rows}


def _row_arrays(array: RowArrays) -> Sequence[np.ndarray]:
    """The rows of an array as arrays; large ones are copies, which keep no other row alive."""
    if not isinstance(array, np.ndarray):
        return array
    if array[:1].nbytes > _VIEWED:
        return [row.copy() for row in array]
    return [array[i, ...] for i in range(len(array))]


def _fail_shape(position: int, wanted: Shape, got: tuple[int, ...]) -> None:
    expected = None if wanted is None else tuple(wanted)
    fail(
        f"Shape mismatch in tuple component {position}. Expected {shapes.show(expected)}, got "
        f"{shapes.show(got)}"
    )
