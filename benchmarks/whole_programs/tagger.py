"""A tagger: a bidirectional LSTM and a conditional random field, batches of changing lengths."""

import numpy as np
import tensorflow as tf

tf.set_random_seed(1)
random = np.random.RandomState(1)
words_known, tags_known = 300, 5


def batch_of(size):
    lengths = random.randint(5, 25, size=size)
    words = random.randint(1, words_known, size=(size, lengths.max()))
    words *= np.arange(lengths.max()) < lengths[:, None]
    return words, lengths, (words + np.roll(words, 1, 1)) % tags_known


words = tf.placeholder(tf.int32, [None, None])
lengths = tf.placeholder(tf.int32, [None])
tags = tf.placeholder(tf.int32, [None, None])
keep = tf.placeholder(tf.float32, [])
table = tf.get_variable("table", [words_known, 50])
vectors = tf.nn.dropout(tf.nn.embedding_lookup(table, words), keep)
forward, backward = tf.nn.rnn_cell.LSTMCell(50), tf.nn.rnn_cell.LSTMCell(50)
outputs, _ = tf.nn.bidirectional_dynamic_rnn(
    forward, backward, vectors, sequence_length=lengths, dtype=tf.float32
)
hidden = tf.nn.dropout(tf.concat(outputs, 2), keep)
scores = tf.layers.dense(hidden, tags_known)
likelihood, transitions = tf.contrib.crf.crf_log_likelihood(scores, tags, lengths)
loss = tf.reduce_mean(-likelihood)
decoded, _ = tf.contrib.crf.crf_decode(scores, transitions, lengths)
optimizer = tf.train.AdamOptimizer(0.01)
gradients = [(tf.clip_by_value(g, -5, 5), v) for g, v in optimizer.compute_gradients(loss)]
train = optimizer.apply_gradients(gradients)

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(150):
        session.run(train, {**dict(zip((words, lengths, tags), batch_of(20))), keep: 0.9})
    values = []
    for _ in range(10):
        batch = batch_of(20)
        feeds = {**dict(zip((words, lengths, tags), batch)), keep: 1.0}
        value, found = session.run([loss, decoded], feeds)
        values.append(value)
    print("right", np.mean(found == batch[2]))
    print(f"result {np.mean(values):.6f}")
