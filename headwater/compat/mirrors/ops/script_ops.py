"""tensorflow.python.ops.script_ops: the Python functions that ops call."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from headwater.ops.control.py_func import held_functions

__all__ = ["FuncRegistry", "_py_funcs"]


class FuncRegistry:
    """Functions by tokens."""

    def __init__(self) -> None:
        self._functions: dict[str, Callable[..., Any]] = {}
        self._numbers = itertools.count()

    def insert(self, func: Callable[..., Any]) -> str:
        """Adds a function and returns its token."""
        token = f"pyfunc_{next(self._numbers)}"
        self._functions[token] = func
        return token

    def remove(self, token: str) -> None:
        """Forgets the function of a token."""
        self._functions.pop(token, None)

    def size(self) -> int:
        """Returns how many functions there are."""
        return len(self._functions)


class _HeldFunctions:
    """The functions of the ops of all graphs that exist."""

    def size(self) -> int:
        """Returns how many functions there are."""
        return len(held_functions())


_py_funcs = _HeldFunctions()
