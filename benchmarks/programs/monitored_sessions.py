"""What a monitored session adds to a step of a plain session: `run` of a small training step."""

import shutil
import tempfile

import numpy as np
import timing
import tensorflow as tf

BLOCK, BLOCKS = 100, 30

x = tf.placeholder(tf.float32, [None, 8])
weights = tf.Variable(tf.ones([8, 4]))
bias = tf.Variable(tf.zeros([4]))
loss = tf.reduce_mean(tf.square(tf.matmul(x, weights) + bias))
step = tf.train.get_or_create_global_step()
train = tf.train.GradientDescentOptimizer(0.01).minimize(loss, global_step=step)
initialize = tf.global_variables_initializer()
feed = {x: np.ones([16, 8], np.float32)}


def user_hooks():
    return [
        tf.train.StopAtStepHook(last_step=10**9),
        tf.train.NanTensorHook(loss),
        tf.train.LoggingTensorHook([loss], every_n_iter=1000),
    ]


def overhead(name, monitored, plain):
    """Reports the time of a step in `monitored` less that in `plain`, in turns of blocks."""
    steps = [lambda: monitored.run(train, feed), lambda: plain.run(train, feed)]
    for call in steps:
        timing.timed(call, 2 * BLOCK)  # warm-up
    walls, cpus = [], []
    for _ in range(BLOCKS):
        (wall, cpu), (plain_wall, plain_cpu) = [timing.timed(call, BLOCK) for call in steps]
        walls.append(wall - plain_wall)
        cpus.append(cpu - plain_cpu)
    figures = {"step": timing.median(walls), "cpu": timing.median(cpus)}
    timing.report(
        name, fastest=min(walls), first=0.0, first_three=0.0, steps=BLOCK * BLOCKS, check=None,
        **figures,
    )  # fmt: skip


def measured(name, **arguments):
    with tf.train.MonitoredTrainingSession(**arguments) as monitored, tf.Session() as plain:
        plain.run(initialize)
        overhead(name, monitored, plain)


folder = tempfile.mkdtemp()
try:
    measured("without hooks")
    measured("three hooks", hooks=user_hooks())
    measured("services", checkpoint_dir=folder)
    measured("services, three hooks", checkpoint_dir=folder, hooks=user_hooks())
finally:
    shutil.rmtree(folder, ignore_errors=True)
