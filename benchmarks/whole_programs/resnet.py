"""A residual network of 20 layers on images of 32x32, with batch normalization: 20 steps."""

import numpy as np
import tensorflow as tf

tf.set_random_seed(1)
random = np.random.RandomState(1)
training = tf.placeholder(tf.bool, [])
x = tf.placeholder(tf.float32, [None, 32, 32, 3])
y = tf.placeholder(tf.int32, [None])


def conv(inputs, filters, strides=1):
    outputs = tf.layers.conv2d(inputs, filters, 3, strides, padding="same", use_bias=False)
    return tf.layers.batch_normalization(outputs, training=training)


def block(inputs, filters, strides):
    outputs = conv(tf.nn.relu(conv(inputs, filters, strides)), filters)
    if strides > 1:
        inputs = tf.layers.conv2d(inputs, filters, 1, strides, use_bias=False)
    return tf.nn.relu(outputs + inputs)


hidden = tf.nn.relu(conv(x, 16))
for filters in (16, 32, 64):
    for number in range(3):
        hidden = block(hidden, filters, 2 if number == 0 and filters > 16 else 1)
logits = tf.layers.dense(tf.reduce_mean(hidden, [1, 2]), 10)
loss = tf.losses.sparse_softmax_cross_entropy(y, logits)
decay = tf.add_n([tf.nn.l2_loss(v) for v in tf.trainable_variables()])
step = tf.train.get_or_create_global_step()
rate = tf.train.piecewise_constant(step, [10, 15], [0.05, 0.01, 0.001])
optimizer = tf.train.MomentumOptimizer(rate, 0.9)
with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    train = optimizer.minimize(loss + 1e-4 * decay, global_step=step)
accuracy = tf.reduce_mean(tf.cast(tf.nn.in_top_k(logits, y, 1), tf.float32))

centers = random.rand(10, 32, 32, 3)
labels = random.randint(10, size=640)
images = (centers[labels] + random.rand(640, 32, 32, 3)).astype(np.float32)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(20):
        batch = random.randint(640, size=32)
        value, _ = session.run([loss, train], {x: images[batch], y: labels[batch], training: True})
    feeds = {x: images[:128], y: labels[:128], training: False}
    print("accuracy", session.run(accuracy, feeds))
    print(f"result {value:.6f}")
