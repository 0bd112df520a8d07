"""The public API is the one that is written down, and the page of its coverage is current."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import headwater as tf

ROOT = Path(__file__).resolve().parent.parent
TOOL = ROOT / "tools" / "make_public_api.py"
LIST = ROOT / "tests" / "golden" / "public_api.tsv"


def test_names_and_signatures_are_those_of_the_golden_list():
    # In a process of its own: other tests leave names behind.
    result = subprocess.run(
        [sys.executable, TOOL, "--check"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(tf.__file__).parent.parent)},
        check=False,
    )
    assert result.returncode == 0, result.stdout[-5000:] + result.stderr


def test_the_golden_list_has_what_users_call():
    rows = dict(line.split("\t", 1) for line in LIST.read_text(encoding="utf-8").splitlines())
    assert rows["matmul"].startswith("function\t(a, b, transpose_a=False, transpose_b=False")
    assert rows["Session"] == "class\t(target='', graph=None, config=None)"
    assert (
        rows["Session.run"]
        == "method\t(self, fetches, feed_dict=None, options=None, run_metadata=None)"
    )
    assert rows["nn.rnn_cell.BasicLSTMCell"].startswith("class")
