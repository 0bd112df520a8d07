"""tensorflow.python.autograph.pyct.inspect_utils."""

from __future__ import annotations
import __future__

import builtins
import inspect
from typing import Any


def getfutureimports(entity: Any) -> tuple[str, ...]:
    """Returns the names that the module of a function imports from `__future__`."""
    entity = getattr(entity, "__func__", entity)
    return tuple(
        sorted(
            name
            for name, value in getattr(entity, "__globals__", {}).items()
            if getattr(value, "__class__", None) is __future__._Feature
        )
    )


def getnamespace(f: Any) -> dict[str, Any]:
    """Returns the global names and those of closures that a function sees."""
    function = getattr(f, "__func__", f)
    names = dict(function.__globals__)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            names[name] = cell.cell_contents
        except ValueError:  # not bound yet
            continue
    return names


def isbuiltin(f: Any) -> bool:
    """Tells whether something is a builtin function."""
    return inspect.isbuiltin(f) or any(f is value for value in vars(builtins).values())


def islambda(f: Any) -> bool:
    """Tells whether something is a lambda."""
    return inspect.isfunction(f) and f.__name__ == "<lambda>"
