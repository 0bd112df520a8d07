"""Ctrl-C at any moment of the first runs, in which JAX is imported and programs are compiled."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading

import pytest

from headwater.base import cancellation

_TRAINING = """
import sys, threading, os, signal, time
import numpy as np
import headwater as tf
x = tf.placeholder(tf.float32, [None, 20])
h = x
for _ in range(4):
    h = tf.layers.dense(h, 40, tf.nn.tanh)
loss = tf.reduce_mean(tf.square(h))
step = tf.train.AdamOptimizer().minimize(loss)
session = tf.Session()
session.run(tf.global_variables_initializer())
data = np.ones([30, 20], np.float32)
def interrupt():
    time.sleep(float(sys.argv[1]))
    os.kill(os.getpid(), signal.SIGINT)
try:
    threading.Thread(target=interrupt).start()
    while True:
        session.run([step, loss], {x: data})
except KeyboardInterrupt:
    for value in session.run(tf.global_variables()):
        assert np.isfinite(value).all()
    for _ in range(3):
        session.run(step, {x: data})
    print("goes on")
    raise
"""


@pytest.mark.skipif(sys.platform == "win32", reason="has no SIGINT for one process")
@pytest.mark.parametrize(
    "seconds",
    [0.3, 1.2, *(pytest.param(s, marks=pytest.mark.slow) for s in (0.0, 0.7, 2.0, 3.5))],
)
def test_ctrl_c_is_a_keyboard_interrupt_after_which_the_session_goes_on(seconds, monkeypatch):
    monkeypatch.setenv("HEADWATER_CACHE_DIR", "")
    done = subprocess.run(
        [sys.executable, "-c", _TRAINING, str(seconds)],
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == -signal.SIGINT, done.stderr
    assert done.stdout == "goes on\n", done.stderr
    assert done.stderr.rstrip().endswith("KeyboardInterrupt")


def test_what_takes_long_lets_an_interrupt_through_between_two_pieces():
    done = []
    with pytest.raises(KeyboardInterrupt), cancellation.uninterrupted():
        done.append("first")
        signal.raise_signal(signal.SIGINT)
        done.append("second")
        cancellation.let_interrupt()
        done.append("third")
    assert done == ["first", "second"]
    cancellation.let_interrupt()


def test_an_outer_block_goes_on_putting_an_interrupt_off():
    done = []
    with pytest.raises(KeyboardInterrupt), cancellation.uninterrupted():
        with cancellation.uninterrupted():
            signal.raise_signal(signal.SIGINT)
            cancellation.let_interrupt()
            done.append("inner")
        # Other threads do not raise it either.
        other = threading.Thread(target=cancellation.let_interrupt)
        other.start()
        other.join()
        done.append("outer")
    assert done == ["inner", "outer"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
