"""The parameters of callables, those that decorators describe and that partials bind included."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from headwater.base.decorators import unwrap


def getfullargspec(obj: Any) -> inspect.FullArgSpec:
    """Returns the parameters of a callable, those that a partial has bound left out."""
    decorators, target = unwrap(obj)
    given = [found.decorator_argspec for found in decorators if found.decorator_argspec is not None]
    if given:
        spec = given[0]
        if isinstance(spec, inspect.FullArgSpec):
            return spec
        return inspect.FullArgSpec(spec[0], spec[1], spec[2], spec[3], [], None, {})
    obj = target
    if isinstance(obj, functools.partial):
        spec = inspect.getfullargspec(obj.func)
        args = [name for name in spec.args[len(obj.args) :] if name not in obj.keywords]
        count = min(len(spec.defaults or ()), len(args))
        return spec._replace(args=args, defaults=(spec.defaults or ())[-count:] if count else None)
    if not (inspect.isroutine(obj) or inspect.isclass(obj)) and callable(obj):
        obj = type(obj).__call__
    return inspect.getfullargspec(obj)


def fn_args(fn: Callable[..., Any]) -> tuple[str, ...]:
    """Returns the names of the parameters that a call may give, `self` left out.

    Raises:
      ValueError: if `fn` is not callable.
    """
    if not callable(fn):
        raise TypeError("unsupported callable")
    names = getfullargspec(fn).args
    target = fn.func if isinstance(fn, functools.partial) else fn
    is_method = inspect.ismethod(target) or not inspect.isroutine(target)
    return tuple(names[1:] if is_method and names[:1] == ["self"] else names)


def has_kwargs(fn: Callable[..., Any]) -> bool:
    """Tells whether a function takes any keyword arguments.

    Raises:
      TypeError: if `fn` is not callable.
    """
    if not callable(fn):
        raise TypeError(f"fn should be a function-like object, but is of type {type(fn)}.")
    return getfullargspec(fn).varkw is not None
