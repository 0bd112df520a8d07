"""Meta-learning of sines by gradients of gradients: 5 tasks, 3 inner steps, 200 steps."""

import numpy as np
import tensorflow as tf

tf.set_random_seed(1)
random = np.random.RandomState(1)
tasks, shots = 5, 10


def forward(x, weights):
    hidden = tf.nn.relu(tf.matmul(x, weights["w1"]) + weights["b1"])
    hidden = tf.nn.relu(tf.matmul(hidden, weights["w2"]) + weights["b2"])
    return tf.matmul(hidden, weights["w3"]) + weights["b3"]


weights = {}
for number, (inputs, outputs) in enumerate([(1, 40), (40, 40), (40, 1)], 1):
    weights[f"w{number}"] = tf.Variable(tf.truncated_normal([inputs, outputs], stddev=0.1))
    weights[f"b{number}"] = tf.Variable(tf.zeros([outputs]))
x_train, y_train, x_test, y_test = (tf.placeholder(tf.float32, [tasks, shots, 1]) for _ in range(4))
losses = []
for task in range(tasks):
    fast = weights
    for _ in range(3):
        loss = tf.reduce_mean(tf.square(forward(x_train[task], fast) - y_train[task]))
        gradients = tf.gradients(loss, list(fast.values()))
        fast = {k: v - 0.01 * g for (k, v), g in zip(fast.items(), gradients)}
    losses.append(tf.reduce_mean(tf.square(forward(x_test[task], fast) - y_test[task])))
meta_loss = tf.add_n(losses) / tasks
train = tf.train.AdamOptimizer(0.001).minimize(meta_loss)

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    values = []
    for _ in range(200):
        x = random.uniform(-5, 5, size=(2, tasks, shots, 1))
        height = random.uniform(0.1, 5, size=(tasks, 1, 1))
        phase = random.uniform(0, np.pi, size=(tasks, 1, 1))
        y = height * np.sin(x - phase)
        feeds = {x_train: x[0], y_train: y[0], x_test: x[1], y_test: y[1]}
        value, _ = session.run([meta_loss, train], feeds)
        values.append(value)
    print(f"result {np.mean(values[-50:]):.6f}")
