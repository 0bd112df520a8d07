"""Six 3x3 convolutions with 64 channels on 8 images of 32x32: forward, and one training step."""

import numpy as np
import timing
import tensorflow as tf

random = np.random.RandomState(0)
images = random.rand(8, 32, 32, 64).astype(np.float32)

x = tf.placeholder(tf.float32, [None, 32, 32, 64])
maps = x
for layer in range(6):
    kernel = tf.Variable(tf.truncated_normal([3, 3, 64, 64], stddev=0.05, seed=layer))
    bias = tf.Variable(tf.zeros([64]))
    maps = tf.nn.relu(tf.nn.conv2d(maps, kernel, strides=[1, 1, 1, 1], padding="SAME") + bias)
loss = tf.reduce_mean(tf.square(maps))
train_step = tf.train.GradientDescentOptimizer(1e-3).minimize(loss)

feed = {x: images}


def mean_square():
    return session.run(loss, feed)


with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    timing.measure(mean_square, "forward", check=mean_square)
    timing.measure(lambda: session.run(train_step, feed), "train", check=mean_square)
