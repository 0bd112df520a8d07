"""Builds the public namespace (`headwater.nn`, `headwater.train`, ...) from the exports."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import sys
from types import ModuleType
from typing import Any

from headwater.base.export import EXPORTS, LazyExport


def import_all(package_name: str, later: frozenset[str] = frozenset()) -> None:
    """Imports every module of a package, so that what they declare is registered.

    Args:
        package_name: the full name of the package.
        later: full names of modules that are left until somebody needs them; of a package here,
            all modules are left.
    """
    package = importlib.import_module(package_name)
    for module in pkgutil.walk_packages(package.__path__, package_name + "."):
        if later.isdisjoint((module.name, module.name.rpartition(".")[0])):
            importlib.import_module(module.name)


def build(root: ModuleType) -> None:
    """Sets the exported names as attributes of `root` and of its public modules.

    Args:
        root: the package; a public module like ``train`` is its sub-package of this name, or a
            new module if there is none.
    """
    for dotted, value in EXPORTS.items():
        *path, name = dotted.split(".")
        _set(_module(root, path), name, value)


def _set(module: ModuleType, name: str, value: Any) -> None:
    if isinstance(value, LazyExport):
        _lazy_attributes(module)[name] = value
        return
    setattr(module, name, value)
    if isinstance(value, ModuleType):
        sys.modules.setdefault(f"{module.__name__}.{name}", value)


def _lazy_attributes(module: ModuleType) -> dict[str, LazyExport]:
    """The table of a module's attributes that are imported when they are first asked for."""
    if "_lazy_exports" not in module.__dict__:
        table: dict[str, LazyExport] = {}

        def load(name: str) -> Any:
            try:
                lazy = table[name]
            except KeyError:
                raise AttributeError(
                    f"module {module.__name__!r} has no attribute {name!r}"
                ) from None
            value = lazy.resolve()
            setattr(module, name, value)
            return value

        module._lazy_exports = table  # type: ignore[attr-defined]
        module.__getattr__ = load  # type: ignore[method-assign]
        module.__dir__ = lambda: sorted({*module.__dict__, *table})  # type: ignore[method-assign]
    return module.__dict__["_lazy_exports"]


def _module(root: ModuleType, path: list[str]) -> ModuleType:
    module = root
    for part in path:
        full_name = f"{module.__name__}.{part}"
        child = getattr(module, part, None)
        if not isinstance(child, ModuleType):
            child = sys.modules.get(full_name)
        if child is None and importlib.util.find_spec(full_name) is not None:
            child = importlib.import_module(full_name)
        if not isinstance(child, ModuleType):
            child = ModuleType(full_name, f"Public names of tf.{'.'.join(path)}.")
            child.__path__ = []
            sys.modules[full_name] = child
        setattr(module, part, child)
        module = child
    return module
