"""A cell written by hand, unrolled over 50 steps, that remembers a bit: 200 steps."""

import numpy as np
import tensorflow as tf

tf.set_random_seed(1)
random = np.random.RandomState(1)
steps, size, batch = 50, 32, 32

x = tf.placeholder(tf.float32, [batch, steps, 2])
y = tf.placeholder(tf.float32, [batch])
gates = tf.get_variable("gates", [2 + size, 2 * size])
gate_biases = tf.get_variable("gate_biases", [2 * size], initializer=tf.ones_initializer())
candidates = tf.get_variable("candidates", [2 + size, size])
biases = tf.get_variable("biases", [size], initializer=tf.zeros_initializer())
state = tf.zeros([batch, size])
for step in range(steps):
    inputs = x[:, step, :]
    both = tf.sigmoid(tf.matmul(tf.concat([inputs, state], 1), gates) + gate_biases)
    update, reset = tf.split(both, 2, 1)
    candidate = tf.tanh(tf.matmul(tf.concat([inputs, reset * state], 1), candidates) + biases)
    state = update * state + (1 - update) * candidate
answer = tf.squeeze(tf.layers.dense(state, 1), 1)
loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=answer))
optimizer = tf.train.AdamOptimizer(0.01)
clipped = [(tf.clip_by_norm(g, 1.0), v) for g, v in optimizer.compute_gradients(loss)]
train = optimizer.apply_gradients(clipped)

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    values = []
    for _ in range(200):
        data = random.randint(0, 2, size=(batch, steps, 2)).astype(np.float32)
        value, _ = session.run([loss, train], {x: data, y: data[:, 40, 0]})
        values.append(value)
    print(f"result {np.mean(values[-50:]):.6f}")
