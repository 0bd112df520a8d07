"""tensorflow.python.util.tf_should_use: decorators of functions whose result has to be used."""

from __future__ import annotations

import functools
import sys
import traceback
from collections.abc import Callable
from typing import Any

from headwater.base import logging
from headwater.base.decorators import make_decorator

__all__ = ["must_use_result_or_fatal", "should_use_result"]

_TEXT = (
    "==================================\n"
    "Object was never used (type {}):\n{}\n"
    'If you want to mark it as used call its "mark_used()" method.\n'
    "It was originally created here:\n{}\n"
    "=================================="
)
# What Python looks up to copy or delete an object.
_UNNOTED = frozenset(["__class__", "__dict__", "__del__", "_should_use", "mark_used"])


class _Use:
    """Whether an object has been used; complains when it goes without."""

    def __init__(self, value: Any, stack: str, fatal: bool) -> None:
        self.original = value
        self.noted = False
        self._text = _TEXT.format(type(value), repr(value), stack)
        self._complain = logging.fatal if fatal else logging.error

    def __del__(self) -> None:
        if not self.noted and not sys.is_finalizing():
            self._complain(self._text)


class _Used:
    """The methods of an object that notes its use."""

    _should_use: _Use

    def __getattribute__(self, name: str) -> Any:
        if name not in _UNNOTED:
            object.__getattribute__(self, "_should_use").noted = True
        return super().__getattribute__(name)

    # A graph knows its elements by identity: the object stands for the one it was copied from.

    def __hash__(self) -> int:
        self.mark_used()
        return hash(self._should_use.original)

    def __eq__(self, other: object) -> Any:
        return _original(self) == _original(other)

    def _as_graph_element(self) -> Any:
        return self._should_use.original

    def mark_used(self) -> None:
        """Notes that the object is used."""
        self._should_use.noted = True


def _original(value: Any) -> Any:
    return value._should_use.original if isinstance(value, _Used) else value


@functools.cache
def _noting_class(kind: Any) -> Any:
    return type(kind.__name__, (_Used, kind), {"__module__": kind.__module__})


def _add_should_use_warning(x: Any, fatal_error: bool = False) -> Any:
    """Makes a copy of an object that is reported when it ends without having been used.

    Args:
      x: the object; None is returned as it is.
      fatal_error: whether the report ends the program.

    Returns:
      An object of a class derived from that of `x`.
    """
    if x is None:
        return None
    if isinstance(x, _Used):
        x.mark_used()
        x = _original(x)
    stack = "".join(traceback.format_stack(sys._getframe(1))).rstrip("\n")
    kind: Any = type(x)
    noting = _noting_class(kind)
    copy = noting.__new__(noting)
    for base in kind.__mro__:
        slots = vars(base).get("__slots__", ())
        for name in [slots] if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__") and hasattr(x, name):
                object.__setattr__(copy, name, getattr(x, name))
    copy.__dict__.update(getattr(x, "__dict__", {}))
    copy.__dict__["_should_use"] = _Use(x, stack, fatal_error)
    return copy


def _decorated(fn: Callable[..., Any], fatal: bool, name: str, notice: str) -> Any:
    @functools.wraps(fn)
    def called(*args: Any, **kwargs: Any) -> Any:
        return _add_should_use_warning(fn(*args, **kwargs), fatal_error=fatal)

    return make_decorator(fn, called, name, f"{fn.__doc__ or ''}\n\n{notice}")


def should_use_result(fn: Callable[..., Any]) -> Any:
    """Marks a function whose result has to be used; an error is logged if it is not.

    Args:
      fn: the function.

    Returns:
      A function that returns objects which note their use.
    """
    return _decorated(fn, False, "should_use_result", "**NOTE** The output has to be used.")


def must_use_result_or_fatal(fn: Callable[..., Any]) -> Any:
    """Marks a function whose result has to be used; the program ends if it is not.

    Args:
      fn: the function.

    Returns:
      A function that returns objects which note their use.
    """
    return _decorated(fn, True, "must_use_result_or_fatal", "**NOTE** The output must be used.")
