"""The convolutional network of the MNIST tutorial: 200 steps, the accuracy, a checkpoint."""

import tempfile

import numpy as np
import tensorflow as tf

tf.set_random_seed(1)
random = np.random.RandomState(1)
centers = random.rand(10, 784)
labels = random.randint(10, size=2000)
images = (centers[labels] + random.rand(2000, 784)).astype(np.float32) / 2
answers = np.eye(10, dtype=np.float32)[labels]


def weight(shape):
    return tf.Variable(tf.truncated_normal(shape, stddev=0.1))


def bias(shape):
    return tf.Variable(tf.constant(0.1, shape=shape))


def conv_pool(inputs, kernel):
    conv = tf.nn.conv2d(inputs, kernel, strides=[1, 1, 1, 1], padding="SAME")
    hidden = tf.nn.relu(conv + bias([kernel.shape[3].value]))
    return tf.nn.max_pool(hidden, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")


x = tf.placeholder(tf.float32, [None, 784])
y = tf.placeholder(tf.float32, [None, 10])
keep = tf.placeholder(tf.float32)
image = tf.reshape(x, [-1, 28, 28, 1])
pooled = conv_pool(conv_pool(image, weight([5, 5, 1, 32])), weight([5, 5, 32, 64]))
flat = tf.reshape(pooled, [-1, 7 * 7 * 64])
dense = tf.nn.relu(tf.matmul(flat, weight([7 * 7 * 64, 1024])) + bias([1024]))
logits = tf.matmul(tf.nn.dropout(dense, keep), weight([1024, 10])) + bias([10])
loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=logits))
train = tf.train.AdamOptimizer(1e-4).minimize(loss)
right = tf.equal(tf.argmax(logits, 1), tf.argmax(y, 1))
accuracy = tf.reduce_mean(tf.cast(right, tf.float32))
saver = tf.train.Saver()

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for step in range(200):
        batch = random.randint(2000, size=50)
        feeds = {x: images[batch], y: answers[batch], keep: 0.5}
        if step % 50 == 0:
            print(step, session.run(accuracy, {**feeds, keep: 1.0}))
        session.run(train, feeds)
    saver.save(session, tempfile.mkdtemp() + "/model")
    feeds = {x: images[:1000], y: answers[:1000], keep: 1.0}
    print(f"result {session.run(accuracy, feeds):.6f}")
