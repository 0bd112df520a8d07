"""A variational autoencoder: 400 steps, then images from the prior."""

import numpy as np
import tensorflow as tf

tf.set_random_seed(1)
random = np.random.RandomState(1)
codes = random.randn(3000, 4)
images = (1 / (1 + np.exp(-codes.dot(random.randn(4, 784))))).astype(np.float32)

x = tf.placeholder(tf.float32, [None, 784])
hidden = tf.layers.dense(x, 256, activation=tf.nn.elu)
hidden = tf.layers.dense(hidden, 128, activation=tf.nn.elu)
mean = tf.layers.dense(hidden, 16)
log_variance = tf.layers.dense(hidden, 16)
noise = tf.random_normal(tf.shape(mean))
code = mean + tf.exp(log_variance / 2) * noise
hidden = tf.layers.dense(code, 128, activation=tf.nn.elu)
hidden = tf.layers.dense(hidden, 256, activation=tf.nn.elu)
logits = tf.layers.dense(hidden, 784)
reconstruction = tf.reduce_sum(
    tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=logits), axis=1
)
divergence = -0.5 * tf.reduce_sum(1 + log_variance - tf.square(mean) - tf.exp(log_variance), axis=1)
loss = tf.reduce_mean(reconstruction + divergence)
train = tf.train.AdamOptimizer(0.001).minimize(loss)
generated = tf.nn.sigmoid(logits)

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(400):
        batch = images[random.randint(3000, size=100)]
        _, value = session.run([train, loss], {x: batch})
    made = session.run(generated, {code: random.randn(64, 16)})
    print("made", made.shape, made.mean())
    print(f"result {value:.6f}")
