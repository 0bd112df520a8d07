"""The two models of the MNIST tutorials, as the demo trains them.

They are TensorFlow programs like any other: import this module after `headwater.install()`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import tensorflow as tf

PIXELS = 28 * 28
CLASSES = 10


class Model(NamedTuple):
    """The tensors and ops for training and testing a model."""

    images: Any
    labels: Any
    train_step: Any
    accuracy: Any
    train_feeds: dict[Any, float]
    test_feeds: dict[Any, float]


def softmax_regression() -> Model:
    """Builds the model of the tutorial for beginners."""
    images, labels = _inputs()
    w = tf.Variable(tf.zeros([PIXELS, CLASSES]))
    b = tf.Variable(tf.zeros([CLASSES]))
    y = tf.nn.softmax(tf.matmul(images, w) + b)
    train_step = tf.train.GradientDescentOptimizer(0.5).minimize(_cross_entropy(y, labels))
    return Model(images, labels, train_step, _accuracy(y, labels), {}, {})


def convolutional_network() -> Model:
    """Builds the model of the tutorial for experts, with a learning rate for few steps."""
    images, labels = _inputs()
    x = tf.reshape(images, [-1, 28, 28, 1])
    x = _convolution_and_pooling(x, 1, 32)
    x = _convolution_and_pooling(x, 32, 64)
    x = tf.reshape(x, [-1, 7 * 7 * 64])
    x = tf.nn.relu(tf.matmul(x, _weights([7 * 7 * 64, 1024])) + _biases(1024))
    keep_prob = tf.placeholder(tf.float32)
    x = tf.nn.dropout(x, keep_prob)
    y = tf.nn.softmax(tf.matmul(x, _weights([1024, CLASSES])) + _biases(CLASSES))
    train_step = tf.train.AdamOptimizer(1e-3).minimize(_cross_entropy(y, labels))
    accuracy = _accuracy(y, labels)
    return Model(images, labels, train_step, accuracy, {keep_prob: 0.5}, {keep_prob: 1.0})


def _inputs() -> tuple[Any, Any]:
    images = tf.placeholder(tf.float32, [None, PIXELS])
    return images, tf.placeholder(tf.float32, [None, CLASSES])


def _weights(shape: list[int]) -> Any:
    return tf.Variable(tf.truncated_normal(shape, stddev=0.1))


def _biases(count: int) -> Any:
    return tf.Variable(tf.constant(0.1, shape=[count]))


def _convolution_and_pooling(x: Any, channels: int, filters: int) -> Any:
    convolved = tf.nn.conv2d(x, _weights([5, 5, channels, filters]), [1, 1, 1, 1], "SAME")
    activated = tf.nn.relu(convolved + _biases(filters))
    return tf.nn.max_pool(activated, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")


def _cross_entropy(y: Any, labels: Any) -> Any:
    return tf.reduce_mean(-tf.reduce_sum(labels * tf.log(y), reduction_indices=[1]))


def _accuracy(y: Any, labels: Any) -> Any:
    correct = tf.equal(tf.argmax(y, 1), tf.argmax(labels, 1))
    return tf.reduce_mean(tf.cast(correct, tf.float32))
