from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import headwater as tf
from headwater.base.lazy import jax
from headwater.engine.compiling import compiler
from headwater.profiling import program_profile
from headwater.profiling.program_profile import PHASES, ProgramProfile

ROOT = Path(tf.__file__).parent


@pytest.fixture
def phase_here():
    """A function that says in which phase its caller is."""
    profile = ProgramProfile()
    return lambda: profile._phase(inspect.currentframe())


@pytest.mark.parametrize(("file", "function"), PHASES)
def test_functions_of_phases_exist(file, function):
    assert f"def {function}(" in (ROOT / file).read_text()


def test_program_and_graph_building(phase_here):
    phases = [phase_here()]

    class Value:
        def __array__(self, *args, **kwargs):
            phases.append(phase_here())
            return np.zeros(2)

    tf.constant(Value())
    assert phases[0] == "the program's own"
    assert set(phases[1:]) == {"graph building"}


def test_interpreting(session, phase_here):
    phases = []
    op = tf.py_func(lambda: phases.append(phase_here()), [], [])
    session.run(op)
    assert phases == ["interpreting"]


def test_compiling(monkeypatch, phase_here):
    phases = []
    monkeypatch.setattr(compiler, "let_interrupt", lambda: phases.append(phase_here()))
    compiler.compile_program(jax.jit(lambda x: x + 1).lower(1.0))
    assert phases == ["XLA"]


def test_waiting_threads_are_idle():
    profile, event = ProgramProfile(), threading.Event()
    thread = threading.Thread(target=event.wait)
    thread.start()
    try:
        while (frame := sys._current_frames().get(thread.ident)) is None or (
            Path(frame.f_code.co_filename).name != "threading.py"
        ):
            pass
        assert profile._phase(frame) == "idle"
    finally:
        event.set()
        thread.join()


PROGRAM = """
import numpy as np
import tensorflow as tf
x = tf.placeholder(tf.float32, [None, 4])
y = tf.reduce_sum(tf.square(x))
with tf.Session() as session:
    for _ in range(20):  # long enough to be seen
        total = session.run(y, {x: np.ones([1_000_000, 4])})
print(total)
"""


@pytest.mark.parametrize("by_environment", [False, True])
def test_profile_of_a_program(tmp_path, by_environment):
    (tmp_path / "program.py").write_text(PROGRAM)
    words = ["run", "program.py"] if by_environment else ["run", "--profile", "program.py"]
    name = "trace.json" if by_environment else program_profile.DEFAULT_FILE
    done = subprocess.run(
        [sys.executable, "-m", "headwater", *words],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT.parent),
            **({"HEADWATER_PROFILE": name} if by_environment else {}),
        },
        check=True,
    )
    assert done.stdout == "4000000.0\n"
    lines = done.stderr.strip().splitlines()
    assert [line.split("  ")[0].strip() for line in lines[-11:-2]] == list(program_profile.ORDER)
    assert str(tmp_path / name) in lines[-1]
    trace = json.loads((tmp_path / name).read_text())
    times = trace["otherData"]["cpu_seconds"]
    assert times["import"] > 0
    assert set(times) <= set(program_profile.ORDER)
    spans = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    assert spans
    assert all(span["dur"] >= 0 for span in spans)
