"""The table of public names, from which the namespace `tf.*` is built."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any, TypeVar

T = TypeVar("T")

# Dotted public name without "tf." -> function, class, module or value.
EXPORTS: dict[str, Any] = {}


def _record(name: str, value: Any) -> None:
    if not all(part.isidentifier() for part in name.split(".")):
        raise ValueError(f"{name!r} is not a dotted public name.")
    if name in EXPORTS and EXPORTS[name] is not value:
        raise ValueError(
            f"The public name {name!r} is taken by {EXPORTS[name]!r}; it cannot name {value!r} too."
        )
    EXPORTS[name] = value


def export(*names: str) -> Callable[[T], T]:
    """Makes a function or class public.

    Args:
      *names: its dotted public names without "tf.".

    Returns:
      A decorator that records the object and returns it unchanged.

    Raises:
      ValueError: if a name is already taken by another object.
    """
    if not names:
        raise ValueError("export() needs at least one public name.")

    def decorator(target: T) -> T:
        for name in names:
            _record(name, target)
        return target

    return decorator


def export_value(name: str, value: Any) -> None:
    """Makes a value, such as a dtype or a constant, public under `name`.

    Raises:
      ValueError: if the name is already taken by another object.
    """
    _record(name, value)


def export_module(name: str, module: ModuleType) -> None:
    """Makes a module public under `name`; its own attributes become reachable below it.

    Raises:
      ValueError: if the name is already taken by another object.
    """
    _record(name, module)
