"""Which module declares what, so that a module is imported when something of it is asked for.

A registry calls `declare` when something is added to it, and `load` when it misses something.
`declarations.tsv`, which tools/make_declarations.py writes, says what to import then. Its columns
are a module, when it is imported (`FIRST`, `ASKED`, or `DEMAND` for a package that is imported as
a whole), and the names that it declares.

In a source tree, modules that the table does not know, or that are newer than it, are imported
with the package, as all are if there is no table: so an op is found as soon as its file is there.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

# Kinds of declarations. In the table a name of another kind than EXPORT is "kind:name".
EXPORT, OP, GRADIENT, STATISTIC, COLLECTION, PROTOCOL, HOOK = (
    "",
    "op",
    "gradient",
    "statistic",
    "collection",
    "protocol",
    "hook",
)
FIRST, ASKED, DEMAND = "first", "asked", "demand"

_PACKAGE, _, _ = __name__.partition(".")
_ROOT = Path(__file__).parent.parent
TABLE = _ROOT / "declarations.tsv"
# A checkout writes the table and the modules within this time.
_SLACK_NS = 30_000_000_000

# {kind: {name: full name of the module}}
_declared: dict[str, dict[str, str]] = {}
# Called with the kind and the name of what is declared.
listeners: list[Callable[[str, str], None]] = []


def declare(kind: str, name: str) -> None:
    """Says that the module that is being imported declares a name."""
    for listener in listeners:
        listener(kind, name)


def load(kind: str, name: str) -> bool:
    """Imports the module that declares a name.

    Args:
        kind: one of the kinds of declarations.
        name: the name, of any form.

    Returns:
        Whether the table knows the name.
    """
    module = _declared.get(kind, {}).get(name)
    if module is None:
        return False
    importlib.import_module(module)
    return True


def load_all(kind: str, prefix: str = "") -> None:
    """Imports the modules that declare something of a kind, or those with a prefix in its name."""
    found = [m for name, m in _declared.get(kind, {}).items() if name.startswith(prefix)]
    for module in dict.fromkeys(found):
        importlib.import_module(module)


def names(kind: str) -> Collection[str]:
    """The names of a kind that the table knows."""
    return _declared.get(kind, {}).keys()


class Table:
    """What the table says about the modules of some layers.

    Args:
        layers: the names of the layers, in order.

    Attributes:
        first: the full names of the modules to import now, in order. Those of which the table says
            nothing, or not what is so, come last.
        waiting: {full name of a package: its public modules}, for those imported as a whole.
    """

    def __init__(self, layers: Collection[str]) -> None:
        self.first: list[str] = []
        self.waiting: dict[str, tuple[str, ...]] = {}
        text = TABLE.read_text("utf-8") if TABLE.is_file() else ""
        rows = {row[0]: row for row in (line.split("\t") for line in text.splitlines())}
        new: list[str] = []
        if not text or (_ROOT.parent / "pyproject.toml").is_file():
            new = _compare(layers, rows)
        for module, when, declared in rows.values():
            self._take(f"{_PACKAGE}.{module}", when, declared)
        self.first.extend(new)

    def _take(self, module: str, when: str, declared: str) -> None:
        if when == DEMAND:
            self.waiting[module] = tuple(name.removeprefix(".") for name in declared.split())
            return
        if when == FIRST:
            self.first.append(module)
        for name in declared.split():
            kind, colon, rest = name.partition(":")
            if colon:
                _declared.setdefault(kind, {})[rest] = module
            else:
                _declared.setdefault(EXPORT, {})[name] = module


def _compare(layers: Collection[str], rows: dict[str, list[str]]) -> list[str]:
    """Removes the rows that are no more so; returns the full names of the other modules."""
    limit = TABLE.stat().st_mtime_ns + _SLACK_NS if rows else 0
    whole = {module for module, (_, when, _) in rows.items() if when == DEMAND}
    gone = set(rows)
    new: list[str] = []
    for module, entry in _modules(layers, whole):
        gone.discard(module)
        if module not in rows or entry.stat().st_mtime_ns > limit:
            rows.pop(module, None)
            new.append(f"{_PACKAGE}.{module}")
    for module in gone:
        del rows[module]
    return new


def all_modules(layers: Collection[str]) -> list[str]:
    """The full names of all modules of some layers, packages before what they contain."""
    return [f"{_PACKAGE}.{module}" for module, _ in _modules(layers, set())]


def _modules(
    layers: Collection[str], whole: Collection[str]
) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """The modules of some layers, without those inside of packages that are imported as a whole."""
    for package in layers:
        folders = []
        for entry in sorted(os.scandir(_ROOT / package.replace(".", "/")), key=lambda e: e.name):
            name, dot, suffix = entry.name.partition(".")
            if suffix == "py" and name == "__init__":
                yield package, entry
            elif package in whole:
                continue
            elif suffix == "py":
                yield f"{package}.{name}", entry
            elif not dot and not name.startswith("_") and entry.is_dir():
                folders.append(f"{package}.{name}")
        yield from _modules(folders, whole)
