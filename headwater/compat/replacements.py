"""Replacements of attributes of internal modules, as tests and programs make them.

The original calls functions through the modules that define them, so that
`checkpoint_management.latest_checkpoint = other` changes what an Estimator calls. Here, an internal
module only shows functions whose modules have other names and are imported by name. So a
replacement is put in the place of the function in all modules of the package, and taken back when
the attribute is set or deleted again.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from headwater.base.namespace import is_public_module

_PACKAGE = __name__.partition(".")[0]


class Replacements:
    """The replacements that one internal module has at present."""

    def __init__(self) -> None:
        self._made: dict[str, _Replacement] = {}

    def replace(self, name: str, original: Any, new: Any) -> None:
        """Puts an object in the place of what an attribute had.

        Args:
            name: the name of the attribute.
            original: its value before.
            new: its value from now on.
        """
        made = self._made.pop(name, None)
        if made is not None:
            made.undo()
            original = made.original
        if new is not original and _is_ours(original):
            self._made[name] = _Replacement(original, new)

    def restore(self, name: str) -> None:
        """Takes the replacement of an attribute back, if there is one."""
        made = self._made.pop(name, None)
        if made is not None:
            made.undo()


class _Replacement:
    """One object in the place of another one, in all modules of the package."""

    def __init__(self, original: Any, new: Any) -> None:
        self.original = original
        self._new = new
        self._places = [
            (names, name)
            for names in _globals_of_modules()
            for name, value in list(names.items())
            if value is original
        ]
        self._modules = {id(names) for names in _globals_of_modules()}
        for names, name in self._places:
            names[name] = new

    def undo(self) -> None:
        """Puts the original back, also where modules have imported the new one since."""
        for names, name in self._places:
            if names.get(name) is self._new:
                names[name] = self.original
        for names in _globals_of_modules():
            if id(names) not in self._modules:
                for name, value in list(names.items()):
                    if value is self._new:
                        names[name] = self.original


def _is_ours(value: Any) -> bool:
    """Whether a value is a function or class of this package."""
    module = getattr(value, "__module__", None)
    return callable(value) and str(module).partition(".")[0] == _PACKAGE


def _globals_of_modules() -> Iterator[dict[str, Any]]:
    """Yields the global names of each module that is loaded, but not the public names."""
    for name, module in list(sys.modules.items()):
        if name.startswith(f"{_PACKAGE}.") and isinstance(module, ModuleType):
            names = ModuleType.__getattribute__(module, "__dict__")
            if not is_public_module(names):
                yield names
