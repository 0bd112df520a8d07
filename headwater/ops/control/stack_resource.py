"""The value of a stack's handle: the stack itself."""

from __future__ import annotations

import itertools
from typing import Any

from headwater.base import errors
from headwater.base.dtypes import DType

_numbers = itertools.count()


class StackResource:
    """A stack of arrays, which lives as long as one run.

    Args:
        name: the name that errors show; a number is added.
        dtype: the type of the elements.
        max_size: how many elements it may hold; negative for any number.
    """

    __slots__ = ("_closed", "_elements", "dtype", "max_size", "name")

    def __init__(self, name: str, dtype: DType, max_size: int = -1) -> None:
        self.name = f"{name}_{next(_numbers)}"
        self.dtype = dtype
        self.max_size = max_size
        self._elements: list[Any] = []
        self._closed = False

    def __repr__(self) -> str:
        return f"<StackResource {self.name}: {len(self._elements)} elements>"

    def __len__(self) -> int:
        return len(self._elements)

    def push(self, value: Any) -> None:
        """Puts an element on top."""
        self._check_open()
        if 0 <= self.max_size <= len(self._elements):
            raise errors.InvalidArgumentError(
                None, None, f"Stack[{self.name}] overflowed its max_size ({self.max_size})"
            )
        self._elements.append(value)

    def pop(self) -> Any:
        """Takes the element from the top."""
        self._check_open()
        if not self._elements:
            raise errors.InvalidArgumentError(
                None, None, f"Stack[{self.name}] is empty when calling Pop()."
            )
        return self._elements.pop()

    def close(self) -> None:
        """Drops all elements; afterwards nothing can be pushed or popped."""
        self._elements.clear()
        self._closed = True

    def _check_open(self) -> None:
        if self._closed:
            raise errors.InvalidArgumentError(
                None, None, f"Stack[{self.name}] has already been closed."
            )
