"""Sentences of changing lengths through a bidirectional dynamic GRU: 200 steps, 20 evaluations."""

import numpy as np
import tensorflow as tf

tf.set_random_seed(1)
random = np.random.RandomState(1)


def batch_of(size):
    lengths = random.randint(3, 20, size=size)
    words = random.randint(1, 500, size=(size, lengths.max()))
    words *= np.arange(lengths.max()) < lengths[:, None]
    return words, lengths, (words % 2).sum(1) > lengths / 2


words = tf.placeholder(tf.int32, [None, None])
lengths = tf.placeholder(tf.int32, [None])
answers = tf.placeholder(tf.int32, [None])
table = tf.get_variable("table", [500, 64])
vectors = tf.nn.embedding_lookup(table, words)
forward, backward = tf.nn.rnn_cell.GRUCell(64), tf.nn.rnn_cell.GRUCell(64)
_, states = tf.nn.bidirectional_dynamic_rnn(
    forward, backward, vectors, sequence_length=lengths, dtype=tf.float32
)
logits = tf.layers.dense(tf.concat(states, 1), 2)
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=answers, logits=logits))
optimizer = tf.train.AdamOptimizer(0.003)
gradients, variables = zip(*optimizer.compute_gradients(loss))
gradients, _ = tf.clip_by_global_norm(gradients, 5.0)
train = optimizer.apply_gradients(zip(gradients, variables))

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(200):
        feeds = dict(zip((words, lengths, answers), batch_of(32)))
        session.run(train, feeds)
    losses = [
        session.run(loss, dict(zip((words, lengths, answers), batch_of(64)))) for _ in range(20)
    ]
    print(f"result {np.mean(losses):.6f}")
