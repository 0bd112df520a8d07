"""The values of barrier handles: elements whose components come at different times."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.checks import fail
from headwater.base.dtypes import DType
from headwater.base.typing import TensorLike
from headwater.base.waiting import Waiting
from headwater.graph import shapes
from headwater.ops.queues.queue_orders import PriorityQueue
from headwater.ops.queues.resource import (
    cancelled,
    fits,
    out_of_range,
    private_name,
    shapes_text,
    types_text,
)

_FIRST_INDEX = -(2**63)


class Barrier:
    """Puts elements together by key, and gives complete ones in the order of their first parts.

    Args:
        types: the types of the components.
        component_shapes: their shapes.
    """

    def __init__(self, types: list[DType], component_shapes: list[Any]) -> None:
        self.types = list(types)
        self.shapes = [() if s is None else tuple(s) for s in component_shapes]
        self.name = ""
        self.checked: Any = None
        self._lock = threading.RLock()
        self._closed = False
        self._cancelled = False
        self._next_index = _FIRST_INDEX
        self._incomplete: dict[bytes, tuple[int, list[Any]]] = {}
        self._ready = PriorityQueue(
            [dtypes.string, *self.types], [(), *(self.shapes or [()] * len(self.types))], -1
        )

    def __repr__(self) -> str:
        return f"<Barrier {self.name}: {self.ready_size()} ready elements>"

    def set_name(self, op_name: str, shared_name: str) -> None:
        """Gives the barrier its name, the first time."""
        with self._lock:
            if not self.name:
                self.name = shared_name or private_name(op_name)
                self._ready.name = f"{self.name}_queue"

    def check_same(self, other: Barrier) -> None:
        """Checks that this barrier matches what another node declares."""
        for what, ours, theirs in (
            ("types", types_text(self.types), types_text(other.types)),
            ("shapes", shapes_text(self.shapes), shapes_text(other.shapes)),
        ):
            if ours != theirs:
                fail(
                    f"Shared barrier '{self.name}' has component {what} {ours} but requested "
                    f"component {what} were {theirs}"
                )

    def ready_size(self) -> int:
        """The number of complete elements."""
        return self._ready.size()

    def incomplete_size(self) -> int:
        """The number of incomplete elements."""
        return len(self._incomplete)

    def insert(self, position: int, keys: np.ndarray, values: np.ndarray) -> Waiting:
        """Adds one component to the elements of some keys."""
        if keys.size and not values.size:
            fail(
                f"Tensors with no elements are not supported {self.name}: received shape "
                f"{shapes.show(values.shape)}"
            )
        with self._lock:
            if self._cancelled or (self._closed and not self._incomplete and keys.size):
                raise cancelled(
                    f"Barrier {self.name} is closed.  Pending enqueues cancelled: "
                    f"{int(self._cancelled)}.  Number of new insertions: {keys.size}.  Number of "
                    f"incomplete keys: {len(self._incomplete)}."
                )
            ready = []
            is_new = False
            for number, (key, value) in enumerate(zip(keys.ravel().tolist(), values)):
                if key not in self._incomplete:
                    if self._closed:
                        raise cancelled(
                            f"Barrier {self.name} is closed, but attempted to insert a brand new "
                            f"key: {key.decode(errors='replace')}.  Pending enqueues cancelled: "
                            f"0.  Insertion index: {number}.  Number of incomplete keys: "
                            f"{len(self._incomplete)}."
                        )
                    self._incomplete[key] = self._next_index, [None] * len(self.types)
                    is_new = True
                index, parts = self._incomplete[key]
                if parts[position] is not None:
                    fail(
                        f"Key {key.decode(errors='replace')} already has a value for component "
                        f"{position} in barrier {self.name}"
                    )
                parts[position] = _array(value, self.types[position])
                if all(part is not None for part in parts):
                    del self._incomplete[key]
                    self._check_shapes(parts)
                    ready.append((np.asarray(index, np.int64), _array(key, dtypes.string), *parts))
            if is_new:
                self._next_index += 1
            for element in ready:
                self._ready.enqueue(element)
            if self._closed and not self._incomplete:
                self._ready.close(False)
        work = Waiting()
        work.finish()
        return work

    def _check_shapes(self, parts: list[np.ndarray]) -> None:
        """Checks a complete element."""
        for number, wanted in enumerate(self._ready.shapes[2:]):
            shape = parts[number].shape
            if not fits(shape, wanted):
                fail(
                    f"Shape mismatch in tuple component {number + 2}. Expected "
                    f"{shapes.show(wanted)}, got {shapes.show(shape)}"
                )

    def take(self, count: int, allow_small_batch: bool) -> Waiting:
        """Takes complete elements."""
        with self._lock:
            if self._closed:
                available = self.ready_size()
                if allow_small_batch:
                    count = min(count, available)
                else:
                    available += self.incomplete_size()
                if available < max(count, 1):
                    raise out_of_range(
                        f"Barrier '{self.name}' is closed and has insufficient elements "
                        f"(requested {count}, total size {available})"
                    )
        return self._ready.dequeue_many(count, "DequeueManyOp", allow_small_batch)

    def close(self, cancel_pending_enqueues: bool) -> Waiting:
        """Closes the barrier to new keys; also to further components if enqueues are cancelled."""
        with self._lock:
            if self._closed and (self._cancelled or not cancel_pending_enqueues):
                raise cancelled(f"Barrier '{self.name}' is already closed.")
            self._closed = True
            if cancel_pending_enqueues:
                self._cancelled = True
                self._incomplete.clear()
                return self._ready.close(True)
            if not self._incomplete:
                return self._ready.close(False)
        work = Waiting()
        work.finish()
        return work


def _array(value: TensorLike, dtype: DType) -> np.ndarray:
    """A private copy of one component."""
    if dtype is dtypes.string and not isinstance(value, np.ndarray):
        array = np.empty((), object)
        array[()] = value
        return array
    return np.array(value)
