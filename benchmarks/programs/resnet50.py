"""ResNet-50 v1 of tf.contrib.slim on 8 images of 224x224: building, forward, a training step."""

import time

import numpy as np
import timing
import tensorflow as tf
from tensorflow.contrib import slim
from tensorflow.contrib.slim import nets

BATCH, SIZE, CLASSES = 8, 224, 1000


def build():
    """Returns the logits, and a training step that returns its loss."""
    with slim.arg_scope(nets.resnet_utils.resnet_arg_scope()):
        logits, _ = nets.resnet_v1.resnet_v1_50(images, CLASSES)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, tf.squeeze(logits, [1, 2]))
    total_loss = loss + tf.add_n(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))
    step = slim.learning.create_train_op(total_loss, tf.train.MomentumOptimizer(1e-4, 0.9))
    return tf.reduce_mean(tf.square(logits)), step


def measure(step, name):
    """Measures a step; its second run, which compiles it, is a measure of its own."""
    step()
    timing.once(step, name + ", second run")
    timing.measure(step, name, block=1)


tf.set_random_seed(0)
images = tf.placeholder(tf.float32, [BATCH, SIZE, SIZE, 3])
labels = tf.placeholder(tf.int32, [BATCH])
random = np.random.RandomState(0)
feed = {
    images: random.rand(BATCH, SIZE, SIZE, 3).astype(np.float32),
    labels: random.randint(0, CLASSES, BATCH),
}
started = time.perf_counter()
power, train = build()
timing.report("build", step=time.perf_counter() - started)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    measure(lambda: session.run(power, feed), "forward")
    measure(lambda: session.run(train, feed), "train")
