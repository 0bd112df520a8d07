"""One training step of a word model: two LSTM layers of 200, 20 unrolled steps, 10,000 words."""

import numpy as np
import timing
import tensorflow as tf

WORDS, SIZE, LAYERS, STEPS, BATCH = 10000, 200, 2, 20, 20

random = np.random.RandomState(0)
text = random.randint(0, WORDS, (BATCH, STEPS + 1)).astype(np.int32)

inputs = tf.placeholder(tf.int32, [BATCH, STEPS])
targets = tf.placeholder(tf.int32, [BATCH, STEPS])


def variable(shape, seed):
    return tf.Variable(tf.random_uniform(shape, -0.1, 0.1, seed=seed))


embedding = variable([WORDS, SIZE], 1)
weights = [variable([2 * SIZE, 4 * SIZE], 2 + layer) for layer in range(LAYERS)]
biases = [tf.Variable(tf.zeros([4 * SIZE])) for _ in range(LAYERS)]
cells = [tf.zeros([BATCH, SIZE]) for _ in range(LAYERS)]
hiddens = [tf.zeros([BATCH, SIZE]) for _ in range(LAYERS)]
words = tf.nn.embedding_lookup(embedding, inputs)
outputs = []
for step in range(STEPS):
    value = words[:, step, :]
    for layer in range(LAYERS):
        gates = tf.matmul(tf.concat([value, hiddens[layer]], 1), weights[layer]) + biases[layer]
        i, j, f, o = tf.split(gates, 4, 1)
        cells[layer] = cells[layer] * tf.sigmoid(f) + tf.sigmoid(i) * tf.tanh(j)
        value = hiddens[layer] = tf.tanh(cells[layer]) * tf.sigmoid(o)
    outputs.append(value)
hidden = tf.reshape(tf.concat(outputs, 1), [-1, SIZE])
logits = tf.matmul(hidden, variable([SIZE, WORDS], 9)) + tf.Variable(tf.zeros([WORDS]))
losses = tf.nn.sparse_softmax_cross_entropy_with_logits(
    labels=tf.reshape(targets, [-1]), logits=logits
)
loss = tf.reduce_sum(losses) / BATCH
variables = tf.trainable_variables()
gradients, _ = tf.clip_by_global_norm(tf.gradients(loss, variables), 5.0)
train_step = tf.train.GradientDescentOptimizer(1.0).apply_gradients(zip(gradients, variables))

feed = {inputs: text[:, :-1], targets: text[:, 1:]}
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    timing.measure(
        lambda: session.run(train_step, feed),
        check=lambda: session.run(loss, feed),
    )
