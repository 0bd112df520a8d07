"""Sequence to sequence with attention: training by a helper, greedy decoding; 150 steps."""

import numpy as np
import tensorflow as tf

tf.set_random_seed(1)
random = np.random.RandomState(1)
words, size, longest = 40, 64, 12


def batch_of(count):
    lengths = random.randint(4, longest + 1, size=count)
    source = random.randint(3, words, size=(count, longest))
    source *= np.arange(longest) < lengths[:, None]
    target = np.zeros([count, longest + 1], int)
    for row, length in enumerate(lengths):
        target[row, :length] = source[row, :length][::-1]
        target[row, length] = 2
    return source, lengths, target


source = tf.placeholder(tf.int32, [None, longest])
lengths = tf.placeholder(tf.int32, [None])
target = tf.placeholder(tf.int32, [None, longest + 1])
table = tf.get_variable("table", [words, size])
memory, state = tf.nn.dynamic_rnn(
    tf.nn.rnn_cell.GRUCell(size),
    tf.nn.embedding_lookup(table, source),
    sequence_length=lengths,
    dtype=tf.float32,
)
batch = tf.shape(source)[0]
attention = tf.contrib.seq2seq.LuongAttention(size, memory, memory_sequence_length=lengths)
cell = tf.contrib.seq2seq.AttentionWrapper(
    tf.nn.rnn_cell.GRUCell(size), attention, attention_layer_size=size
)
start = cell.zero_state(batch, tf.float32).clone(cell_state=state)
projection = tf.layers.Dense(words, use_bias=False)
shifted = tf.concat([tf.ones([batch, 1], tf.int32), target[:, :-1]], 1)
helper = tf.contrib.seq2seq.TrainingHelper(tf.nn.embedding_lookup(table, shifted), lengths + 1)
decoder = tf.contrib.seq2seq.BasicDecoder(cell, helper, start, projection)
with tf.variable_scope("decode"):
    outputs, _, _ = tf.contrib.seq2seq.dynamic_decode(decoder)
weights = tf.sequence_mask(lengths + 1, dtype=tf.float32)
steps = tf.shape(weights)[1]
loss = tf.contrib.seq2seq.sequence_loss(outputs.rnn_output, target[:, :steps], weights)
train = tf.train.AdamOptimizer(0.005).minimize(loss)
greedy = tf.contrib.seq2seq.GreedyEmbeddingHelper(table, tf.fill([batch], 1), 2)
decoder = tf.contrib.seq2seq.BasicDecoder(cell, greedy, start, projection)
with tf.variable_scope("decode", reuse=True):
    decoded, _, _ = tf.contrib.seq2seq.dynamic_decode(decoder, maximum_iterations=longest + 2)

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    values = []
    for _ in range(150):
        feeds = dict(zip((source, lengths, target), batch_of(32)))
        value, _ = session.run([loss, train], feeds)
        values.append(value)
    found = session.run(decoded.sample_id, dict(zip((source, lengths), batch_of(32))))
    print("decoded", found.shape)
    print(f"result {np.mean(values[-20:]):.6f}")
