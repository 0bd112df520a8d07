"""Functions and classes without public names that programs import from internal modules.

Each file here records functions and classes with `internal`; the files are found by a folder scan
when a program first imports an internal module.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")

_recorded: dict[str, Any] = {}


def internal(*paths: str) -> Callable[[T], T]:
    """Makes an object reachable under internal paths of TensorFlow, "tensorflow.python." left out.

    A path that begins with "tensorflow." is taken as it is.

    Returns:
      A decorator that returns the object unchanged.

    Raises:
      ValueError: if a path is taken by another object.
    """

    def decorator(target: T) -> T:
        for path in paths:
            full = path if path.startswith("tensorflow.") else f"tensorflow.python.{path}"
            if _recorded.get(full, target) is not target:
                raise ValueError(f"The internal path {full} is taken by {_recorded[full]!r}.")
            _recorded[full] = target
        return target

    return decorator


@functools.cache
def all_internals() -> dict[str, Any]:
    """Returns {full path: object} of all files of this folder."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    return _recorded
