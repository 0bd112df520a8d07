"""The cost of a call: `session.run(a + 1)` with one scalar fed."""

import timing
import tensorflow as tf

a = tf.placeholder(tf.float32, [])
b = a + 1

with tf.Session() as session:
    timing.measure(
        lambda: session.run(b, {a: 41.0}),
        check=lambda: session.run(b, {a: 41.0}),
    )
