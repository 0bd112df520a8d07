"""Modules of others that later releases no longer have."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import sys
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

import six

Contents = Callable[[], Mapping[str, Any]]
# What programs import from the copies of six in other packages.
_MOVES = (
    "StringIO cPickle configparser filter input map queue range reduce urllib xrange zip"
).split()


def public_names(*modules: str) -> Contents:
    """Returns what returns the public names of modules."""

    def contents() -> dict[str, Any]:
        found = [vars(importlib.import_module(module)) for module in modules]
        return {k: v for names in found for k, v in names.items() if not k.startswith("_")}

    return contents


def name_of(package: str, name: str) -> Callable[[Any], Any]:
    """Returns a function that finds a name of another package; its argument is unused."""
    return lambda module: getattr(importlib.import_module(package), name)


def copies_of_six(name: str) -> dict[str, Contents]:
    """Returns the modules that a copy of six consists of, for `MissingModules`."""
    return {
        name: public_names("six"),
        f"{name}.moves": lambda: {move: getattr(six.moves, move) for move in _MOVES},
    }


class _Loader(importlib.abc.Loader):
    def __init__(self, contents: Contents) -> None:
        self._contents = contents

    def exec_module(self, module: ModuleType) -> None:
        vars(module).update(self._contents())


class MissingModules(importlib.abc.MetaPathFinder):
    """Makes modules that no other finder finds: it stands behind them all.

    Args:
        modules: {full name of a module: what returns its names and values}.
    """

    def __init__(self, modules: Mapping[str, Contents]) -> None:
        self._modules = modules

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Returns the spec of a module of the table, None for any other."""
        contents = self._modules.get(fullname)
        if contents is None:
            return None
        is_package = any(name.startswith(fullname + ".") for name in self._modules)
        return importlib.machinery.ModuleSpec(fullname, _Loader(contents), is_package=is_package)

    def start(self) -> None:
        """Offers the modules."""
        sys.meta_path.append(self)

    def stop(self) -> None:
        """Leaves modules that are not there missing again."""
        sys.meta_path.remove(self)
