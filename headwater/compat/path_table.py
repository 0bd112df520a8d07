"""The tables of TensorFlow's internal modules: their attributes that are public or modules.

The tables are data of the package, made from the installed releases 1.15.5 and 1.0.0 by comparing
objects. They are read when a program first imports an internal module.
"""

from __future__ import annotations

import functools
import gzip
from pathlib import Path

TABLE = Path(__file__).with_name("internal_paths.tsv.gz")
IMPORTED = Path(__file__).with_name("imported_modules.tsv.gz")


@functools.cache
def public_names() -> dict[str, dict[str, tuple[str, ...]]]:
    """Returns {internal module: {attribute: its public names, best first, without "tf."}}."""
    table: dict[str, dict[str, tuple[str, ...]]] = {}
    attributes: dict[str, tuple[str, ...]] = {}
    with gzip.open(TABLE, "rt", encoding="utf-8") as lines:
        for line in lines:
            head, _, rest = line.rstrip("\n").partition("\t")
            if head:
                attributes = table[head] = {}
                continue
            attribute, names = rest.split("\t")
            attributes[attribute] = tuple(names.replace("=", attribute).split(","))
    return table


@functools.cache
def imported_modules() -> dict[str, dict[str, str]]:
    """Returns {internal module: {attribute: path of the other module that is its value}}."""
    with gzip.open(IMPORTED, "rt", encoding="utf-8") as file:
        head, _, rest = file.read().partition("\n\n")
    usual = dict(line.split("\t") for line in head.splitlines())
    table = {}
    for line in rest.splitlines():
        module, _, names = line.partition("\t")
        pairs = [name.partition("=") for name in names.split(" ")]
        table[module] = {name: path or usual[name] for name, _, path in pairs}
    return table


@functools.cache
def packages() -> frozenset[str]:
    """Returns the packages above the modules of the table."""
    return frozenset(parent for module in public_names() for parent in parents_of(module))


def parents_of(module: str) -> list[str]:
    """Returns the names of the packages that a dotted module name stands in."""
    parts = module.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts))]


@functools.cache
def mirrors_root(module: str) -> bool:
    """Tells whether most public names of an internal module stand directly in `tf`."""
    names = [options[0] for options in public_names().get(module, {}).values()]
    return 2 * sum("." not in name for name in names) > len(names)
