"""Decorators that mark functions, arguments and values of arguments as deprecated."""

from __future__ import annotations

import functools
import inspect
import re
import sys
import threading
from collections import namedtuple
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from headwater.base import logging
from headwater.base.decorators import add_notice_to_docstring, make_decorator, qualified_name
from headwater.base.deprecation import renamed_argument
from headwater.base.export import export

DeprecatedArgSpec = namedtuple("DeprecatedArgSpec", ["position", "has_ok_value", "ok_value"])

_MISUSE = (
    "{} is not a function. If this is a property, make sure @property appears before @{} in your "
    "source code:\n\n@property\n@{}\ndef method(...)"
)
_silence = threading.local()
_warned: set[Any] = set()


@contextmanager
def silence() -> Iterator[None]:
    """A with block in which deprecated functions are called without a notice."""
    before = getattr(_silence, "on", False)
    _silence.on = True
    try:
        yield
    finally:
        _silence.on = before


def _check(date: Any, instructions: str) -> None:
    if date is not None and not re.match(r"20\d\d-[01]\d-[0123]\d", date):
        raise ValueError("Date must be YYYY-MM-DD.")
    if not instructions:
        raise ValueError("Don't deprecate things without conversion instructions!")


def _when(date: str | None) -> str:
    return "in a future version" if date is None else f"after {date}"


def _with_notice(doc: str | None, suffix: str, warning: str, instructions: str) -> str:
    """A docstring with a suffix at its first line and a warning below it."""
    return add_notice_to_docstring(
        doc,
        instructions,
        suffix.strip(" ()").upper(),
        suffix,
        [warning, "Instructions for updating:"],
    )


def _warn(key: Any, warn_once: bool, text: str, *args: Any) -> None:
    """Warns the user who called the wrapper that calls this function."""
    if getattr(_silence, "on", False) or (warn_once and key in _warned):
        return
    _warned.add(key)
    caller = sys._getframe(2)
    place = f"{caller.f_code.co_filename}:{caller.f_lineno}"
    logging.warning("From %s: " + text, place, *args)


_REMOVAL = "%s (from %s) is deprecated and will be removed %s.\nInstructions for updating:\n%s"
_ARGUMENT_REMOVAL = _REMOVAL.replace("%s (from %s)", "calling %s (from %s) with %s")
_VALUE_REMOVAL = _REMOVAL.replace("%s (from %s)", "calling %s (from %s) with %s=%s")
_RENAMED = "The name %s is deprecated. Please use %s instead.\n"


@export("contrib.framework.deprecated")
def deprecated(date: str | None, instructions: str, warn_once: bool = True) -> Callable[[Any], Any]:
    """Marks a function as deprecated: its docstring says so, and so does a warning when called.

    Args:
      date: when it goes away, "YYYY-MM-DD", or None.
      instructions: what to use instead.
      warn_once: whether the warning comes at the first call only.

    Returns:
      A decorator.

    Raises:
      ValueError: if the date is in another form or there are no instructions.
    """
    _check(date, instructions)

    def decorate(func: Any) -> Any:
        if not callable(func) or isinstance(func, property):
            raise ValueError(_MISUSE.format(func, "deprecated", "deprecated"))

        @functools.wraps(func)
        def called(*args: Any, **kwargs: Any) -> Any:
            names = qualified_name(func), func.__module__
            _warn(func, warn_once, _REMOVAL, *names, _when(date), instructions)
            return func(*args, **kwargs)

        doc = _with_notice(
            func.__doc__,
            "(deprecated)" if func.__doc__ else "(deprecated function)",
            f"THIS FUNCTION IS DEPRECATED. It will be removed {_when(date)}.",
            instructions,
        )
        return make_decorator(func, called, "deprecated", doc)

    return decorate


