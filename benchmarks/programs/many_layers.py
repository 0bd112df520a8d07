"""One Adam step of a network of 300 layers of 50, batch 50."""

import numpy as np
import timing
import tensorflow as tf

LAYERS, SIZE, BATCH = 300, 50, 50

random = np.random.RandomState(0)
x = tf.placeholder(tf.float32, [None, SIZE])
y = tf.placeholder(tf.float32, [None, SIZE])
values = x
for layer in range(LAYERS):
    weight = tf.Variable(tf.truncated_normal([SIZE, SIZE], stddev=0.02, seed=layer))
    bias = tf.Variable(tf.zeros([SIZE]))
    values = values + tf.tanh(tf.matmul(values, weight) + bias)
loss = tf.reduce_mean(tf.square(values - y))
train_step = tf.train.AdamOptimizer(0.001).minimize(loss)

feed = {x: random.rand(BATCH, SIZE), y: random.rand(BATCH, SIZE)}
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    timing.measure(
        lambda: session.run(train_step, feed),
        check=lambda: session.run(loss, feed),
    )
