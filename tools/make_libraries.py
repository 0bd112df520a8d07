"""Writes docs/libraries.md from the libraries of tests/ecosystem and their records.

python tools/make_libraries.py [--check]
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "libraries.md"
sys.path.insert(0, str(ROOT))

from tests.ecosystem.libraries import LIBRARIES, OUT_OF_REACH  # noqa: E402

_HEAD = """# Libraries on top of Headwater

Libraries that were written for TensorFlow, unmodified, as the package registry has them.
`pytest -n 0 -m ecosystem` installs each into a temporary folder (`tests/ecosystem/requirements`)
and runs a program with `headwater run` (`tests/ecosystem/programs`). What it prints must equal what
TensorFlow 1.15.5 prints for it, up to the tolerance. Seconds are those of the whole program,
imports included, on a shared machine: TensorFlow's, and Headwater's in a second run.

| library | what is run | tolerance | TensorFlow 1.15.5 | Headwater |
| --- | --- | --- | --- | --- |
"""
_REACH = """
## Not run yet

| library | what stops it |
| --- | --- |
"""


def page() -> str:
    """The text of the page."""
    lines = []
    for library in LIBRARIES:
        record = json.loads(library.golden.read_text(encoding="utf-8"))
        name, _, version = library.name.rpartition("-")
        times = f"{record['seconds']} s | {record['headwater_seconds']} s"
        lines.append(f"| {name} {version} | {library.what} | {library.tolerance:g} | {times} |\n")
    reach = "".join(f"| {name} | {reason} |\n" for name, reason in OUT_OF_REACH)
    return _HEAD + "".join(lines) + _REACH + reach


def main() -> int:
    """Writes the page, or says that it is out of date; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, fail if out of date")
    text = page()
    if not parser.parse_args().check:
        PAGE.write_text(text, encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
        sys.stdout.write("docs/libraries.md is out of date: run python tools/make_libraries.py\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
