"""References to tensors and variables that are compared as objects."""

from __future__ import annotations

from typing import Any


class Reference:
    """Stands for an object as a key of sets and dicts; two are equal if they mean one object.

    Args:
        wrapped: the object.
    """

    __slots__ = ("_wrapped",)

    def __init__(self, wrapped: Any) -> None:
        self._wrapped = wrapped

    def deref(self) -> Any:
        """The object itself."""
        return self._wrapped

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and self._wrapped is other._wrapped

    def __hash__(self) -> int:
        return id(self._wrapped)

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._wrapped!r}>"
