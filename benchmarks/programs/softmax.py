"""One training step of softmax regression on MNIST-like images, batch 100."""

import itertools

import numpy as np
import timing
import tensorflow as tf

random = np.random.RandomState(0)
images = random.rand(10, 100, 784).astype(np.float32)
labels = np.eye(10, dtype=np.float32)[random.randint(0, 10, (10, 100))]

x = tf.placeholder(tf.float32, [None, 784])
y_ = tf.placeholder(tf.float32, [None, 10])
W = tf.Variable(tf.zeros([784, 10]))
b = tf.Variable(tf.zeros([10]))
y = tf.nn.softmax(tf.matmul(x, W) + b)
cross_entropy = tf.reduce_mean(-tf.reduce_sum(y_ * tf.log(y), reduction_indices=[1]))
train_step = tf.train.GradientDescentOptimizer(0.01).minimize(cross_entropy)

feeds = itertools.cycle([{x: images[i], y_: labels[i]} for i in range(10)])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    timing.measure(
        lambda: session.run(train_step, next(feeds)),
        check=lambda: session.run(cross_entropy, {x: images[0], y_: labels[0]}),
    )