def deprecated_alias(
    deprecated_name: str, name: str, func_or_class: Any, warn_once: bool = True
) -> Any:
    """Makes an older name of a function or class.

    Args:
      deprecated_name: the older name, for the warning.
      name: the name to use.
      func_or_class: the function or class.
      warn_once: whether the warning comes at the first call only.

    Returns:
      A function, or a class derived from the given one, that warns when it is called.
    """
    if inspect.isclass(func_or_class):
        base: Any = func_or_class

        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
            _warn(__init__, warn_once, _RENAMED, deprecated_name, name)
            base.__init__(self, *args, **kwargs)

        doc = _with_notice(
            base.__doc__,
            "(deprecated)",
            "THIS CLASS IS DEPRECATED. It will be removed in a future version.",
            f"Please use {name} instead.",
        )
        body = {"__doc__": doc, "__module__": base.__module__, "__init__": __init__}
        return type(base)(base.__name__, (base,), body)

    @functools.wraps(func_or_class)
    def called(*args: Any, **kwargs: Any) -> Any:
        _warn(called, warn_once, _RENAMED, deprecated_name, name)
        return func_or_class(*args, **kwargs)

    doc = _with_notice(
        func_or_class.__doc__,
        "(deprecated)" if func_or_class.__doc__ else "(deprecated function)",
        "THIS FUNCTION IS DEPRECATED. It will be removed in a future version.",
        f"Please use {name} instead.",
    )
    return make_decorator(func_or_class, called, "deprecated", doc)


class DeprecatedNamesAlreadySet(Exception):
    """A function has deprecated names already."""


def deprecated_endpoints(*args: str) -> Callable[[Any], Any]:
    """Marks public names of a function as deprecated, without a warning.

    Args:
      *args: the names.

    Returns:
      A decorator; it raises DeprecatedNamesAlreadySet for a function that has some.
    """

    def decorate(func: Any) -> Any:
        if "_tf_deprecated_api_names" in vars(func):
            raise DeprecatedNamesAlreadySet(
                f"Cannot set deprecated names for {func.__name__} to {args}. Deprecated names are "
                f"already set to {func._tf_deprecated_api_names}."
            )
        func._tf_deprecated_api_names = args
        return func

    return decorate


def _named_arguments(
    func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], name: str
) -> list[Any]:
    """The value of an argument in a call, in a list; an empty one if it was not given."""
    bound = inspect.signature(func).bind_partial(*args, **kwargs)
    parameter = inspect.signature(func).parameters.get(name)
    if parameter is not None and name in bound.arguments:
        return [bound.arguments[name]]
    for other in inspect.signature(func).parameters.values():
        if other.kind is other.VAR_KEYWORD and name in bound.arguments.get(other.name, {}):
            return [bound.arguments[other.name][name]]
    return []


@export("contrib.framework.deprecated_args")
def deprecated_args(
    date: str | None, instructions: str, *deprecated_arg_names_or_tuples: Any, **kwargs: Any
) -> Callable[[Any], Any]:
    """Marks arguments of a function as deprecated.

    Args:
      date: when they go away, "YYYY-MM-DD", or None.
      instructions: what to use instead.
      *deprecated_arg_names_or_tuples: names, or pairs of a name and a value that does not warn.
      **kwargs: `warn_once`, whether the warning comes at the first call only, True by default.

    Returns:
      A decorator.

    Raises:
      ValueError: if the function has no such argument, or an argument is in another form.
    """
    _check(date, instructions)
    if not deprecated_arg_names_or_tuples:
        raise ValueError("Specify which argument is deprecated.")
    warn_once = kwargs.pop("warn_once", True)
    if kwargs:
        raise ValueError(f"Illegal argument to deprecated_args: {kwargs}")
    fine: dict[str, list[Any]] = {}
    for item in deprecated_arg_names_or_tuples:
        name, *value = item if isinstance(item, tuple) else (item,)
        fine[name] = value

    def decorate(func: Any) -> Any:
        if not callable(func):
            raise ValueError(_MISUSE.format(func, "deprecated_args", "deprecated_args"))
        spec = inspect.getfullargspec(func)
        known = {*spec.args, *spec.kwonlyargs, spec.varargs, spec.varkw}
        missing = [name for name in fine if name not in known]
        if missing and not spec.varkw:
            raise ValueError(
                "The following deprecated arguments are not present in the function signature: "
                f"{missing}. Found next arguments: {[*spec.args, spec.varargs, spec.varkw]}."
            )

        @functools.wraps(func)
        def called(*args: Any, **kwargs: Any) -> Any:
            for name, value in fine.items():
                given = _named_arguments(func, args, kwargs, name)
                is_variadic = name in (spec.varargs, spec.varkw)
                if given and not (is_variadic and not given[0]):
                    if value and _same(given[0], value[0]):
                        continue
                    what = qualified_name(func), func.__module__, name, _when(date)
                    _warn((func, name), warn_once, _ARGUMENT_REMOVAL, *what, instructions)
            return func(*args, **kwargs)

        doc = _with_notice(
            func.__doc__,
            "(deprecated arguments)" if func.__doc__ else "(deprecated function arguments)",
            f"SOME ARGUMENTS ARE DEPRECATED: `({', '.join(sorted(fine))})`. They will be removed "
            f"{_when(date)}.",
            instructions,
        )
        return make_decorator(func, called, "deprecated", doc)

    return decorate


