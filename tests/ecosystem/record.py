"""Records what the programs of libraries print with TensorFlow 1.15.5, and both times.

    python -m tests.ecosystem.record --oracle PYTHON --packages FOLDER [NAME...]

PYTHON is that of TensorFlow; FOLDER/NAME has the library and what it needs for this interpreter.
Then write the page: python tools/make_libraries.py
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

from tests.ecosystem.libraries import LIBRARIES
from tests.ecosystem.running import install, run, run_with_headwater


def main() -> int:
    """Runs both and writes the golden files; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--oracle", required=True, help="the interpreter that has TensorFlow")
    parser.add_argument("--packages", type=Path, required=True, help="libraries for it, by name")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    kept = os.environ.get("HEADWATER_LIBRARIES")
    for library in LIBRARIES:
        if args.names and library.name not in args.names:
            continue
        folder = Path(kept or tempfile.mkdtemp()) / library.name
        install(library, folder)
        result, there = run(library, [args.oracle, "-W", "ignore"], [args.packages / library.name])
        run_with_headwater(library, folder)  # fills the cache of compiled programs
        _, here = run_with_headwater(library, folder)
        record = {"result": result, "seconds": round(there, 1), "headwater_seconds": round(here, 1)}
        library.golden.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        sys.stdout.write(f"{library.name}: {there:.1f} s, with Headwater {here:.1f} s\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
