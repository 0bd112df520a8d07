"""The table of public names, from which the namespace `tf.*` is built."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any, TypeVar

from headwater.base.signatures import show_module_plainly, show_plainly

T = TypeVar("T")


@dataclass(frozen=True)
class LazyExport:
    """A public object in a module that is imported when the name is first asked for."""

    module: str
    attribute: str

    def resolve(self) -> Any:
        """Imports the module and returns the object."""
        value = getattr(importlib.import_module(self.module), self.attribute)
        show_plainly(value)
        return value


# Dotted public name without "tf." -> function, class, module, value, or LazyExport of one.
EXPORTS: dict[str, Any] = {}
# Public module -> its aliases.
_twins: dict[str, tuple[str, ...]] = {}


def _record(name: str, value: Any) -> None:
    if not all(part.isidentifier() for part in name.split(".")):
        raise ValueError(f"{name!r} is not a dotted public name.")
    taken = EXPORTS.get(name, value)
    if taken is not value and not (isinstance(taken, LazyExport) and taken == value):
        raise ValueError(
            f"The public name {name!r} is taken by {taken!r}; it cannot name {value!r} too."
        )
    EXPORTS[name] = value
    module, _, last = name.rpartition(".")
    for twin in _twins.get(module, ()):
        _record(f"{twin}.{last}", value)


def also_under(module: str, *others: str) -> None:
    """Makes names that are exported from now on in one public module public in others too.

    Args:
      module: its dotted name without "tf.".
      *others: the dotted names of the others, the module's places in older releases.
    """
    _twins[module] = (*_twins.get(module, ()), *others)


def export(*names: str) -> Callable[[T], T]:
    """Makes a function or class public.

    Args:
      *names: its dotted public names without "tf.".

    Returns:
      A decorator that records the object and returns it. A function loses its annotations at
      run time: libraries compare `inspect.getfullargspec` with TensorFlow's, which has none.

    Raises:
      ValueError: if a name is already taken by another object.
    """
    if not names:
        raise ValueError("export() needs at least one public name.")

    def decorator(target: T) -> T:
        show_plainly(target)
        for name in names:
            _record(name, target)
        return target

    return decorator


def exports_below(module: str = "") -> dict[str, Any]:
    """The public names below a module that have been exported so far.

    Args:
      module: its dotted name without "tf."; "" for everything.

    Returns:
      {dotted name below the module: function, class, module, value, or LazyExport of one}.
    """
    prefix = f"{module}." if module else ""
    return {
        name[len(prefix) :]: value for name, value in EXPORTS.items() if name.startswith(prefix)
    }


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
    show_module_plainly(module)
    _record(name, module)


def export_lazy(name: str, module: str, attribute: str) -> None:
    """Makes `attribute` of `module` public under `name` without importing the module.

    Args:
      name: the dotted public name without "tf.".
      module: the full name of the module, "headwater.protos.graph_pb2" for example.
      attribute: the name of the object in the module.

    Raises:
      ValueError: if the name is already taken by another object.
    """
    _record(name, LazyExport(module, attribute))


def replace_exports(replacements: Mapping[str, Any]) -> None:
    """Replaces public objects under all of their names.

    Args:
      replacements: the new object by any dotted public name of the old one.
    """
    places = {id(EXPORTS[name]): value for name, value in replacements.items()}
    for name, value in EXPORTS.items():
        if id(value) in places:
            EXPORTS[name] = places[id(value)]
