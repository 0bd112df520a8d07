"""The value of a stack's handle: the stack itself."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.dtypes import DType
from headwater.base.typing import Array, TensorLike
from headwater.ops.control.traced_resources import (
    Iteration,
    NotUniform,
    Repeated,
    TracedStack,
    padded_size,
    with_rows,
)

_numbers = itertools.count()
# Larger elements are not part of the key of a program.
_FEW_INTEGERS = 16


class StackResource:
    """A stack of arrays, which lives as long as one run.

    Args:
        name: the name that errors show; a number is added.
        dtype: the type of the elements.
        max_size: how many elements it may hold; negative for any number.
    """

    # How many arguments of a program `in_program` gives.
    part_count = 2
    __slots__ = ("_closed", "_count", "_elements", "_rows", "dtype", "max_size", "name")

    def __init__(self, name: str, dtype: DType, max_size: int = -1) -> None:
        self.name = f"{name}_{next(_numbers)}"
        self.dtype = dtype
        self.max_size = max_size
        self._elements: list[Any] = []
        # The state left by a compiled program: the elements as rows, or Repeated, and their number.
        self._rows: Any = None
        self._count = 0
        self._closed = False

    def __repr__(self) -> str:
        return f"<StackResource {self.name}: {len(self)} elements>"

    def __len__(self) -> int:
        return len(self._elements) if self._rows is None else self._count

    def push(self, value: TensorLike) -> None:
        """Puts an element on top."""
        self._open_elements()
        if 0 <= self.max_size <= len(self._elements):
            raise errors.InvalidArgumentError(
                None, None, f"Stack[{self.name}] overflowed its max_size ({self.max_size})"
            )
        self._elements.append(value)

    def pop(self) -> Array:
        """Takes the element from the top."""
        self._open_elements()
        if not self._elements:
            raise errors.InvalidArgumentError(
                None, None, f"Stack[{self.name}] is empty when calling Pop()."
            )
        return self._elements.pop()

    def close(self) -> None:
        """Drops all elements; afterwards nothing can be pushed or popped."""
        self._elements, self._rows = [], None
        self._closed = True

    def _open_elements(self) -> None:
        if self._closed:
            raise errors.InvalidArgumentError(
                None, None, f"Stack[{self.name}] has already been closed."
            )
        if isinstance(self._rows, Repeated):
            self._elements, self._rows = [np.asarray(self._rows.element)] * self._count, None
        elif self._rows is not None:
            rows, self._rows = np.asarray(self._rows), None
            self._elements = [rows[i, ...] for i in range(self._count)]

    # In programs

    # A program reserves one element per iteration.
    room = None

    def capacity(self, padded: bool = False) -> int:
        """How many rows a program has for the elements that there are."""
        return padded_size(len(self)) if padded else len(self)

    def kind(self) -> tuple[Any, ...]:
        """What tells programs for this stack from others, besides shapes."""
        return "stack", self.dtype.name

    def _repeated(self) -> Repeated | None:
        """The elements if they are the same object, as those that a loop does not change are.

        Shapes are not the same object if the iterations were interpreted, but they are in a
        program: equal integers count as one, so that programs are not for either.
        """
        if isinstance(self._rows, Repeated):
            return self._rows
        elements = self._elements
        if self._rows is not None or not elements:
            return None
        first = elements[0]
        if all(e is first for e in elements) or self._are_same_integers():
            return Repeated(first)
        return None

    def _are_same_integers(self) -> bool:
        """Whether the elements are the same few integers."""
        if not self.dtype.is_integer or np.size(self._elements[0]) > _FEW_INTEGERS:
            return False
        first, *others = map(np.asarray, self._elements)
        return all(e.shape == first.shape and (e == first).all() for e in others)

    def rows_shape(self, padded: bool = False) -> tuple[int, ...] | None:
        """The shape of the elements as rows of one array, None if there are none yet.

        There are -1 rows if all elements are the same.

        Args:
            padded: whether there are more rows than elements, so that one program is for several
                sizes.

        Raises:
            NotUniform: if the elements cannot be rows of one array.
        """
        if self._closed:
            raise NotUniform
        repeated = self._repeated()
        if repeated is not None:
            return (-1, *np.shape(repeated.element))
        if self._rows is not None:
            rows, *shape = np.shape(self._rows)
            return (max(rows, self.capacity(padded)), *shape)
        found = {np.shape(e) for e in self._elements}
        if len(found) > 1:
            raise NotUniform
        return (self.capacity(padded), *found.pop()) if found else None

    def in_program(self, padded: bool = False) -> tuple[Any, Any]:
        """The elements as rows or Repeated, None if there are none, and how many they are."""
        count = np.int32(len(self))
        if self._rows is None and not self._elements:
            return None, count
        repeated = self._repeated()
        if repeated is not None:
            return repeated, count
        rows = np.stack(self._elements) if self._rows is None else self._rows
        return with_rows(rows, self.capacity(padded)), count

    def same_element(self) -> np.ndarray | None:
        """What all elements are, if they are the same few integers; else None."""
        if self._closed or not self.dtype.is_integer or not len(self):
            return None
        repeated = self._repeated()
        if repeated is not None:
            element = np.asarray(repeated.element)
            return element.copy() if element.size <= _FEW_INTEGERS else None
        if self._rows is None:
            return None
        rows = np.asarray(self._rows)[: self._count]
        is_same = rows[0].size <= _FEW_INTEGERS and bool((rows == rows[0]).all())
        return rows[0].copy() if is_same else None

    def traced(
        self,
        state: tuple[Any, Any],
        capacity: int,
        iteration: Iteration,
        padded: bool = False,
        element: np.ndarray | None = None,
    ) -> TracedStack:
        """The traced counterpart of this stack."""
        return TracedStack(self.dtype, capacity, state, iteration, element)

    def after_program(self, state: tuple[Any, Any]) -> None:
        """Takes over the elements that a program has computed."""
        rows, count = state
        self._elements, self._rows, self._count = [], rows, int(count)
