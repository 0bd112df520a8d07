"""One Adam step of the two-layer MNIST convolutional network with dropout, batch 50."""

import itertools

import numpy as np
import timing
import tensorflow as tf

random = np.random.RandomState(0)
images = random.rand(10, 50, 784).astype(np.float32)
labels = np.eye(10, dtype=np.float32)[random.randint(0, 10, (10, 50))]


def weights(shape, seed):
    return tf.Variable(tf.truncated_normal(shape, stddev=0.1, seed=seed))


def biases(size):
    return tf.Variable(tf.constant(0.1, shape=[size]))


def convolution_and_pool(images, channels_in, channels_out, seed):
    kernel = weights([5, 5, channels_in, channels_out], seed)
    maps = tf.nn.conv2d(images, kernel, strides=[1, 1, 1, 1], padding="SAME")
    maps = tf.nn.relu(maps + biases(channels_out))
    return tf.nn.max_pool(maps, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")


x = tf.placeholder(tf.float32, [None, 784])
y_ = tf.placeholder(tf.float32, [None, 10])
keep_prob = tf.placeholder(tf.float32)
pooled = convolution_and_pool(tf.reshape(x, [-1, 28, 28, 1]), 1, 32, seed=1)
pooled = convolution_and_pool(pooled, 32, 64, seed=2)
flat = tf.reshape(pooled, [-1, 7 * 7 * 64])
hidden = tf.nn.relu(tf.matmul(flat, weights([7 * 7 * 64, 1024], 3)) + biases(1024))
dropped = tf.nn.dropout(hidden, keep_prob, seed=4)
logits = tf.matmul(dropped, weights([1024, 10], 5)) + biases(10)
loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=y_, logits=logits))
train_step = tf.train.AdamOptimizer(1e-4).minimize(loss)

feeds = itertools.cycle([{x: images[i], y_: labels[i], keep_prob: 0.5} for i in range(10)])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    timing.measure(
        lambda: session.run(train_step, next(feeds)),
        check=lambda: session.run(loss, {x: images[0], y_: labels[0], keep_prob: 1.0}),
    )
