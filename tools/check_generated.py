"""Checks that what tools write is current; each says how to renew what is not.

    python tools/check_generated.py

`docs/ops.md` is not among it: writing it runs all cases of the grid, which its own test does.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CHECKS = (
    ["tools/make_declarations.py", "--check"],
    ["tools/make_public_api.py", "--check"],
    ["tools/make_op_options.py", "--check"],
    ["tools/make_libraries.py", "--check"],
    ["-m", "benchmarks.report", "--check"],
)


def main() -> int:
    """Runs all checks; returns 1 if one fails."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": path}
    running = [
        subprocess.Popen([sys.executable, *check], cwd=ROOT, env=environment) for check in CHECKS
    ]
    statuses = [process.wait() for process in running]
    return 1 if any(statuses) else 0


if __name__ == "__main__":
    sys.exit(main())
