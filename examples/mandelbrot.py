"""Draws the Mandelbrot set into mandelbrot.png."""

import numpy as np
import PIL.Image
import tensorflow as tf


def save_fractal(a, name):
    """Writes an array of iteration counts as a colourful picture."""
    a_cyclic = (6.28 * a / 20.0).reshape([*a.shape, 1])
    img = np.concatenate(
        [
            10 + 20 * np.cos(a_cyclic),
            30 + 50 * np.sin(a_cyclic),
            155 - 80 * np.cos(a_cyclic),
        ],
        2,
    )
    img[a == a.max()] = 0
    PIL.Image.fromarray(np.uint8(np.clip(img, 0, 255))).save(name)


sess = tf.InteractiveSession()

# The complex numbers of [-2, 1] x [-1.3, 1.3].
Y, X = np.mgrid[-1.3:1.3:0.005, -2:1:0.005]
Z = X + 1j * Y

xs = tf.constant(Z.astype(np.complex64))
zs = tf.Variable(xs)
ns = tf.Variable(tf.zeros_like(xs, tf.float32))

tf.initialize_all_variables().run()

# z^2 + x; a number that has diverged stays so.
zs_ = zs * zs + xs
not_diverged = tf.complex_abs(zs_) < 4

step = tf.group(zs.assign(zs_), ns.assign_add(tf.cast(not_diverged, tf.float32)))

for _ in range(200):
    step.run()

save_fractal(ns.eval(), "mandelbrot.png")
