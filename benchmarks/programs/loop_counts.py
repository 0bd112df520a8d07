"""A loop that does nothing but count to 1,000."""

import timing
import tensorflow as tf

limit = tf.placeholder(tf.int32, [])
count = tf.while_loop(lambda i: i < limit, lambda i: i + 1, [0])

with tf.Session() as session:
    timing.measure(
        lambda: session.run(count, {limit: 1000}),
        check=lambda: session.run(count, {limit: 10}),
    )
