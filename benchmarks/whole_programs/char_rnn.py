"""A language model of characters: two LSTM layers, 25 unrolled steps, 300 steps; 300 samples."""

import numpy as np
import tensorflow as tf

tf.set_random_seed(1)
random = np.random.RandomState(1)
text = "the quick brown fox jumps over the lazy dog. " * 200
characters = sorted(set(text))
codes = np.array([characters.index(c) for c in text])
steps, batch = 25, 20


def model(batch, steps, reuse):
    with tf.variable_scope("model", reuse=reuse):
        inputs = tf.placeholder(tf.int32, [batch, steps])
        cells = [tf.nn.rnn_cell.BasicLSTMCell(64) for _ in range(2)]
        cell = tf.nn.rnn_cell.MultiRNNCell(cells)
        start = cell.zero_state(batch, tf.float32)
        table = tf.get_variable("table", [len(characters), 64])
        vectors = tf.unstack(tf.nn.embedding_lookup(table, inputs), axis=1)
        outputs, state = tf.nn.static_rnn(cell, vectors, initial_state=start)
        weights = tf.get_variable("weights", [64, len(characters)])
        logits = tf.matmul(tf.reshape(tf.stack(outputs, 1), [-1, 64]), weights)
        return inputs, start, logits, state


inputs, start, logits, state = model(batch, steps, None)
targets = tf.placeholder(tf.int32, [batch, steps])
losses = tf.nn.sparse_softmax_cross_entropy_with_logits(
    labels=tf.reshape(targets, [-1]), logits=logits
)
loss = tf.reduce_mean(losses)
variables = tf.trainable_variables()
gradients, _ = tf.clip_by_global_norm(tf.gradients(loss, variables), 5.0)
train = tf.train.AdamOptimizer(0.003).apply_gradients(zip(gradients, variables))
one, one_start, one_logits, one_state = model(1, 1, True)
chances = tf.nn.softmax(one_logits)

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    length = len(codes) // batch
    rows = codes[: length * batch].reshape(batch, length)
    carried, position = session.run(start), 0
    for _ in range(300):
        if position + steps + 1 > length:
            carried, position = session.run(start), 0
        feeds = {inputs: rows[:, position : position + steps], start: carried}
        feeds[targets] = rows[:, position + 1 : position + steps + 1]
        value, carried, _ = session.run([loss, state, train], feeds)
        position += steps
    print(f"result {value:.6f}")
    carried, code, sampled = session.run(one_start), 0, []
    for _ in range(300):
        p, carried = session.run([chances, one_state], {one: [[code]], one_start: carried})
        code = int(np.argmax(p))
        sampled.append(characters[code])
    print("".join(sampled))
