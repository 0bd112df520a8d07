"""A training step with five scalar summaries and a histogram of 1e6 values, written to disk."""

import itertools
import shutil
import tempfile

import numpy as np
import tensorflow as tf
from timing import measure

random = np.random.RandomState(0)
rows = random.rand(10, 100, 1000).astype(np.float32)
feeds = itertools.cycle(rows)

x = tf.placeholder(tf.float32, [None, 1000])
weights = tf.Variable(random.randn(1000, 1000).astype(np.float32) / 30)
hidden = tf.tanh(tf.matmul(x, weights))
loss = tf.reduce_mean(tf.square(hidden - 0.1))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
scalars = [
    tf.summary.scalar("loss", loss),
    tf.summary.scalar("largest", tf.reduce_max(hidden)),
    tf.summary.scalar("smallest", tf.reduce_min(hidden)),
    tf.summary.scalar("mean", tf.reduce_mean(weights)),
    tf.summary.scalar("norm", tf.norm(weights)),
]
histogram = tf.summary.histogram("weights", weights)
few, merged = tf.summary.merge(scalars), tf.summary.merge(scalars + [histogram])

folder = tempfile.mkdtemp()
writer = tf.summary.FileWriter(folder)
contrib = tf.contrib.summary
resource_writer = contrib.create_file_writer(folder)
with resource_writer.as_default(), contrib.always_record_summaries():
    written = [contrib.scalar("again", loss, step=1), contrib.histogram("more", weights, step=1)]
steps = itertools.count()


def step(session, summary):
    """A step that hands its summary to the writer, as a training loop does."""

    def run():
        text, _ = session.run([summary, train], {x: next(feeds)})
        writer.add_summary(text, next(steps))

    return run


def total(session):
    """The sum of a histogram, which does not depend on how many steps have run."""
    content = tf.Summary.FromString(session.run(sums))
    return content.value[0].histo.sum


sums = tf.summary.histogram("fixed", tf.constant(random.randn(1000000).astype(np.float32)))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(resource_writer.init())
    measure(step(session, few), "five scalars")
    measure(step(session, merged), "five scalars, a histogram of 1e6", lambda: total(session))
    measure(lambda: session.run([written, train], {x: rows[0]}), "tf.contrib.summary")
writer.close()
shutil.rmtree(folder)
