"""One step of the Mandelbrot iteration on 520x600 complex numbers."""

import numpy as np
import timing
import tensorflow as tf

rows, columns = np.mgrid[-1.3:1.3:0.005, -2:1:0.005]
points = (columns + 1j * rows).astype(np.complex64)

xs = tf.constant(points)
zs = tf.Variable(xs)
ns = tf.Variable(tf.zeros_like(xs, tf.float32))
next_zs = zs * zs + xs
not_diverged = tf.abs(next_zs) < 4
step = tf.group(zs.assign(next_zs), ns.assign_add(tf.cast(not_diverged, tf.float32)))
total = tf.reduce_sum(ns)
initialize = tf.global_variables_initializer()

with tf.Session() as session:
    session.run(initialize)
    # The iteration starts afresh after 200 steps: by then most numbers have overflowed.
    timing.measure(
        lambda: session.run(step),
        check=lambda: session.run(total),
        block=200,
        reset=lambda: session.run(initialize),
    )
