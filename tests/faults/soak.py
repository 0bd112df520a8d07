"""A long run with threads, queues, datasets, summaries and saves: memory and threads stay flat."""

from __future__ import annotations

import gc
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import headwater as tf

# What is measured before this many seconds, or this part of the run, is warming up.
_WARM_UP_SECONDS, _WARM_UP_PART = 60.0, 0.25


@dataclass
class Reading:
    """What a process uses at one time.

    Attributes:
        seconds: since the start.
        mebibytes: the resident memory.
        threads: the number of threads.
        files: the number of open files.
        steps: how many training steps have run.
    """

    seconds: float
    mebibytes: float
    threads: int
    files: int
    steps: int


def reading(start: float, steps: int) -> Reading:
    """Measures this process."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    threads = len(list(Path("/proc/self/task").iterdir()))
    files = len(list(Path("/proc/self/fd").iterdir()))
    seconds = time.monotonic() - start
    return Reading(seconds, pages * 4096 / 2**20, threads, files, steps)


def _model() -> tuple[tf.Tensor, tf.Operation]:
    """Loss and training op of a model with queues in threads, a dataset and summaries."""
    numbers = tf.random_uniform([8, 16], seed=1)
    queue = tf.RandomShuffleQueue(64, 16, tf.float32, shapes=[[16]], seed=2)
    runner = tf.train.QueueRunner(queue, [queue.enqueue_many(numbers)] * 2)
    tf.train.add_queue_runner(runner)
    dataset = tf.data.Dataset.range(10**9).map(lambda x: tf.cast(x % 7, tf.float32), 2)
    element = dataset.shuffle(32, seed=3).batch(8).prefetch(2).make_one_shot_iterator()
    rows, labels = queue.dequeue_many(8), element.get_next()
    step = tf.train.get_or_create_global_step()
    hidden = tf.layers.dense(rows, 32, tf.nn.relu)
    loss = tf.reduce_mean(tf.square(tf.layers.dense(hidden, 1)[:, 0] - labels))
    train = tf.train.AdamOptimizer(1e-3).minimize(loss, step)
    scaled = tf.py_func(lambda value: value * np.float32(2), [loss], tf.float32)
    scaled.set_shape([])
    tf.summary.scalar("loss", scaled)
    tf.summary.histogram("hidden", hidden)
    return loss, train


def _train(folder: str, seconds: float) -> int:
    """A short training in a monitored session with all services; returns steps."""
    steps = 0
    with tf.Graph().as_default():
        loss, train = _model()
        hooks = [
            tf.train.NanTensorHook(loss),
            tf.train.LoggingTensorHook({"loss": loss}, every_n_iter=1000),
            tf.train.ProfilerHook(save_secs=5, output_dir=folder),
        ]
        with tf.train.MonitoredTrainingSession(
            checkpoint_dir=folder,
            save_checkpoint_steps=200,
            save_summaries_steps=20,
            hooks=hooks,
        ) as session:
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                session.run(train)
                steps += 1
    return steps


def _supervise(folder: str, seconds: float) -> int:
    """A short training whose Supervisor saves and writes summaries in threads; returns steps."""
    steps = 0
    with tf.Graph().as_default():
        _, train = _model()
        supervisor = tf.train.Supervisor(logdir=folder, save_summaries_secs=1, save_model_secs=2)
        with supervisor.managed_session() as session:
            end = time.monotonic() + seconds
            while not supervisor.should_stop() and time.monotonic() < end:
                session.run(train)
                steps += 1
    return steps


def soak(
    hours: float, every: float = 30.0, note: Callable[[Reading], None] | None = None
) -> list[Reading]:
    """Trains again and again in the same folder.

    Args:
        hours: how long.
        every: the seconds of two trainings, after which the process is measured.
        note: called with each reading.

    Returns:
        The readings, one after each two trainings.
    """
    start, steps, readings = time.monotonic(), 0, []
    while time.monotonic() - start < hours * 3600 or len(readings) < 2:
        with tempfile.TemporaryDirectory() as folder:
            for train in (_train, _supervise):  # the second one restores
                steps += train(folder, every / 2)
            # Its writers live as long as the process, one for each folder.
            tf.summary.FileWriterCache.clear()
        readings.append(reading(start, steps))
        if note is not None:
            note(readings[-1])
    return readings


def growth(readings: list[Reading]) -> tuple[float, int, int]:
    """How memory (MiB per hour), threads and files grow after the warm-up."""
    begin = max(
        min(_WARM_UP_SECONDS, readings[-1].seconds / 2), readings[-1].seconds * _WARM_UP_PART
    )
    settled = [r for r in readings if r.seconds >= begin]
    first, last = settled[0], settled[-1]
    slope = 0.0
    if len(settled) > 1:
        hours = [r.seconds / 3600 for r in settled]
        slope = float(np.polyfit(hours, [r.mebibytes for r in settled], 1)[0])
    return slope, last.threads - first.threads, last.files - first.files


def alive() -> list[str]:
    """The names of the threads of Python that run."""
    return sorted(thread.name for thread in threading.enumerate())
