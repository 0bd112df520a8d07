"""One training step of skip-gram vectors: 50,000 words of 128, NCE, 64 samples, batch 128."""

import numpy as np
import timing
import tensorflow as tf

WORDS, SIZE, BATCH, SAMPLED = 50000, 128, 128, 64

random = np.random.RandomState(0)
centres = random.randint(0, WORDS, BATCH).astype(np.int32)
contexts = random.randint(0, WORDS, (BATCH, 1)).astype(np.int32)

inputs = tf.placeholder(tf.int32, [BATCH])
labels = tf.placeholder(tf.int32, [BATCH, 1])
embeddings = tf.Variable(tf.random_uniform([WORDS, SIZE], -1.0, 1.0, seed=1))
nce_weights = tf.Variable(tf.truncated_normal([WORDS, SIZE], stddev=SIZE**-0.5, seed=2))
nce_biases = tf.Variable(tf.zeros([WORDS]))
loss = tf.reduce_mean(
    tf.nn.nce_loss(
        weights=nce_weights,
        biases=nce_biases,
        labels=labels,
        inputs=tf.nn.embedding_lookup(embeddings, inputs),
        num_sampled=SAMPLED,
        num_classes=WORDS,
    )
)
train_step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

feed = {inputs: centres, labels: contexts}
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    timing.measure(lambda: session.run(train_step, feed))