def _same(a: Any, b: Any) -> bool:
    return a is b or (type(a) is type(b) and isinstance(a, bool | int | float | str) and a == b)


@export("contrib.framework.deprecated_arg_values")
def deprecated_arg_values(
    date: str | None, instructions: str, warn_once: bool = True, **deprecated_kwargs: Any
) -> Callable[[Any], Any]:
    """Marks values of arguments as deprecated.

    Args:
      date: when they go away, "YYYY-MM-DD", or None.
      instructions: what to use instead.
      warn_once: whether the warning comes at the first call only.
      **deprecated_kwargs: the value by the name of the argument.

    Returns:
      A decorator.

    Raises:
      ValueError: if no argument is given or the date is in another form.
    """
    _check(date, instructions)
    if not deprecated_kwargs:
        raise ValueError("Specify which argument values are deprecated.")

    def decorate(func: Any) -> Any:
        if not callable(func):
            raise ValueError(_MISUSE.format(func, "deprecated_arg_values", "deprecated_arg_values"))

        @functools.wraps(func)
        def called(*args: Any, **kwargs: Any) -> Any:
            for name, value in deprecated_kwargs.items():
                given = _named_arguments(func, args, kwargs, name)
                if given and _same(given[0], value):
                    what = qualified_name(func), func.__module__, name, value, _when(date)
                    key = (func, f"{name}={value}")
                    _warn(key, warn_once, _VALUE_REMOVAL, *what, instructions)
            return func(*args, **kwargs)

        values = ", ".join(
            f"{name}={deprecated_kwargs[name]!r}" for name in sorted(deprecated_kwargs)
        )
        doc = _with_notice(
            func.__doc__,
            "(deprecated argument values)"
            if func.__doc__
            else "(deprecated function argument values)",
            f"SOME ARGUMENT VALUES ARE DEPRECATED: `({values})`. They will be removed "
            f"{_when(date)}.",
            instructions,
        )
        return make_decorator(func, called, "deprecated", doc)

    return decorate


def deprecated_argument_lookup(new_name: str, new_value: Any, old_name: str, old_value: Any) -> Any:
    """Returns the value of an argument that has a new and an old name.

    Args:
      new_name: the new name.
      new_value: what was given under it, or None.
      old_name: the old name.
      old_value: what was given under it, or None.

    Returns:
      The value that is not None, or None.

    Raises:
      ValueError: if both are given.
    """
    return renamed_argument(new_name, new_value, old_name, old_value)


def rewrite_argument_docstring(old_doc: str, old_argument: str, new_argument: str) -> str:
    """Returns a docstring with another name for an argument.

    Args:
      old_doc: the docstring.
      old_argument: the name in it.
      new_argument: the name to put there.

    Returns:
      The docstring.
    """
    return old_doc.replace(f"`{old_argument}`", f"`{new_argument}`").replace(
        f"{old_argument}:", f"{new_argument}:"
    )
