"""One training step of a network of 784, 128, 32 and 10 units on MNIST-like images, batch 100."""

import itertools

import numpy as np
import timing
import tensorflow as tf

random = np.random.RandomState(0)
images = random.rand(10, 100, 784).astype(np.float32)
labels = random.randint(0, 10, (10, 100)).astype(np.int32)
SIZES = [784, 128, 32, 10]

x = tf.placeholder(tf.float32, [100, 784])
y = tf.placeholder(tf.int32, [100])
values = x
for layer, (rows, columns) in enumerate(zip(SIZES, SIZES[1:])):
    weights = tf.Variable(tf.truncated_normal([rows, columns], stddev=rows**-0.5, seed=layer))
    values = tf.matmul(values, weights) + tf.Variable(tf.zeros([columns]))
    if columns != SIZES[-1]:
        values = tf.nn.relu(values)
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=values))
train_step = tf.train.GradientDescentOptimizer(0.01).minimize(loss)

feeds = itertools.cycle([{x: images[i], y: labels[i]} for i in range(10)])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    timing.measure(
        lambda: session.run([train_step, loss], next(feeds)),
        check=lambda: session.run(loss, {x: images[0], y: labels[0]}),
    )
