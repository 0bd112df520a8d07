"""A generative adversarial network with an optimizer for each side: 500 steps of both."""

import numpy as np
import tensorflow as tf

tf.set_random_seed(1)
random = np.random.RandomState(1)
weights = random.randn(4, 196)


def real(size):
    return np.tanh(random.randn(size, 4).dot(weights)).astype(np.float32)


def generator(noise):
    with tf.variable_scope("generator"):
        hidden = tf.layers.dense(noise, 128, activation=tf.nn.relu)
        return tf.layers.dense(hidden, 196, activation=tf.nn.tanh)


def discriminator(images, reuse):
    with tf.variable_scope("discriminator", reuse=reuse):
        hidden = tf.layers.dense(images, 128, activation=tf.nn.leaky_relu)
        return tf.layers.dense(tf.layers.dropout(hidden, 0.2, training=True), 1)


def cross_entropy(logits, value):
    labels = tf.fill(tf.shape(logits), value)
    return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits))


noise = tf.placeholder(tf.float32, [None, 32])
images = tf.placeholder(tf.float32, [None, 196])
made = generator(noise)
on_real, on_made = discriminator(images, False), discriminator(made, True)
loss_d = cross_entropy(on_real, 0.9) + cross_entropy(on_made, 0.0)
loss_g = cross_entropy(on_made, 1.0)
train_d = tf.train.AdamOptimizer(0.0002, beta1=0.5).minimize(
    loss_d, var_list=tf.trainable_variables("discriminator")
)
train_g = tf.train.AdamOptimizer(0.0002, beta1=0.5).minimize(
    loss_g, var_list=tf.trainable_variables("generator")
)

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    values = []
    for _ in range(500):
        feeds = {noise: random.randn(64, 32), images: real(64)}
        d, _ = session.run([loss_d, train_d], feeds)
        g, _ = session.run([loss_g, train_g], {noise: random.randn(64, 32)})
        values.append(d)
    print("losses", d, g)
    print(f"result {np.mean(values[-50:]):.6f}")
