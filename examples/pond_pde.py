"""Simulates rain drops on a square pond by a partial differential equation, into pond.png."""

import numpy as np
import PIL.Image
import tensorflow as tf


def save_array(a, name, rng):
    """Writes an array as a grey picture; `rng` are the values of black and white."""
    a = (a - rng[0]) / float(rng[1] - rng[0]) * 255
    PIL.Image.fromarray(np.uint8(np.clip(a, 0, 255))).save(name)


def make_kernel(a):
    """Turns a 2-D array into a convolution kernel."""
    a = np.asarray(a)
    a = a.reshape([*a.shape, 1, 1])
    return tf.constant(a, dtype=1)


def simple_conv(x, k):
    """Convolves a 2-D array."""
    x = tf.expand_dims(tf.expand_dims(x, 0), -1)
    y = tf.nn.depthwise_conv2d(x, k, [1, 1, 1, 1], padding="SAME")
    return y[0, :, :, 0]


def laplace(x):
    """Computes the 2-D Laplacian of an array."""
    laplace_k = make_kernel([[0.5, 1.0, 0.5], [1.0, -6.0, 1.0], [0.5, 1.0, 0.5]])
    return simple_conv(x, laplace_k)


sess = tf.InteractiveSession()

N = 500

# A still pond, and drops at random points.
u_init = np.zeros([N, N], dtype=np.float32)
ut_init = np.zeros([N, N], dtype=np.float32)
for _ in range(40):
    a, b = np.random.randint(0, N, 2)
    u_init[a, b] = np.random.uniform()

# eps: time step. damping: how fast waves fade.
eps = tf.placeholder(tf.float32, shape=())
damping = tf.placeholder(tf.float32, shape=())

U = tf.Variable(u_init)
Ut = tf.Variable(ut_init)

U_ = U + eps * Ut
Ut_ = Ut + eps * (laplace(U) - damping * Ut)

step = tf.group(U.assign(U_), Ut.assign(Ut_))

tf.initialize_all_variables().run()

for _ in range(1000):
    step.run({eps: 0.03, damping: 0.04})

save_array(U.eval(), "pond.png", [-0.1, 0.1])
