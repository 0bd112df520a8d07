"""One step of the wave equation on a pond of 500x500 points."""

import numpy as np
import timing
import tensorflow as tf

SIZE = 500
random = np.random.RandomState(0)
surface = np.zeros([SIZE, SIZE], np.float32)
for _ in range(40):
    row, column = random.randint(0, SIZE, 2)
    surface[row, column] = random.rand()

laplacian = np.array([[0.5, 1.0, 0.5], [1.0, -6.0, 1.0], [0.5, 1.0, 0.5]], np.float32)


def laplace(values):
    image = tf.expand_dims(tf.expand_dims(values, 0), -1)
    kernel = tf.constant(laplacian.reshape(3, 3, 1, 1))
    return tf.nn.depthwise_conv2d(image, kernel, [1, 1, 1, 1], padding="SAME")[0, :, :, 0]


eps = tf.placeholder(tf.float32, shape=())
damping = tf.placeholder(tf.float32, shape=())
u = tf.Variable(surface)
velocity = tf.Variable(np.zeros([SIZE, SIZE], np.float32))
next_u = u + eps * velocity
next_velocity = velocity + eps * (laplace(u) - damping * velocity)
step = tf.group(u.assign(next_u), velocity.assign(next_velocity))
energy = tf.reduce_sum(tf.square(u))

feed = {eps: 0.03, damping: 0.04}
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    timing.measure(
        lambda: session.run(step, feed),
        check=lambda: session.run(energy),
    )
