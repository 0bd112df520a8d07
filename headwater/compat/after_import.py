"""Changes to modules of others that take effect when a program imports them."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

Change = Callable[[ModuleType], None]


class _Loader(importlib.abc.Loader):
    """Loads a module as its own loader does, and changes it."""

    def __init__(self, loader: Any, change: Change) -> None:
        self._loader = loader
        self._change = change

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        created: ModuleType | None = self._loader.create_module(spec)
        return created

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        self._change(module)


class AfterImport(importlib.abc.MetaPathFinder):
    """Finds modules as the other finders do, and changes them once they are loaded.

    Args:
        changes: {name of a module: what is called with it}.
    """

    def __init__(self, changes: Mapping[str, Change]) -> None:
        self._changes = changes

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Returns the spec of a module that is to be changed, None for any other."""
        if fullname not in self._changes:
            return None
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(fullname, path, target)
            if spec is not None:
                spec.loader = _Loader(spec.loader, self._changes[fullname])
                return spec
        return None

    def start(self) -> None:
        """Changes the modules that are loaded, and from now on those that get loaded."""
        for name, change in self._changes.items():
            if name in sys.modules:
                change(sys.modules[name])
        sys.meta_path.insert(0, self)

    def stop(self) -> None:
        """Leaves modules that get loaded alone again."""
        sys.meta_path.remove(self)
