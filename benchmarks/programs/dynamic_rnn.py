"""A training step of two LSTM layers of 200 in a loop over 35 steps."""

import numpy as np
import timing
import tensorflow as tf

SIZE, LAYERS, BATCH, STEPS = 200, 2, 20, 35

inputs = tf.placeholder(tf.float32, [BATCH, None, SIZE])
with tf.variable_scope("rnn", initializer=tf.random_uniform_initializer(-0.1, 0.1, seed=1)):
    cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.BasicLSTMCell(SIZE) for _ in range(LAYERS)])
    outputs, _ = tf.nn.dynamic_rnn(cell, inputs, dtype=tf.float32)
loss = tf.reduce_mean(tf.square(outputs))
train_step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

texts = np.random.RandomState(0).randn(BATCH, STEPS, SIZE).astype(np.float32)
feed = {inputs: texts}
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    timing.measure(
        lambda: session.run(train_step, feed),
        check=lambda: session.run(loss, feed),
    )
