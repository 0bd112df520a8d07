"""A recurrent classifier of rows of images: an LSTM unrolled over 28 steps, 200 steps."""

import numpy as np
import tensorflow as tf

tf.set_random_seed(1)
random = np.random.RandomState(1)
centers = random.rand(10, 28, 28)
labels = random.randint(10, size=3000)
images = (centers[labels] + 0.3 * random.randn(3000, 28, 28)).astype(np.float32)

x = tf.placeholder(tf.float32, [None, 28, 28])
y = tf.placeholder(tf.int32, [None])
cell = tf.nn.rnn_cell.BasicLSTMCell(128, forget_bias=1.0)
outputs, _ = tf.nn.static_rnn(cell, tf.unstack(x, 28, 1), dtype=tf.float32)
weights = tf.Variable(tf.random_normal([128, 10]))
biases = tf.Variable(tf.random_normal([10]))
logits = tf.matmul(outputs[-1], weights) + biases
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
train = tf.train.AdamOptimizer(0.001).minimize(loss)
right = tf.equal(tf.cast(tf.argmax(logits, 1), tf.int32), y)
accuracy = tf.reduce_mean(tf.cast(right, tf.float32))

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for step in range(200):
        batch = random.randint(3000, size=128)
        session.run(train, {x: images[batch], y: labels[batch]})
        if step % 50 == 0:
            print(step, session.run([loss, accuracy], {x: images[batch], y: labels[batch]}))
    print(f"result {session.run(accuracy, {x: images[:512], y: labels[:512]}):.6f}")
