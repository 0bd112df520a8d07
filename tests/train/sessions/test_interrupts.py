"""Programs that are interrupted or killed: they end soon, and the next one goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import headwater as tf

QUEUES = """
import threading
import headwater as tf
queue = tf.FIFOQueue(2, tf.float32, shapes=[[]])
tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(1.0)] * 2))
never = tf.FIFOQueue(2, tf.float32, shapes=[[]]).dequeue()
value = queue.dequeue()
try:
    with OPEN as sess:
        sess.run(value)
        print("ready", flush=True)
        sess.run(never)
except KeyboardInterrupt:
    print("interrupted", len(threading.enumerate()), flush=True)
"""

# Marked slow: each starts processes that import Headwater anew.
pytestmark = pytest.mark.slow


def started(program: str) -> subprocess.Popen[str]:
    path = str(Path(tf.__file__).parent.parent)
    return subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )


@pytest.mark.parametrize(
    "opened", ["tf.train.MonitoredSession()", "tf.train.Supervisor().managed_session()"]
)
def test_an_interrupt_ends_all_threads(opened):
    with started(QUEUES.replace("OPEN", opened)) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=60)
    assert rest == "interrupted 1\n" and process.returncode == 0


TRAINING = """
import os, signal
import headwater as tf
step = tf.train.get_or_create_global_step()
train = step.assign_add(1)
with tf.train.MonitoredTrainingSession(
    checkpoint_dir=FOLDER, save_checkpoint_steps=3, hooks=[tf.train.StopAtStepHook(last_step=10)]
) as sess:
    while not sess.should_stop():
        done = int(sess.run(train))
        print(done, flush=True)
        if done == KILL:
            os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_program_goes_on_from_its_last_checkpoint(tmp_path):
    seen = []
    for kill in (5, 8, 100):
        program = TRAINING.replace("FOLDER", repr(str(tmp_path))).replace("KILL", str(kill))
        with started(program) as process:
            seen.append([int(line) for line in process.communicate(timeout=120)[0].split()])
    assert seen == [list(range(1, 6)), list(range(4, 9)), list(range(7, 11))]
    assert tf.train.latest_checkpoint(str(tmp_path)) == f"{tmp_path}/model.ckpt-10"
