"""The table of public names, from which the namespace `tf.*` is built."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import ModuleType
from typing import Any, TypeVar

from headwater.base import declarations
from headwater.base.signatures import show_module_plainly, show_plainly

T = TypeVar("T")
# Called with a public object and its names; returns the object that is public in its place.
Change = Callable[[Any, tuple[str, ...]], Any]


@dataclass(frozen=True)
class LazyExport:
    """A public object in a module that is imported when the name is first asked for.

    Attributes:
        module: the full name of the module.
        attribute: the name of the object in it; None for the module itself.
    """

    module: str
    attribute: str | None

    def resolve(self) -> Any:
        """Imports the module and returns the object."""
        module = importlib.import_module(self.module)
        if self.attribute is None:
            show_module_plainly(module)
            return module
        value = getattr(module, self.attribute)
        show_plainly(value)
        return value


# Dotted public name without "tf." -> function, class, module, value, or LazyExport of one.
EXPORTS: dict[str, Any] = {}
# What to make of an object when it gets exported, by one of its public names.
_changes: dict[str, Change] = {}
# id of an object -> what programs get in its place.
_replaced: dict[int, Any] = {}
# Public module -> its aliases.
_twins: dict[str, tuple[str, ...]] = {}


def _record(name: str, value: Any) -> None:
    if not all(part.isidentifier() for part in name.split(".")):
        raise ValueError(f"{name!r} is not a dotted public name.")
    value = _replaced.get(id(value), value)
    taken = EXPORTS.get(name, value)
    if taken is not value and not (isinstance(taken, LazyExport) and taken == value):
        raise ValueError(
            f"The public name {name!r} is taken by {taken!r}; it cannot name {value!r} too."
        )
    EXPORTS[name] = value
    declarations.declare(declarations.EXPORT, name)
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
        for change in [_changes.pop(name) for name in names if name in _changes]:
            _replaced[id(target)] = change(_replaced.get(id(target), target), names)
        for name in names:
            _record(name, target)
        return target

    return decorator


def find_export(name: str) -> Any:
    """The object of a public name, imported if need be.

    Args:
      name: the dotted public name without "tf.".

    Returns:
      The function, class, module or value; a LazyExport is resolved.

    Raises:
      KeyError: if there is no such name.
    """
    if name not in EXPORTS:
        declarations.load(declarations.EXPORT, name)
    value = EXPORTS[name]
    return value.resolve() if isinstance(value, LazyExport) else value


def is_exported(name: str) -> bool:
    """Whether there is such a dotted public name."""
    return name in EXPORTS or name in declarations.names(declarations.EXPORT)


def exported_names() -> set[str]:
    """All dotted public names, but for those of packages that are imported on demand."""
    return {*EXPORTS, *declarations.names(declarations.EXPORT)}


def exports_below(module: str = "") -> dict[str, Any]:
    """The public names below a module, but for those of packages that are imported on demand.

    Args:
      module: its dotted name without "tf."; "" for everything.

    Returns:
      {dotted name below the module: function, class, module, value, or LazyExport of one}.
    """
    prefix = f"{module}." if module else ""
    declarations.load_all(declarations.EXPORT, prefix)
    return {
        name[len(prefix) :]: value
        for name, value in list(EXPORTS.items())
        if name.startswith(prefix)
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


def export_lazy(name: str, module: str, attribute: str | None = None) -> None:
    """Makes `attribute` of `module` public under `name` without importing the module.

    Args:
      name: the dotted public name without "tf.".
      module: the full name of the module, "headwater.protos.graph_pb2" for example.
      attribute: the name of the object in the module; None for the module itself.

    Raises:
      ValueError: if the name is already taken by another object.
    """
    _record(name, LazyExport(module, attribute))


def change_exports(names: Iterable[str], change: Change) -> None:
    """Replaces public functions under all of their names, now or when they get exported.

    Args:
      names: dotted public names, one or more of each function.
      change: makes the new functions.
    """
    for name in names:
        if name not in EXPORTS:
            _changes[name] = change
            continue
        old = EXPORTS[name]
        all_names = tuple(other for other, value in list(EXPORTS.items()) if value is old)
        _replaced[id(old)] = change(old, all_names)
        EXPORTS.update(dict.fromkeys(all_names, _replaced[id(old)]))
