"""What a queue holds that gives its elements in the order in which they came."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

Element = Sequence[np.ndarray]


class Rows:
    """Elements that are rows of arrays: those from one index to before another one.

    Args:
        arrays: the arrays, one for each component.
        start: the index of the first row.
        stop: the index after the last row.
    """

    __slots__ = ("arrays", "start", "stop")

    def __init__(self, arrays: Element, start: int, stop: int) -> None:
        self.arrays = arrays
        self.start = start
        self.stop = stop

    def __len__(self) -> int:
        return self.stop - self.start

    def split(self, count: int) -> Rows:
        """Takes some rows away from the beginning, at most all of them."""
        start = self.start
        self.start = min(start + count, self.stop)
        return Rows(self.arrays, start, self.start)

    def elements(self) -> list[Element]:
        """The rows one by one."""
        places = range(self.start, self.stop)
        return list(zip(*([array[i, ...] for i in places] for array in self.arrays)))


def single_elements(parts: Iterable[Element | Rows]) -> list[Element]:
    """Elements one by one."""
    result: list[Element] = []
    for part in parts:
        if isinstance(part, Rows):
            result += part.elements()
        else:
            result.append(part)
    return result


def joined(parts: Iterable[Element | Rows], component: int) -> np.ndarray:
    """A component of elements of one shape as the rows of a new array."""
    return np.concatenate(
        [
            part.arrays[component][part.start : part.stop]
            if isinstance(part, Rows)
            else part[component][None]
            for part in parts
        ]
    )


class ElementLine:
    """Elements in order; those that came as rows of arrays stay together while that will do."""

    def __init__(self) -> None:
        self._parts: deque[Any] = deque()
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def append(self, element: Element) -> None:
        """Adds an element at the end."""
        self._parts.append(element)
        self._size += 1

    def extend(self, elements: Iterable[Element]) -> None:
        """Adds elements at the end."""
        before = len(self._parts)
        self._parts.extend(elements)
        self._size += len(self._parts) - before

    def append_rows(self, rows: Rows) -> None:
        """Adds rows at the end."""
        if rows:
            self._parts.append(rows)
            self._size += len(rows)

    def first(self, count: int) -> list[Element]:
        """The first elements, at most `count`; as long as they stay, they are the same objects."""
        parts = self._parts
        taken = list(itertools.islice(parts, count))
        if not any(isinstance(part, Rows) for part in taken):
            return taken
        taken = []
        while parts and len(taken) < count:
            part = parts.popleft()
            if isinstance(part, Rows):
                parts.extendleft(reversed(part.elements()))
            else:
                taken.append(part)
        parts.extendleft(reversed(taken))
        return taken

    def starts_with(self, element: Element) -> bool:
        """Whether an element that `first` has given is still the first one."""
        return bool(self._parts) and self._parts[0] is element

    def popleft(self) -> Element:
        """Takes the first element away."""
        element = self._parts.popleft()
        if isinstance(element, Rows):
            element, *rest = element.elements()
            self._parts.extendleft(reversed(rest))
        self._size -= 1
        return element

    def take(self, count: int) -> list[Element | Rows]:
        """Takes the first elements away, as many as `count`."""
        parts, taken = self._parts, []
        self._size -= count
        while count:
            part = parts[0]
            if not isinstance(part, Rows):
                taken.append(parts.popleft())
                count -= 1
                continue
            rows = part.split(count)
            if not part:
                parts.popleft()
            count -= len(rows)
            taken.append(rows)
        return taken

    def put_back(self, parts: Sequence[Element | Rows]) -> None:
        """Adds what was taken at the beginning."""
        self._parts.extendleft(reversed(parts))
        self._size += sum(len(part) if isinstance(part, Rows) else 1 for part in parts)
