"""Names that a package of others has dropped, given back while the import hook is installed."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from headwater.compat.after_import import AfterImport
from headwater.compat.missing_modules import Contents, MissingModules

# What finds the value of a name in its module.
Find = Callable[[ModuleType], Any]
# What makes a function of one that only takes what the present release does.
ChangeOfFunction = Callable[[Callable[..., Any]], Callable[..., Any]]
Undo = Callable[[], object]
_MISSING = object()


def same(*path: str) -> Find:
    """Returns a function that finds the present name of what was renamed."""

    def find(module: ModuleType) -> Any:
        value: Any = module
        for name in path:
            value = getattr(value, name)
        return value

    return find


def constant(value: Any) -> Find:
    """Returns a function that finds this value in any module."""
    return lambda module: value


def renamed(**names: str) -> ChangeOfFunction:
    """Lets a function take arguments under older names: `old="new"`."""

    def change(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **{names.get(key, key): v for key, v in kwargs.items()})

        return call

    return change


def without(*names: str) -> ChangeOfFunction:
    """Lets a function take arguments that no longer have an effect."""

    def change(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **{k: v for k, v in kwargs.items() if k not in names})

        return call

    return change


class OldNames:
    """Gives modules their old names: loaded ones at once, others when a program imports them.

    Args:
        names: {module: {name in it, with a class before it if it is a method: its `Find`}}. A name
            that the module has stays as it is; one whose value cannot be found stays missing.
        modules: {module that is gone as a whole: what returns its names and values}.
        changes: {module: {name in it, as above: what makes a function that also takes the old
            arguments}}.
        effects: {module: what else is done with it; returns what undoes that}.
    """

    def __init__(
        self,
        names: Mapping[str, Mapping[str, Find]],
        modules: Mapping[str, Contents] | None = None,
        changes: Mapping[str, Mapping[str, ChangeOfFunction]] | None = None,
        effects: Mapping[str, Callable[[ModuleType], Undo]] | None = None,
    ) -> None:
        self._names = names
        self._changes = changes or {}
        self._effects = effects or {}
        changed = {*names, *self._changes, *self._effects}
        self._after_import = AfterImport(dict.fromkeys(changed, self._change))
        self._missing = MissingModules(modules or {})
        self._undo: list[Undo] = []

    def _change(self, module: ModuleType) -> None:
        name = module.__name__
        for path, find in self._names.get(name, {}).items():
            self._add_name(module, path, find)
        for path, change in self._changes.get(name, {}).items():
            self._change_function(module, path, change)
        if name in self._effects:
            self._undo.append(self._effects[name](module))

    def _add_name(self, module: ModuleType, path: str, find: Find) -> None:
        *classes, name = path.split(".")
        owner = same(*classes)(module)
        if getattr(owner, name, _MISSING) is not _MISSING:
            return
        try:
            value = find(module)
        except (AttributeError, ImportError):
            return
        setattr(owner, name, value)
        self._undo.append(functools.partial(delattr, owner, name))

    def _change_function(self, module: ModuleType, path: str, change: ChangeOfFunction) -> None:
        *classes, name = path.split(".")
        owner = same(*classes)(module)
        function = getattr(owner, name, None)
        if function is None:
            return
        inherited = name not in vars(owner)
        setattr(owner, name, functools.wraps(function)(change(function)))
        undo = delattr if inherited else functools.partial(_set, value=function)
        self._undo.append(functools.partial(undo, owner, name))

    def add(self) -> None:
        """Adds the names that are missing."""
        self._after_import.start()
        self._missing.start()

    def remove(self) -> None:
        """Undoes `add`; modules that were imported meanwhile keep working."""
        self._after_import.stop()
        self._missing.stop()
        while self._undo:
            self._undo.pop()()


def _set(owner: Any, name: str, value: Any) -> None:
    setattr(owner, name, value)
