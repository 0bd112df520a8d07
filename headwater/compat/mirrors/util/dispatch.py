"""tensorflow.python.util.dispatch: overrides of functions for arguments of other types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base.decorators import make_decorator, unwrap

DISPATCH_ATTR = "_tf_dispatchers"


class OpDispatcher:
    """An override of a function, for the arguments that it can handle."""

    NOT_SUPPORTED = object()

    def handle(self, args: Any, kwargs: Any) -> Any:
        """Returns the result of a call, or `NOT_SUPPORTED`."""
        return self.NOT_SUPPORTED

    def register(self, op: Callable[..., Any]) -> None:
        """Registers this override of a function that `add_dispatch_support` has decorated.

        Raises:
          AssertionError: if it is not decorated.
        """
        if not hasattr(op, DISPATCH_ATTR):
            raise AssertionError(f"Dispatching not enabled for {op}")
        getattr(op, DISPATCH_ATTR).append(self)


class _TypeBasedDispatcher(OpDispatcher):
    """A function that overrides another one if an argument is of certain types."""

    def __init__(self, override_func: Callable[..., Any], types: tuple[type, ...]) -> None:
        self._function = override_func
        self._types = types

    def _handles(self, args: Any, kwargs: Any) -> bool:
        values = [*args, *kwargs.values()]
        parts = [p for v in values for p in (v if isinstance(v, list | tuple) else [v])]
        return any(isinstance(part, self._types) for part in parts)

    def handle(self, args: Any, kwargs: Any) -> Any:
        if self._handles(args, kwargs):
            return self._function(*args, **kwargs)
        return self.NOT_SUPPORTED


def dispatch(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Returns the result of the first override that handles the arguments.

    Args:
      op: the function.
      *args: its arguments.
      **kwargs: its arguments by name.

    Returns:
      The result, or `OpDispatcher.NOT_SUPPORTED`.
    """
    for dispatcher in getattr(op, DISPATCH_ATTR):
        result = dispatcher.handle(args, kwargs)
        if result is not OpDispatcher.NOT_SUPPORTED:
            return result
    return OpDispatcher.NOT_SUPPORTED


def dispatch_for_types(
    op: Callable[..., Any], *types: type
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Returns a decorator of functions that override `op` for some types.

    Args:
      op: a function that `add_dispatch_support` has decorated.
      *types: the types.

    Returns:
      A decorator.
    """

    def decorator(func: Callable[..., Any]) -> Callable[..., Any]:
        _TypeBasedDispatcher(func, types).register(op)
        return func

    return decorator


def add_dispatch_list(target: Callable[..., Any]) -> Callable[..., Any]:
    """Lets a function have overrides, which it calls itself.

    Raises:
      AssertionError: if it can already.
    """
    if hasattr(target, DISPATCH_ATTR):
        raise AssertionError(f"{target} already has a dispatch list")
    setattr(target, DISPATCH_ATTR, [])
    return target


def add_dispatch_support(target: Callable[..., Any]) -> Callable[..., Any]:
    """Lets a function have overrides, for arguments that it refuses.

    Args:
      target: a function.

    Returns:
      The function; where it raises TypeError or ValueError, the other meanings are tried.
    """

    def wrapper(*args: Any, **kwargs: Any) -> Any:
        try:
            return target(*args, **kwargs)
        except (TypeError, ValueError):
            result = dispatch(wrapped, *args, **kwargs)
            if result is OpDispatcher.NOT_SUPPORTED:
                raise
            return result

    add_dispatch_list(wrapper)
    wrapped = make_decorator(target, wrapper)
    assert unwrap(wrapped)[1] is unwrap(target)[1]
    return wrapped
