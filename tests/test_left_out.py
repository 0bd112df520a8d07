"""What `pytest` leaves out, what it says about it, and what runs everything."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

SUITE = """
import pytest
def test_quick(): pass
@pytest.mark.slow
def test_slow(): pass
@pytest.mark.slow
@pytest.mark.parametrize("i", [1, 2])
def test_more(i): pass
"""


@pytest.fixture
def run(tmp_path):
    """A function that runs pytest with our conftest.py on a small suite; returns its last lines."""
    here = Path(__file__).parent
    (tmp_path / "conftest.py").write_text((here / "conftest.py").read_text(encoding="utf-8"))
    (tmp_path / "test_some.py").write_text(SUITE)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n  slow: slow\n  oracle: oracle\n")

    def run_pytest(*arguments):
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run_pytest


@pytest.mark.slow
def test_slow_tests_are_left_out_and_counted_by_the_workers(run):
    printed = run("-n", "1")
    assert "1 passed" in printed
    assert "\n3 tests left out; pytest --all runs everything\n" in printed


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ({}, False),
        ({"args": ["tests/ops"]}, False),
        ({"args": ["tests/ops/test_sweep.py::test_x"]}, True),
        ({"all": True}, True),
        ({"markexpr": "slow"}, True),
    ],
)
def test_slow_tests_run_when_they_are_asked_for(asked, answer, request):
    (conftest,) = [
        plugin
        for plugin in request.config.pluginmanager.get_plugins()
        if hasattr(plugin, "runs_slow_tests")
    ]
    option = SimpleNamespace(all=asked.get("all", False), markexpr=asked.get("markexpr", ""))
    config = SimpleNamespace(option=option, args=asked.get("args", []))
    assert conftest.runs_slow_tests(config) is answer
