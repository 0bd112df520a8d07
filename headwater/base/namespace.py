"""Builds the public namespace (`headwater.nn`, `headwater.train`, ...) from the exports.

A module of the package is imported when a program asks for one of its public names, which the table
of declarations knows (base/declarations.py). A package whose `__init__` says
``ON_DEMAND = ("contrib.opt", ...)`` is imported as a whole when one of these public modules is
asked for a name that it does not have yet.
"""

from __future__ import annotations

import importlib
import itertools
import pkgutil
import sys
import threading
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from types import ModuleType, NoneType
from typing import Any

from headwater.base import declarations
from headwater.base.export import (
    EXPORTS,
    LazyExport,
    exported_names,
    exports_below,
    find_export,
    is_exported,
)

# The layers that declare something, in order.
layers: list[str] = []
# Packages imported on demand, with the public modules that hold their names.
_waiting: dict[str, tuple[str, ...]] = {}
_lock = threading.RLock()


def import_layers(names: Collection[str]) -> None:
    """Imports the modules of all layers that cannot wait until a program asks for them.

    Args:
        names: the names of the layers that declare something, in order.
    """
    layers.extend(names)
    table = declarations.Table(names)
    _waiting.update(table.waiting)
    _import(table.first)


def import_all_but_on_demand() -> None:
    """Imports all modules of the layers, but those of packages that are ON_DEMAND."""
    _import(declarations.all_modules(layers))


def import_everything() -> None:
    """Imports all modules that declare something, for what looks at all declarations."""
    import_all_but_on_demand()
    for public_module in waiting_modules():
        import_waiting(public_module)
    _builder.set_new_names()


def _import(modules: Iterable[str]) -> None:
    """Imports modules in turn; packages that are ON_DEMAND wait, with what is in them."""
    for name in modules:
        package = name.rpartition(".")[0]
        while package and package not in _waiting:
            package = package.rpartition(".")[0]
        if package:
            continue
        attributes = _attributes(importlib.import_module(name))
        if "ON_DEMAND" in attributes:
            _waiting.setdefault(name, attributes["ON_DEMAND"])


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
        declared = {name.rpartition(".")[0] for name in declarations.names(declarations.EXPORT)}
        for name in sorted({"", *declared, *waiting_modules()}):
            # A file, such as train/queue_runner.py, has its names once it is imported.
            if not Path(f"{root.__path__[0]}/{name.replace('.', '/')}.py").is_file():
                _make_lazy(_module(root, name.split(".") if name else []), name)
        self.set_new_names()

    def set_new_names(self) -> None:
        """Sets the names that have been exported since the last time."""
        if self._root is None:
            return
        for dotted, value in list(EXPORTS.items())[self._done :]:
            public_name, _, name = dotted.rpartition(".")
            module = _module(self._root, public_name.split(".") if public_name else [])
            if isinstance(value, LazyExport):
                _make_lazy(module, public_name)
            elif isinstance(_attributes(module).get(name), (NoneType, ModuleType)):
                # Anything else has a program put there.
                setattr(module, name, value)
            if isinstance(value, ModuleType):
                sys.modules.setdefault(f"{module.__name__}.{name}", value)
        self._done = len(EXPORTS)


_builder = _Builder()


def build(root: ModuleType) -> None:
    """Sets the exported names as attributes of `root` and of its public modules.

    Args:
        root: the package; a public module like ``train`` is its sub-package of this name, or a
            new module if there is none.
    """
    _builder.start(root)


class _LazyModule(ModuleType):
    """A public module, some of whose names are imported when they are asked for."""

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        attributes = _attributes(self)
        for name in attributes["_lazy"].names():
            getattr(self, name, None)
        return attributes


# Programs that look see a module like others.
_LazyModule.__name__ = ModuleType.__name__
_LazyModule.__module__ = ModuleType.__module__

# The attributes that a module has at present.
_attributes: Callable[[ModuleType], dict[str, Any]] = vars(ModuleType)["__dict__"].__get__


def _make_lazy(module: ModuleType, public_name: str) -> None:
    """Lets a module find public names when they are first asked for."""
    attributes = _attributes(module)
    if "_lazy" not in attributes:
        lazy = _Lazy(module, public_name)
        attributes.update(_lazy=lazy, __getattr__=lazy.load, __dir__=lazy.names)
        module.__class__ = _LazyModule


def is_public_module(attributes: dict[str, Any]) -> bool:
    """Whether a module has public names of the package.

    Args:
        attributes: what it has at present.
    """
    return "_lazy" in attributes


class _Lazy:
    """Finds the attributes of a public module that it does not have yet."""

    def __init__(self, module: ModuleType, public_name: str) -> None:
        self._module = module
        self._public_name = public_name
        self._prefix = f"{public_name}." if public_name else ""

    def load(self, name: str) -> Any:
        """The value of an attribute, which is an ordinary one from then on."""
        if name == "__all__":  # a star import
            return [name for name in self.names() if not name.startswith("_")]
        if is_exported(self._prefix + name):
            value = find_export(self._prefix + name)
            setattr(self._module, name, value)
            return value
        if not name.startswith("__"):
            if _has_file(self._module, name):
                module = importlib.import_module(f"{self._module.__name__}.{name}")
                # A file may be called like the public function in it.
                return self.load(name) if is_exported(self._prefix + name) else module
            if import_waiting(self._public_name):
                return getattr(self._module, name)
        raise AttributeError(f"module {self._module.__name__!r} has no attribute {name!r}")

    def names(self) -> list[str]:
        """All attributes, for `dir`."""
        import_waiting(self._public_name)
        prefix = self._prefix
        found = (n.removeprefix(prefix) for n in exported_names() if n.startswith(prefix))
        return sorted({*_attributes(self._module), *(name for name in found if "." not in name)})


def _has_file(package: ModuleType, name: str) -> bool:
    """Whether a package has a module of this name that can be imported."""
    places = [f"{folder}/{name}" for folder in _attributes(package).get("__path__", ())]
    return any(Path(f"{p}.py").is_file() or Path(f"{p}/__init__.py").is_file() for p in places)


def _module(root: ModuleType, path: list[str]) -> ModuleType:
    module = root
    for part in path:
        full_name = f"{module.__name__}.{part}"
        child = _attributes(module).get(part)
        if not isinstance(child, ModuleType):
            child = sys.modules.get(full_name)
        if child is None and _has_file(module, part):
            child = importlib.import_module(full_name)
        if not isinstance(child, ModuleType):
            child = ModuleType(full_name, f"Public names of tf.{'.'.join(path)}.")
            child.__path__ = []
            sys.modules[full_name] = child
        setattr(module, part, child)
        module = child
    return module
