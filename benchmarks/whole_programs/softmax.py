"""Softmax regression on digits: 500 steps, the accuracy, a checkpoint."""

import tempfile

import numpy as np
import tensorflow as tf

tf.set_random_seed(1)
random = np.random.RandomState(1)
centers = random.rand(10, 784)
labels = random.randint(10, size=5000)
images = (centers[labels] + random.rand(5000, 784)).astype(np.float32)
answers = np.eye(10, dtype=np.float32)[labels]

x = tf.placeholder(tf.float32, [None, 784])
y = tf.placeholder(tf.float32, [None, 10])
weights = tf.Variable(tf.zeros([784, 10]))
biases = tf.Variable(tf.zeros([10]))
logits = tf.matmul(x, weights) + biases
loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=logits))
train = tf.train.GradientDescentOptimizer(0.05).minimize(loss)
right = tf.equal(tf.argmax(logits, 1), tf.argmax(y, 1))
accuracy = tf.reduce_mean(tf.cast(right, tf.float32))
saver = tf.train.Saver()

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(500):
        batch = random.randint(5000, size=100)
        session.run(train, {x: images[batch], y: answers[batch]})
    saver.save(session, tempfile.mkdtemp() + "/model")
    print("accuracy", session.run(accuracy, {x: images, y: answers}))
    print(f"result {session.run(loss, {x: images, y: answers}):.6f}")
