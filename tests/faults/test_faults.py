"""Short forms of `python -m tests.faults`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SAVERS = [
    f"{version}{sharded}{name}"
    for version in ("V1", "V2")
    for sharded in ("", ", sharded")
    for name in ("", ", one name")
]


def outcome(*arguments):
    """The lines of a command, which runs in a process of its own: it forks, or measures itself."""
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults", *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a forked process")
@pytest.mark.slow
def test_killed_writers_leave_whole_files():
    lines = outcome("kills", "--count", 2)
    assert len(lines) == len(SAVERS) + 2
    for line in lines:
        assert "2 kills" in line
        assert "0 lost, 0 temporary files after the next save" in line


def test_damaged_files_are_refused():
    lines = outcome("mutations", "--count", 40)
    assert len(lines) == 7
    for line in lines:
        assert "40 mutations" in line
        assert "0 kinds of faults" in line


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads /proc")
@pytest.mark.slow
def test_a_short_soak():
    lines = outcome("soak", "--hours", 3 / 3600, "--every", 1)
    assert len(lines) >= 3
    # The command fails if threads or files have grown.
    assert lines[-1].endswith("files") and "MiB per hour" in lines[-1]
