"""A training step of two LSTM layers of 200 in a loop: 200 batches of changing lengths."""

import numpy as np
import timing
import tensorflow as tf

SIZE, LAYERS, BATCH, BATCHES = 200, 2, 20, 200

inputs = tf.placeholder(tf.float32, [BATCH, None, SIZE])
with tf.variable_scope("rnn", initializer=tf.random_uniform_initializer(-0.1, 0.1, seed=1)):
    cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.BasicLSTMCell(SIZE) for _ in range(LAYERS)])
    outputs, _ = tf.nn.dynamic_rnn(cell, inputs, dtype=tf.float32)
loss = tf.reduce_mean(tf.square(outputs))
train_step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

random = np.random.RandomState(0)
lengths = random.randint(5, 305, BATCHES)
texts = random.randn(BATCH, 305, SIZE).astype(np.float32)


def train():
    for length in lengths:
        session.run(train_step, {inputs: texts[:, :length]})


with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    timing.once(train, "200 lengths", check=lambda: session.run(loss, {inputs: texts[:, :20]}))
