"""Modules that left Python's library, with the functions that old programs call.

The finder stands behind all others: a module that this Python has, or that a package brings back
(setuptools has distutils), is found first.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import re
import shutil
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from headwater.compat.missing_modules import MissingModules


def _reload(module: ModuleType) -> ModuleType:
    return importlib.reload(module)


def _load_source(name: str, pathname: str, file: Any = None) -> ModuleType:
    """The module of a source file, also in sys.modules."""
    spec = importlib.util.spec_from_file_location(name, pathname)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _strtobool(val: str) -> int:
    """1 or 0 for a word that means yes or no."""
    word = val.lower()
    if word in ("y", "yes", "t", "true", "on", "1"):
        return 1
    if word in ("n", "no", "f", "false", "off", "0"):
        return 0
    raise ValueError(f"invalid truth value {word!r}")


def _mkpath(name: str, mode: int = 0o777, verbose: int = 1, dry_run: int = 0) -> list[str]:
    """Makes a folder and those above it; returns the ones that are new."""
    path = Path(name)
    new = [str(p) for p in (*reversed(path.parents), path) if not p.exists()]
    if not dry_run:
        path.mkdir(mode, parents=True, exist_ok=True)
    return new


def _copy_tree(src: str, dst: str, *_: Any, **__: Any) -> list[str]:
    """Copies the files of a folder into another one; returns their new names."""
    shutil.copytree(src, dst, dirs_exist_ok=True)
    files = (path for path in Path(src).rglob("*") if path.is_file())
    return [str(Path(dst) / path.relative_to(src)) for path in files]


@functools.total_ordering
class _Version:
    """A version whose parts are compared one by one."""

    def __init__(self, vstring: str | None = None) -> None:
        if vstring:
            self.parse(vstring)

    def parse(self, vstring: str) -> None:
        """Takes the parts out of a text."""
        self.vstring = vstring
        parts = re.findall(r"\d+|[a-z]+|[^\d\sa-z.]+", vstring)
        self.version: Any = [int(part) if part.isdigit() else part for part in parts]

    def _of(self, other: Any) -> Any:
        return (type(self)(other) if isinstance(other, str) else other).version

    def __eq__(self, other: object) -> bool:
        return bool(self.version == self._of(other))

    def __lt__(self, other: Any) -> bool:
        return bool(self.version < self._of(other))

    def __hash__(self) -> int:
        return hash(str(self.version))

    def __str__(self) -> str:
        return self.vstring

    def __repr__(self) -> str:
        return f"{type(self).__name__} ('{self}')"


class LooseVersion(_Version):
    """Any version: numbers and words in the order in which they stand."""


class StrictVersion(_Version):
    """A version of two or three numbers with an optional `a` or `b` and a number."""

    _FORM = re.compile(r"(\d+)\.(\d+)(?:\.(\d+))?(?:([ab])(\d+))?", re.ASCII)

    def parse(self, vstring: str) -> None:
        """Takes the parts out of a text; a ValueError if it has another form."""
        match = self._FORM.fullmatch(vstring)
        if match is None:
            raise ValueError(f"invalid version number '{vstring}'")
        major, minor, patch, stage, number = match.groups()
        self.vstring = vstring
        # A release comes after what leads to it.
        pre = (stage, int(number)) if stage else ("z", 0)
        self.version = ((int(major), int(minor), int(patch or 0)), pre)


_MODULES: dict[str, dict[str, Any]] = {
    "imp": {
        "new_module": ModuleType,
        "reload": _reload,
        "load_source": _load_source,
        "acquire_lock": lambda: None,
        "release_lock": lambda: None,
    },
    "distutils": {},
    "distutils.dir_util": {"mkpath": _mkpath, "copy_tree": _copy_tree},
    "distutils.spawn": {"find_executable": shutil.which},
    "distutils.util": {"strtobool": _strtobool},
    "distutils.version": {"LooseVersion": LooseVersion, "StrictVersion": StrictVersion},
}


# What makes them, behind all finders of Python.
finder = MissingModules(
    {name: functools.partial(dict, contents) for name, contents in _MODULES.items()}
)
