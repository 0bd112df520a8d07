"""Writes the table of the modules that TensorFlow's internal modules import.

    python tools/make_imported_modules.py imported-modules-1.15.5.tsv imported-modules-1.0.0.tsv

Each input has lines of module path, attribute and path of the module that is its value, as found
in `sys.modules` of an installed TensorFlow. The first file goes first where both know an attribute.
"""

from __future__ import annotations

import argparse
import gzip
import sys
from collections import Counter
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "headwater" / "compat" / "imported_modules.tsv.gz"


def main() -> None:
    """Merges the tables and writes the packed one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", type=Path, nargs="+")
    table: dict[str, dict[str, str]] = {}
    for path in parser.parse_args().tables:
        for line in path.read_text(encoding="utf-8").splitlines():
            module, attribute, value = line.split("\t")
            table.setdefault(module, {}).setdefault(attribute, value)
    counts = Counter((name, value) for names in table.values() for name, value in names.items())
    usual: dict[str, str] = {}
    for (name, value), _ in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        usual.setdefault(name, value)
    lines = [f"{name}\t{value}" for name, value in sorted(usual.items())]
    lines.append("")
    for module, names in sorted(table.items()):
        # An attribute alone stands for the module that most others show by this name.
        short = [
            name if value == usual[name] else f"{name}={value}"
            for name, value in sorted(names.items())
        ]
        lines.append(f"{module}\t{' '.join(short)}")
    packed = gzip.compress("\n".join(lines).encode(), compresslevel=9, mtime=0)
    TARGET.write_bytes(packed)
    sys.stdout.write(f"{TARGET.name}: {len(packed):,} bytes, {len(lines):,} lines\n")


if __name__ == "__main__":
    main()
