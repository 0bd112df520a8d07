"""Writes the list of the public API and the table of its coverage, or checks that they are current.

    python tools/make_public_api.py [--check]

`tests/golden/public_api.tsv` has a line for each public name: name, kind, and the signature, or
"= NAME" for another name of a class. A change of it is a change that users see.
`docs/api_coverage.md` counts what TensorFlow 1.15.5 has and Headwater lacks, from the names in
`tests/golden/api-1.15.5.tsv.gz`.
"""

from __future__ import annotations

import argparse
import difflib
import enum
import functools
import gzip
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import headwater as tf
from headwater.base import namespace
from headwater.base.export import EXPORTS, LazyExport

ROOT = Path(__file__).resolve().parent.parent
API = ROOT / "tests" / "golden" / "public_api.tsv"
COVERAGE = ROOT / "docs" / "api_coverage.md"
RELEASE = ROOT / "tests" / "golden" / "api-1.15.5.tsv.gz"

# Modules that show the names of others.
NAMESPACES = ("compat.v1", "compat.v2")
MISSING = object()


def main() -> int:
    """Writes the files, or says which are out of date; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, fail if out of date")
    check = parser.parse_args().check
    namespace.import_everything()
    pages = {API: api_list(), COVERAGE: coverage_page()}
    status = 0
    for path, text in pages.items():
        if not check:
            path.write_text(text, encoding="utf-8")
            continue
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        if before != text:
            name = str(path.relative_to(ROOT))
            lines = difflib.unified_diff(before.splitlines(), text.splitlines(), name, name, n=0)
            sys.stdout.write("\n".join(lines) + "\n")
            sys.stdout.write(f"{name} is out of date: run python tools/make_public_api.py\n")
            status = 1
    return status


def api_list() -> str:
    """The text of the list."""
    names: dict[int, str] = {}
    # The members of a class stand under the shortest of its names.
    for name in sorted(EXPORTS, key=lambda n: (len(n), n)):
        names.setdefault(id(EXPORTS[name]), name)
    found_rows: set[tuple[str, str, str]] = set()
    for name, value in EXPORTS.items():
        main_name = names[id(value)]
        if isinstance(value, type) and main_name != name:
            found_rows.add((name, "class", f"= {main_name}"))
        else:
            found_rows.update(rows_of(name, value))
    rows = sorted(found_rows)
    return "".join("\t".join(row).rstrip("\t") + "\n" for row in rows)


def rows_of(name: str, value: Any) -> Iterator[tuple[str, str, str]]:
    """Rows (name, kind, signature) of a public object and of its members."""
    if isinstance(value, LazyExport):
        value = value.resolve()
    if isinstance(value, ModuleType):
        yield name, "module", ""
        ours = value.__name__.startswith("headwater") and name not in NAMESPACES
        for member, inner in defined_in(value) if ours else []:
            yield from rows_of(f"{name}.{member}", inner)
    elif hasattr(value, "DESCRIPTOR"):
        yield name, "message", ""
    elif isinstance(value, type):
        yield name, "class", signature(value)
        for member, inner in members(value).items():
            yield member_row(f"{name}.{member}", inner)
    elif callable(value):
        yield name, "function", signature(value)
    else:
        yield name, "value", shown(value)


def defined_in(module: ModuleType) -> list[tuple[str, Any]]:
    """The public names of a module, without what it imports."""
    names = getattr(module, "__all__", None)
    if names is None:
        names = [n for n in dir(module) if not n.startswith("_")]
    found = [(n, getattr(module, n)) for n in names]
    return [
        (n, v)
        for n, v in found
        if not isinstance(v, ModuleType)
        and n != "annotations"
        and not str(getattr(v, "__module__", "")).startswith(("typing", "collections", "_", "abc"))
    ]


def members(kind: type) -> dict[str, Any]:
    """The public members of a class that it or a base class of ours defines."""
    found: dict[str, Any] = {}
    for base in kind.__mro__:
        if base.__module__.startswith("headwater"):
            for name, value in vars(base).items():
                if not name.startswith("_"):
                    found.setdefault(name, value)
    return found


def member_row(name: str, value: Any) -> tuple[str, str, str]:
    """The row of a member of a class."""
    if isinstance(value, (staticmethod, classmethod)):
        return name, type(value).__name__, signature(value.__func__)
    if isinstance(value, (property, functools.cached_property)):
        return name, "property", ""
    if inspect.isroutine(value):
        return name, "method", signature(value)
    if isinstance(value, type):
        return name, "class", signature(value)
    # Slots, fields of tuples and what a class computes for itself differ with Python.
    return name, "attribute", shown(value) if isinstance(value, (int, float, str)) else ""


def signature(function: Any) -> str:
    """The parameters with their defaults, as in "(x, axis=None, *, name=None)"."""
    if not str(getattr(function, "__module__", "")).startswith("headwater"):
        return ""
    if isinstance(function, type) and issubclass(function, enum.Enum):
        return ""
    try:
        found = inspect.signature(function)
    except (TypeError, ValueError):
        return ""
    parameters = [p.replace(annotation=p.empty) for p in found.parameters.values()]
    named = [
        p if p.default is p.empty else p.replace(default=_Text(shown(p.default)))
        for p in parameters
    ]
    return str(inspect.Signature(named))


class _Text:
    """A default whose repr is given."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def shown(value: Any) -> str:
    """A value as text that is the same in every process and under every version of NumPy."""
    if isinstance(value, np.generic):
        return repr(value.item())
    if isinstance(value, enum.Enum):
        return str(value)
    if isinstance(value, type) or inspect.isroutine(value):
        return f"<{value.__name__}>"
    if isinstance(value, (tuple, list)):
        inner = ", ".join(map(shown, value)) + ("," if len(value) == 1 else "")
        return f"({inner})" if isinstance(value, tuple) else f"[{inner.rstrip(',')}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{shown(k)}: {shown(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (set, frozenset)):
        return "{" + ", ".join(sorted(map(shown, value))) + "}"
    if isinstance(value, (bool, int, float, complex, str, bytes, slice, tf.DType, type(None))):
        return repr(value)
    return f"<{type(value).__name__}>"


