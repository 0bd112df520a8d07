"""Calls with the argument order of older releases, where types distinguish them from newer ones."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from headwater.base.dtypes import as_dtype
from headwater.base.signatures import show_plainly
from headwater.base.typing import DTypeLike

Function = TypeVar("Function", bound=Callable[..., Any])
Rewrite = Callable[[tuple[Any, ...], dict[str, Any]], tuple[tuple[Any, ...], dict[str, Any]]]

_LETTERS_OF_FORMATS = frozenset("NCDHWVECT_")


def is_text(value: Any) -> bool:
    """Whether this is a name, in a position where no other text is valid."""
    return isinstance(value, str)


def is_no_format(value: Any) -> bool:
    """Whether this is a name, in a position where a data format such as ``"NHWC"`` is valid."""
    return isinstance(value, str) and not _LETTERS_OF_FORMATS.issuperset(value)


def is_no_type(value: DTypeLike) -> bool:
    """Whether this is a name, in a position where a dtype or its name is valid."""
    if not isinstance(value, str):
        return False
    try:
        as_dtype(value)
    except TypeError:
        return True
    return False


def rewritten(rewrite: Rewrite) -> Callable[[Function], Function]:
    """A decorator for a function whose arguments had another order.

    Args:
      rewrite: from the positional and keyword arguments of a call to those in today's order.

    Returns:
      The decorator; what it makes has the function's signature and docstring.
    """

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def either(*args: Any, **kwargs: Any) -> Any:
            args, kwargs = rewrite(args, kwargs)
            return function(*args, **kwargs)

        show_plainly(either)
        return either  # type: ignore[return-value]

    return decorate


def inserted(
    position: int, *values: Any, older: Callable[[Any], bool] = is_text
) -> Callable[[Function], Function]:
    """A decorator for a function that has got new arguments before others.

    Args:
      position: the position of the first new argument.
      *values: their values in calls of the older order.
      older: tells whether a value is the argument formerly at this position; by default, a name.

    Returns:
      The decorator.
    """

    def rewrite(
        args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        if len(args) > position and older(args[position]):
            args = args[:position] + values + args[position:]
        return args, kwargs

    return rewritten(rewrite)


def renamed(**newer: str) -> Callable[[Function], Function]:
    """A decorator for a function whose arguments had other names.

    Args:
      **newer: for each older name the newer one.

    Returns:
      The decorator. A call that gives an argument under both names raises TypeError.
    """

    def rewrite(
        args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        for name in newer.keys() & kwargs.keys():
            if newer[name] in kwargs:
                raise TypeError(f"got values for both '{name}' and '{newer[name]}'")
            kwargs[newer[name]] = kwargs.pop(name)
        return args, kwargs

    return rewritten(rewrite)
