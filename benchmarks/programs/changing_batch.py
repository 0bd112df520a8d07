"""A four-layer perceptron trained on 200 batches of 200 different sizes."""

import numpy as np
import timing
import tensorflow as tf

BATCHES = 200

random = np.random.RandomState(0)
sizes = random.permutation(np.arange(5, 5 + BATCHES))
batches = [random.rand(size, 100).astype(np.float32) for size in sizes]

x = tf.placeholder(tf.float32, [None, 100])
values = x
for layer, (rows, columns) in enumerate([(100, 200), (200, 200), (200, 200), (200, 1)]):
    weight = tf.Variable(tf.truncated_normal([rows, columns], stddev=0.07, seed=layer))
    values = tf.tanh(tf.matmul(values, weight) + tf.Variable(tf.zeros([columns])))
loss = tf.reduce_mean(tf.square(values - tf.reduce_mean(x, 1, keepdims=True)))
train_step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)


def train():
    for batch in batches:
        session.run(train_step, {x: batch})


with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    timing.once(train, "200 sizes", check=lambda: session.run(loss, {x: batches[0]}))
    timing.once(train, "the same again")