def coverage_page() -> str:
    """The text of the table: for each module of TensorFlow, what exists and what is missing."""
    lines = gzip.decompress(RELEASE.read_bytes()).decode().splitlines()
    kinds = dict(line.split("\t") for line in lines)
    counts: dict[str, list[int]] = {}
    for name, kind in kinds.items():
        if kind == "module":
            continue
        owner = name.rpartition(".")[0]
        member = kinds.get(owner, "module") != "module"
        module = owner.rpartition(".")[0] if member else owner
        row = counts.setdefault(module, [0, 0, 0, 0])
        row[2 * member] += 1
        row[2 * member + 1] += found(name) is not MISSING
    total = [sum(column) for column in zip(*counts.values())]
    rows = [_row(f"`{name}`", row) for name, row in sorted(counts.items())]
    return _HEAD.format(total=_row("all", total)) + "\n".join(rows) + "\n"


def _row(name: str, row: list[int]) -> str:
    names, held, members, members_held = row
    return (
        f"| {name} | {names} | {held} | {names - held or ''} "
        f"| {members or ''} | {members_held if members else ''} | {members - members_held or ''} |"
    )


@functools.cache
def found(name: str) -> Any:
    """The object under a public name of TensorFlow, or MISSING."""
    owner, _, last = name.rpartition(".")
    if not owner:
        return tf if name == "tf" else MISSING
    above = found(owner)
    return MISSING if above is MISSING else getattr(above, last, MISSING)


_HEAD = """\
# The public API against TensorFlow 1.15.5

This page is generated: `python tools/make_public_api.py`; a test checks that it is current.

For each public module of TensorFlow: its functions, classes and values, how many of them Headwater
has, and how many it lacks; then the same for the members of the classes (methods, properties,
constants). A name counts as there if it can be reached; what it does is the subject of the tests
and of [the page of the ops](ops.md). Attributes that only instances have do not count as there. The
signatures of everything that is there stand in `tests/golden/public_api.tsv`.

| module | names | there | missing | members | there | missing |
|---|---:|---:|---:|---:|---:|---:|
{total}
"""


if __name__ == "__main__":
    sys.exit(main())
