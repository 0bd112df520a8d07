"""Skip-gram word vectors with noise-contrastive estimation: 2,000 steps, nearest words."""

import numpy as np
import tensorflow as tf

tf.set_random_seed(1)
random = np.random.RandomState(1)
vocabulary, size = 5000, 64
data = (random.zipf(1.3, size=100000) % vocabulary).astype(np.int32)

inputs = tf.placeholder(tf.int32, [128])
labels = tf.placeholder(tf.int32, [128, 1])
embeddings = tf.Variable(tf.random_uniform([vocabulary, size], -1.0, 1.0))
vectors = tf.nn.embedding_lookup(embeddings, inputs)
weights = tf.Variable(tf.truncated_normal([vocabulary, size], stddev=size**-0.5))
biases = tf.Variable(tf.zeros([vocabulary]))
loss = tf.reduce_mean(
    tf.nn.nce_loss(
        weights=weights,
        biases=biases,
        labels=labels,
        inputs=vectors,
        num_sampled=64,
        num_classes=vocabulary,
    )
)
train = tf.train.GradientDescentOptimizer(1.0).minimize(loss)
norm = tf.sqrt(tf.reduce_sum(tf.square(embeddings), 1, keepdims=True))
normalized = embeddings / norm
chosen = tf.constant(np.arange(16), tf.int32)
similarity = tf.matmul(tf.nn.embedding_lookup(normalized, chosen), normalized, transpose_b=True)

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    total = 0.0
    for step in range(2000):
        start = random.randint(len(data) - 130)
        words = data[start : start + 129]
        value, _ = session.run([loss, train], {inputs: words[:-1], labels: words[1:, None]})
        total += value
        if step % 500 == 499:
            print(step, total / 500, np.argsort(-session.run(similarity), 1)[:2, 1:5].tolist())
            last, total = total / 500, 0.0
    print(f"result {last:.6f}")
