"""Progress is shown on a terminal, for long work, once at a time."""

from __future__ import annotations

import io
import subprocess
import sys

import numpy as np
import pytest

import headwater as tf
from headwater.base import progress
from headwater.base.progress import bytes_progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def a_terminal(monkeypatch):
    # Not in a fixture: pytest sets stderr anew when the test begins.
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", Terminal())
    return sys.stderr


def work(total, least=0):
    with bytes_progress("Working", total, least=least) as advance:
        for _ in range(4):
            advance(25)


def test_a_terminal_shows_it(monkeypatch):
    terminal = a_terminal(monkeypatch)
    work(100)
    assert "Working" in terminal.getvalue() and "100/100 bytes" in terminal.getvalue()


@pytest.mark.parametrize("total", [100, None])
def test_other_files_show_nothing(monkeypatch, total):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    work(total)
    assert sys.stderr.getvalue() == ""


def test_short_work_shows_nothing(monkeypatch):
    terminal = a_terminal(monkeypatch)
    work(100, least=101)
    assert terminal.getvalue() == ""


def test_one_is_shown_at_a_time(monkeypatch):
    terminal = a_terminal(monkeypatch)
    with bytes_progress("Outer", 10):
        work(100)
    assert "Outer" in terminal.getvalue() and "Working" not in terminal.getvalue()
    work(100)
    assert "Working" in terminal.getvalue()


@pytest.mark.parametrize("version", [tf.train.SaverDef.V1, tf.train.SaverDef.V2])
def test_large_checkpoints_show_it(monkeypatch, tmp_path, version):
    terminal = a_terminal(monkeypatch)
    v = tf.Variable(np.zeros(1000, np.float32))
    saver = tf.train.Saver([v], write_version=version)
    with tf.Session() as session:
        session.run(v.initializer)
        saver.restore(session, saver.save(session, str(tmp_path / "m")))
        assert terminal.getvalue() == ""
        for module in ("headwater.ops.checkpoint.save", "headwater.io.checkpoint_v1"):
            monkeypatch.setattr(f"{module}.LARGE_BYTES", 4000)
        path = saver.save(session, str(tmp_path / "m"))
        saver.restore(session, path)
    assert "Saving" in terminal.getvalue() and "Restoring" in terminal.getvalue()


def test_rich_is_not_loaded_without_a_terminal():
    text = (
        "import sys\nfrom headwater.base.progress import bytes_progress\n"
        "with bytes_progress('x', 1): pass\nprint('rich' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("False\n", "")
    assert progress.LARGE_BYTES == 1 << 30
