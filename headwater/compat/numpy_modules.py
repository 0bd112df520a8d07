"""Submodules of NumPy 1 that programs import from and that NumPy 2 has moved or dropped.

Moved ones get their old names; `numpy.lib` gets back the functions that it took from them.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any

# The old module, and where its functions are now.
_MOVED = {
    "numpy.fft.helper": "numpy.fft._helper",
    "numpy.lib.arraypad": "numpy.lib._arraypad_impl",
    "numpy.lib.arraysetops": "numpy.lib._arraysetops_impl",
    "numpy.lib.arrayterator": "numpy.lib._arrayterator_impl",
    "numpy.lib.format": "numpy.lib._format_impl",
    "numpy.lib.function_base": "numpy.lib._function_base_impl",
    "numpy.lib.histograms": "numpy.lib._histograms_impl",
    "numpy.lib.index_tricks": "numpy.lib._index_tricks_impl",
    "numpy.lib.nanfunctions": "numpy.lib._nanfunctions_impl",
    "numpy.lib.npyio": "numpy.lib._npyio_impl",
    "numpy.lib.polynomial": "numpy.lib._polynomial_impl",
    "numpy.lib.scimath": "numpy.lib._scimath_impl",
    "numpy.lib.shape_base": "numpy.lib._shape_base_impl",
    "numpy.lib.stride_tricks": "numpy.lib._stride_tricks_impl",
    "numpy.lib.twodim_base": "numpy.lib._twodim_base_impl",
    "numpy.lib.type_check": "numpy.lib._type_check_impl",
    "numpy.lib.ufunclike": "numpy.lib._ufunclike_impl",
    "numpy.lib.utils": "numpy.lib._utils_impl",
    "numpy.linalg.linalg": "numpy.linalg._linalg",
    "numpy.testing.utils": "numpy.testing",
}
_LIB = "numpy.lib."
# Those whose names `numpy.lib` did not export.
_NOT_IN_LIB = ("numpy.lib.format",)

# numpy.compat, which served programs for Python 2 and 3.
_COMPAT: dict[str, Any] = {
    "asbytes": lambda s: s if isinstance(s, bytes) else str(s).encode("latin1"),
    "asstr": lambda s: s.decode("latin1") if isinstance(s, bytes) else str(s),
    "asunicode": lambda s: s.decode("latin1") if isinstance(s, bytes) else str(s),
    "basestring": str,
    "bytes": bytes,
    "getexception": lambda: sys.exc_info()[1],
    "integer_types": (int,),
    "long": int,
    "sixu": lambda s: s,
    "strchar": "U",
    "unicode": str,
}

_added: list[tuple[ModuleType, str]] = []
_added_modules: list[str] = []


class _Late(ModuleType):
    """A module that is not loaded yet."""

    def __init__(self, name: str, source: str) -> None:
        super().__init__(name)
        self._source = source

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(importlib.import_module(self._source), name)


def add() -> None:
    """Adds the modules and names that are missing."""
    for old, new in _MOVED.items():
        # NumPy loads some of them when they are used; NumPy 1 has no such module.
        source = sys.modules.get(new) or _Late(old, new)
        _add_module(old, source)
        if old.startswith(_LIB) and old not in _NOT_IN_LIB:
            _add_names(sys.modules["numpy.lib"], source)
    compat = ModuleType("numpy.compat")
    vars(compat).update(_COMPAT)
    _add_module("numpy.compat", compat)
    _add_module("numpy.compat.py3k", compat)


def _add_module(name: str, source: ModuleType) -> None:
    """Gives a module its old name, or an old module that is still there what it has lost."""
    if name in sys.modules:
        _add_names(sys.modules[name], source)
        return
    sys.modules[name] = source
    _added_modules.append(name)
    parent_name, _, leaf = name.rpartition(".")
    parent = sys.modules.get(parent_name)
    if parent is not None and leaf not in vars(parent):
        setattr(parent, leaf, source)
        _added.append((parent, leaf))


def _add_names(module: ModuleType, source: ModuleType) -> None:
    if module is source:
        return
    for name in getattr(source, "__all__", ()):
        if name not in vars(module):
            setattr(module, name, getattr(source, name))
            _added.append((module, name))


def remove() -> None:
    """Undoes `add`."""
    for module, name in reversed(_added):
        delattr(module, name)
    _added.clear()
    for name in reversed(_added_modules):
        sys.modules.pop(name, None)
    _added_modules.clear()
