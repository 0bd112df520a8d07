"""The parameters of callables, those that decorators describe and that partials bind included."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from headwater.base.decorators import unwrap


def getfullargspec(obj: Any) -> inspect.FullArgSpec:
    """Returns the parameters of a callable; keywords that a partial has bound are keyword-only."""
    decorators, target = unwrap(obj)
    given = [found.decorator_argspec for found in decorators if found.decorator_argspec is not None]
    if given:
        spec = given[0]
        if isinstance(spec, inspect.FullArgSpec):
            return spec
        return inspect.FullArgSpec(spec[0], spec[1], spec[2], spec[3], [], None, {})
    obj = target
    is_plain = inspect.isroutine(obj) or inspect.isclass(obj) or isinstance(obj, functools.partial)
    if not is_plain and callable(obj):
        obj = type(obj).__call__
    return inspect.getfullargspec(obj)


def fn_args(fn: Callable[..., Any]) -> tuple[str, ...]:
    """Returns the names of the parameters that a call may give, `self` left out.

    Raises:
      ValueError: if `fn` is not callable.
    """
    if not callable(fn):
        raise TypeError("unsupported callable")
    if isinstance(fn, functools.partial):
        return tuple(name for name in fn_args(fn.func)[len(fn.args) :] if name not in fn.keywords)
    names = getfullargspec(fn).args
    is_method = inspect.ismethod(fn) or not inspect.isroutine(fn)
    return tuple(names[1:] if is_method and names[:1] == ["self"] else names)


def has_kwargs(fn: Callable[..., Any]) -> bool:
    """Tells whether a function takes any keyword arguments.

    Raises:
      TypeError: if `fn` is not callable.
    """
    if not callable(fn):
        raise TypeError(f"fn should be a function-like object, but is of type {type(fn)}.")
    return getfullargspec(fn).varkw is not None
