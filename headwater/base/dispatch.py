"""Dispatch of public functions on arguments that are not tensors: ragged tensors, operators, ...

The function itself is called first; if that fails, the registered handlers are tried in turn. So
calls with plain tensors pay nothing for dispatch.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from headwater.base.export import EXPORTS, change_exports
from headwater.base.signatures import show_plainly

# Called with (function, arguments, keyword arguments); gives the result, or NotImplemented.
Handler = Callable[[Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]
_handlers: dict[int, list[Handler]] = {}
# Those of functions that are not imported yet, by public name.
_early: dict[str, list[Handler]] = {}


def make_dispatching(names: Iterable[str]) -> None:
    """Makes public functions dispatch to handlers, which may be added at any time.

    Args:
        names: their dotted names; functions that are prepared already stay as they are.
    """
    change_exports(names, _dispatching)


def add_handler(name: str, handler: Handler) -> None:
    """Registers a handler for calls of a public function that fail.

    Args:
        name: the dotted name of the function that `make_dispatching` has got.
        handler: is called with the function, its arguments, and its keyword arguments; it gives
            the result, or NotImplemented if it does not know these arguments.
    """
    if name in EXPORTS:
        _handlers[id(EXPORTS[name])].append(handler)
    else:
        _early.setdefault(name, []).append(handler)


def _dispatching(function: Callable[..., Any], names: tuple[str, ...]) -> Callable[..., Any]:
    if id(function) in _handlers:
        return function
    handlers = [handler for name in names for handler in _early.pop(name, [])]

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except (TypeError, ValueError) as error:
            failure = error
        for handler in handlers:
            result = handler(function, args, kwargs)
            if result is not NotImplemented:
                return result
        raise failure

    show_plainly(call)
    _handlers[id(call)] = handlers
    return call
