"""A small transformer that reverses sequences: two blocks of four heads, 200 steps."""

import numpy as np
import tensorflow as tf

tf.set_random_seed(1)
random = np.random.RandomState(1)
length, size, heads, words = 16, 64, 4, 30


def normalized(x, scope):
    with tf.variable_scope(scope):
        mean, variance = tf.nn.moments(x, [-1], keep_dims=True)
        scale = tf.get_variable("scale", [size], initializer=tf.ones_initializer())
        shift = tf.get_variable("shift", [size], initializer=tf.zeros_initializer())
        return (x - mean) * tf.rsqrt(variance + 1e-6) * scale + shift


def split(x):
    return tf.transpose(tf.reshape(x, [-1, length, heads, size // heads]), [0, 2, 1, 3])


def attention(x):
    queries, keys, values = (split(tf.layers.dense(x, size, name=n)) for n in "qkv")
    scores = tf.matmul(queries, keys, transpose_b=True) / (size // heads) ** 0.5
    mixed = tf.matmul(tf.nn.dropout(tf.nn.softmax(scores), 0.9), values)
    return tf.layers.dense(tf.reshape(tf.transpose(mixed, [0, 2, 1, 3]), [-1, length, size]), size)


x = tf.placeholder(tf.int32, [None, length])
y = tf.placeholder(tf.int32, [None, length])
table = tf.get_variable("table", [words, size])
hidden = tf.gather(table, x) + tf.get_variable("positions", [length, size])
for number in range(2):
    with tf.variable_scope(f"block{number}"):
        hidden += attention(normalized(hidden, "before"))
        inner = tf.layers.dense(normalized(hidden, "between"), 4 * size, activation=tf.nn.relu)
        hidden += tf.layers.dense(inner, size)
logits = tf.tensordot(normalized(hidden, "last"), table, [[2], [1]])
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
step = tf.train.get_or_create_global_step()
rate = 0.002 * tf.minimum(1.0, tf.cast(step + 1, tf.float32) / 50)
train = tf.train.AdamOptimizer(rate, beta2=0.98).minimize(loss, global_step=step)

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    values = []
    for _ in range(200):
        data = random.randint(words, size=(32, length))
        value, _ = session.run([loss, train], {x: data, y: data[:, ::-1]})
        values.append(value)
    print(f"result {np.mean(values[-20:]):.6f}")
