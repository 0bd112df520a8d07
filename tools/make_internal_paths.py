r"""Writes the table of TensorFlow's internal module paths that the import hook reads.

    python tools/make_internal_paths.py internal-paths-1.15.5.tsv internal-paths-1.0.0.tsv \
        estimator-paths-1.15.5.tsv

Each input has lines of module path, attribute and public names (comma separated, with "tf."), as
found by comparing the objects of an installed TensorFlow by identity. The first file goes first
where both know an attribute. The third file is the same for the package tensorflow_estimator, as
`tensorflow.python.estimator`.
"""

from __future__ import annotations

import argparse
import gzip
import sys
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "headwater" / "compat" / "internal_paths.tsv.gz"

# Names under which some module happens to show an object of another one.
SHOWN_THROUGH = ("contrib.session_bundle.", "contrib.tfprof.", "contrib.tensorboard.")


def read_names(path: Path) -> dict[str, dict[str, list[str]]]:
    """Returns {module: {attribute: public names without "tf."}}."""
    table: dict[str, dict[str, list[str]]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        module, attribute, names = line.split("\t")
        table.setdefault(module, {})[attribute] = [
            name.removeprefix("tf.") for name in names.split(",")
        ]
    return table


def merged_names(name_lists: list[list[str]]) -> list[str]:
    """Joins the names of all releases: those that every release agrees on or v1 names first."""
    names = dict.fromkeys(name for names in name_lists for name in names)
    for name in list(names):
        if name.startswith("compat.v2."):
            del names[name]
            names[name.removeprefix("compat.v2.")] = None
    owned = [name for name in names if not name.startswith(SHOWN_THROUGH)]
    return owned or list(names)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", type=Path, nargs="+")
    tables = [read_names(path) for path in parser.parse_args().tables]
    lines = []
    for module in sorted({module for table in tables for module in table}):
        lines.append(module)
        parts = [table.get(module, {}) for table in tables]
        for attribute in sorted({name for part in parts for name in part}):
            names = merged_names([part[attribute] for part in parts if attribute in part])
            # "=" stands for the attribute's own name, which is most often the last part.
            short = [
                name[: -len(attribute)] + "=" if name.split(".")[-1] == attribute else name
                for name in names
            ]
            lines.append(f"\t{attribute}\t{','.join(short)}")
    packed = gzip.compress("\n".join(lines).encode(), compresslevel=9, mtime=0)
    TARGET.write_bytes(packed)
    sys.stdout.write(f"{TARGET.name}: {len(packed):,} bytes, {len(lines):,} lines\n")


if __name__ == "__main__":
    main()
