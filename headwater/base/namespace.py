"""Builds the public namespace (`headwater.nn`, `headwater.train`, ...) from the exports.

Most modules of the package are imported with it. A package whose `__init__` says
``ON_DEMAND = ("contrib.opt", ...)`` is imported when one of these public modules is asked for a
name that it does not have yet.
"""

from __future__ import annotations

import importlib
import importlib.util
import itertools
import pkgutil
import sys
import threading
from types import ModuleType
from typing import Any

from headwater.base.export import EXPORTS, LazyExport, exports_below

# Packages imported on demand, with the public modules that hold their names.
_waiting: dict[str, tuple[str, ...]] = {}
_lock = threading.RLock()


def import_all(package_name: str, later: frozenset[str] = frozenset()) -> None:
    """Imports every module of a package, so that their declarations are registered.

    Args:
        package_name: the full name of the package.
        later: full names of modules that are imported on demand instead.
    """
    package = importlib.import_module(package_name)
    if hasattr(package, "ON_DEMAND"):
        _waiting[package_name] = package.ON_DEMAND
        return
    for module in pkgutil.iter_modules(package.__path__, package_name + "."):
        if module.ispkg:
            import_all(module.name, later)
        elif module.name not in later:
            importlib.import_module(module.name)


def root() -> ModuleType:
    """The package itself; its namespace is complete only when all layers are loaded."""
    return sys.modules[__name__.partition(".")[0]]


def waiting_modules() -> frozenset[str]:
    """The public modules that may get more names on demand."""
    return frozenset(itertools.chain.from_iterable(_waiting.values()))


def import_waiting(public_module: str) -> bool:
    """Imports the on-demand packages of a public module.

    Args:
        public_module: its dotted name without "tf."; "" for the package itself.

    Returns:
        Whether there were any.
    """
    with _lock:
        packages = [name for name, modules in _waiting.items() if public_module in modules]
        for name in packages:
            package = importlib.import_module(name)
            for module in pkgutil.walk_packages(package.__path__, name + "."):
                importlib.import_module(module.name)
            _waiting.pop(name, None)
        if packages:
            _builder.set_new_names()
        return bool(packages)


def all_exports_below(public_module: str) -> dict[str, Any]:
    """The public names below a module, with those of its on-demand packages.

    Args:
        public_module: its dotted name without "tf.".

    Returns:
        {dotted name below the module: function, class, module, value, or LazyExport of one}.
    """
    import_waiting(public_module)
    return exports_below(public_module)


class _Builder:
    """Sets exported names as attributes of the public modules."""

    def __init__(self) -> None:
        self._root: ModuleType | None = None
        self._done = 0

    def start(self, root: ModuleType) -> None:
        self._root = root
        # First, because making public modules may import some of the package.
        for name in sorted(waiting_modules()):
            _Lazy.of(_module(root, name.split(".") if name else []), name)
        self.set_new_names()

    def set_new_names(self) -> None:
        """Sets the names that have been exported since the last time."""
        if self._root is None:
            return
        for dotted, value in list(EXPORTS.items())[self._done :]:
            *path, name = dotted.split(".")
            _set(_module(self._root, path), ".".join(path), name, value)
        self._done = len(EXPORTS)


_builder = _Builder()


def build(root: ModuleType) -> None:
    """Sets the exported names as attributes of `root` and of its public modules.

    Args:
        root: the package; a public module like ``train`` is its sub-package of this name, or a
            new module if there is none.
    """
    _builder.start(root)


def _set(module: ModuleType, public_name: str, name: str, value: Any) -> None:
    if isinstance(value, LazyExport):
        _Lazy.of(module, public_name).table[name] = value
        return
    setattr(module, name, value)
    if isinstance(value, ModuleType):
        sys.modules.setdefault(f"{module.__name__}.{name}", value)


class _Lazy:
    """The attributes of a public module that are imported when they are first asked for.

    Attributes:
        table: single names.
    """

    def __init__(self, module: ModuleType, public_name: str) -> None:
        self._module = module
        self._public_name = public_name
        self.table: dict[str, LazyExport] = {}
        module.__getattr__ = self._load  # type: ignore[method-assign]
        module.__dir__ = self._names  # type: ignore[method-assign]

    @classmethod
    def of(cls, module: ModuleType, public_name: str) -> _Lazy:
        """The lazy attributes of a module."""
        if "_lazy" not in module.__dict__:
            module._lazy = cls(module, public_name)  # type: ignore[attr-defined]
        result: _Lazy = module.__dict__["_lazy"]
        return result

    def _load(self, name: str) -> Any:
        if name in self.table:
            value = self.table[name].resolve()
            setattr(self._module, name, value)
            return value
        if name == "__all__":  # a star import
            return [name for name in self._names() if not name.startswith("_")]
        if not name.startswith("__") and import_waiting(self._public_name):
            return getattr(self._module, name)
        raise AttributeError(f"module {self._module.__name__!r} has no attribute {name!r}")

    def _names(self) -> list[str]:
        import_waiting(self._public_name)
        return sorted({*self._module.__dict__, *self.table})


def _module(root: ModuleType, path: list[str]) -> ModuleType:
    module = root
    for part in path:
        full_name = f"{module.__name__}.{part}"
        child = module.__dict__.get(part)
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
