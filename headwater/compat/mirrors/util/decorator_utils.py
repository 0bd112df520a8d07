"""tensorflow.python.util.decorator_utils."""

from __future__ import annotations

from typing import Any

from headwater.base.decorators import add_notice_to_docstring
from headwater.base.decorators import qualified_name as get_qualified_name

__all__ = [
    "add_notice_to_docstring",
    "classproperty",
    "get_qualified_name",
    "validate_callable",
]


def validate_callable(func: Any, decorator_name: str) -> None:
    """Raises unless a decorator was given a function.

    Args:
      func: what it was given.
      decorator_name: its name.

    Raises:
      ValueError: if `func` cannot be called.
    """
    if not callable(func):
        raise ValueError(
            f"{func} is not a function. If this is a property, make sure @property appears before "
            f"@{decorator_name} in your source code:\n\n@property\n@{decorator_name}\n"
            "def method(...)"
        )


class classproperty:
    """A property of a class.

    Args:
      func: computes it from the class.
    """

    def __init__(self, func: Any) -> None:
        self._func = func

    def __get__(self, owner_self: Any, owner_cls: Any) -> Any:
        return self._func(owner_cls)
