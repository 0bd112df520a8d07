"""A suite of 100 small graphs, as tests build them: each with a gradient and a few runs."""

import numpy as np
import tensorflow as tf


def model(kind, x, w):
    if kind == 0:
        return tf.nn.softmax(tf.matmul(x, w))
    if kind == 1:
        return tf.tanh(tf.matmul(x, w)) + tf.cast(tf.shape(x)[0], tf.float32)
    if kind == 2:
        return tf.map_fn(lambda row: tf.reduce_sum(row) * row, x)
    return tf.cond(tf.reduce_sum(x) > 0, lambda: tf.matmul(x, w), lambda: -tf.matmul(x, w))


total = 0.0
for number in range(100):
    tf.reset_default_graph()
    with tf.Session() as session:
        size = 2 + number % 7
        x = tf.placeholder(tf.float32, [None, size])
        w = tf.Variable(tf.ones([size, 3]) * 0.1)
        loss = tf.reduce_sum(tf.square(model(number % 4, x, w)) * (1.0 + number))
        gradient = tf.gradients(loss, x)[0]
        session.run(tf.global_variables_initializer())
        for rows in (1, 2, 2, 3):
            data = np.linspace(-1, 1.5, rows * size).reshape(rows, size)
            value, slope = session.run([loss, gradient], {x: data})
            total += float(value) + float(np.abs(slope).sum())
print(f"result {total:.6f}")
