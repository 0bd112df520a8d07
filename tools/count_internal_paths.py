"""Counts which internal paths of TensorFlow that programs use do not resolve.

    python tools/count_internal_paths.py usage-internal.tsv

The file has lines of path, projects, files and occurrences, tab separated.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from pathlib import Path

import headwater


def resolves(path: str) -> bool:
    """Whether a path leads to a module, or to an attribute of one."""
    parts = path.split(".")
    for count in range(len(parts), 0, -1):
        try:
            value = importlib.import_module(".".join(parts[:count]))
        except ImportError:
            continue
        for name in parts[count:]:
            if not hasattr(value, name):
                return False
            value = getattr(value, name)
        return True
    return False


def main() -> int:
    """Prints the paths that do not resolve, with the number of projects that use them."""
    headwater.install()
    warnings.simplefilter("ignore")
    lines = Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    missing = [row for row in rows if not resolves(row[0])]
    for path, projects, *_ in missing:
        sys.stdout.write(f"{projects}\t{path}\n")
    sys.stdout.write(f"{len(rows) - len(missing)} of {len(rows)} paths resolve\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
