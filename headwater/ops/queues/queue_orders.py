"""Queues with other orders than first in, first out, and those that pad elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.checks import fail
from headwater.base.dtypes import DType
from headwater.graph.shapes import is_static
from headwater.ops.queues.element_line import Element, Rows, single_elements
from headwater.ops.queues.queue_resource import Queue, Shape
from headwater.ops.queues.resource import stacked
from headwater.ops.random.philox import blocks, initial_stream

# The words per Philox block.
_WORDS = 4
_DRAWN = 64


class RandomShuffleQueue(Queue):
    """A queue that gives its elements in random order.

    Args:
        types: the types of the components.
        component_shapes: their shapes; empty for any.
        capacity: how many elements it holds; negative for any number.
        min_after_dequeue: how many stay in it until it is closed, so that there is a choice.
        seed: the first half of the seed.
        seed2: the second half.
    """

    kind = single_kind = "RandomShuffleQueue"

    def __init__(
        self,
        types: Sequence[DType],
        component_shapes: Sequence[Shape],
        capacity: int,
        min_after_dequeue: int,
        seed: int,
        seed2: int,
    ) -> None:
        super().__init__(types, component_shapes, capacity)
        self.min_after_dequeue = min_after_dequeue
        self.seeds = seed, seed2
        self._elements: list[Element] = []
        self._state = initial_stream(seed, seed2)
        self._position = 0
        self._words: list[int] = []

    def check_arguments(self) -> None:
        """Raises InvalidArgumentError unless 0 <= min_after_dequeue < capacity."""
        kept, capacity = self.min_after_dequeue, self.capacity
        if kept < 0:
            fail(f"min_after_dequeue {kept} must be >= 0")
        if 0 <= capacity <= kept:
            fail(f"min_after_dequeue {kept} must be < capacity {capacity}")

    def _check_order(self, other: Any, shared: str) -> None:
        if self.min_after_dequeue != other.min_after_dequeue:
            fail(
                f"{shared} min_after_dequeue {self.min_after_dequeue} but requested "
                f"min_after_dequeue was {other.min_after_dequeue}."
            )
        if other.seeds != (0, 0) and self.seeds != other.seeds:
            fail(
                f"{shared} random seeds ({self.seeds[0]}, {self.seeds[1]}) but requested seeds "
                f"are ({other.seeds[0]}, {other.seeds[1]})."
            )

    def _next_word(self) -> int:
        """The next number of 32 bits."""
        if not self._words:
            drawn = blocks(np, self._state, _DRAWN, self._position)
            self._position += _DRAWN
            pairs = np.stack(drawn, axis=1).astype("<u8").reshape(-1)
            self._words = pairs.view("<u4").tolist()[::-1]
        return self._words.pop()

    def _available(self) -> int:
        kept = 0 if self.closed else self.min_after_dequeue
        return max(len(self._elements) - kept, 0)

    def _push_rows(self, rows: Rows) -> None:
        self._elements += rows.elements()

    def _pop(self) -> Element:
        (element,) = self._pop_many(1)
        return element

    def _pop_many(self, count: int) -> list[Any]:
        elements, taken = self._elements, []
        for size in range(len(elements), len(elements) - count, -1):
            index = self._next_word() % size
            taken.append(elements[index])
            # The last element replaces the removed one.
            last = elements.pop()
            if index < size - 1:
                elements[index] = last
        return taken

    def _put_back(self, elements: list[Any]) -> None:
        self._elements.extend(reversed(elements))


class PaddingFIFOQueue(Queue):
    """A queue whose elements may differ in size: batches are padded with zeros."""

    kind = "PaddingFIFOQueue"

    def _batch(self, elements: Sequence[Element | Rows]) -> list[np.ndarray]:
        elements = single_elements(elements)
        result = []
        for i, (dtype, shape) in enumerate(zip(self.types, self.shapes)):
            arrays = [element[i] for element in elements]
            assert shape is not None
            if is_static(shape):
                result.append(stacked(arrays, dtype, shape))
                continue
            full = [
                max((a.shape[axis] for a in arrays), default=0) if dim is None else dim
                for axis, dim in enumerate(shape)
            ]
            batch = np.zeros((len(arrays), *full), dtype.numpy_dtype)
            if dtype is dtypes.string:
                batch[...] = b""
            for row, array in zip(batch, arrays):
                row[tuple(map(slice, array.shape))] = array
            result.append(batch)
        return result


class PriorityQueue(Queue):
    """A queue that gives the element with the smallest first component.

    Equal ones come in the order of a binary heap that sifts a hole down to a leaf before it lets
    the last element rise.
    """

    kind = single_kind = "PriorityQueue"

    def __init__(
        self, types: Sequence[DType], component_shapes: Sequence[Shape], capacity: int
    ) -> None:
        super().__init__([dtypes.int64, *types], [(), *component_shapes], capacity)
        self._elements: list[tuple[int, Element]] = []

    def _push(self, element: Element) -> None:
        self._elements.append((int(element[0]), element))
        self._rise(len(self._elements) - 1, self._elements[-1])

    def _push_rows(self, rows: Rows) -> None:
        for element in rows.elements():
            self._push(element)

    def _rise(self, hole: int, item: tuple[int, Element]) -> None:
        heap = self._elements
        while hole and heap[(hole - 1) // 2][0] > item[0]:
            heap[hole] = heap[(hole - 1) // 2]
            hole = (hole - 1) // 2
        heap[hole] = item

    def _pop(self) -> Element:
        heap = self._elements
        result, item = heap[0], heap.pop()
        if heap:
            hole, size = 0, len(heap)
            child = 2
            while child < size:
                if heap[child][0] > heap[child - 1][0]:
                    child -= 1
                heap[hole] = heap[child]
                hole, child = child, 2 * child + 2
            if child == size:
                heap[hole] = heap[child - 1]
                hole = child - 1
            self._rise(hole, item)
        return result[1]

    def _pop_many(self, count: int) -> list[Any]:
        return [self._pop() for _ in range(count)]

    def _takes_parts(self) -> bool:
        return False
