"""Numbers of floating-point operations, as TensorFlow 1.15 counts them."""

from __future__ import annotations

import pytest

import headwater as tf
from headwater.graph.statistics import get_stats_for_node_def


def flops(tensor: tf.Tensor) -> int | None:
    return get_stats_for_node_def(tensor.graph, tensor.op.node_def, "flops").value


def test_products_and_convolutions_are_counted() -> None:
    x, f = tf.placeholder(tf.float32, [2, 8, 9, 3]), tf.zeros([3, 2, 3, 5])
    assert flops(tf.nn.conv2d(x, f, [1, 2, 2, 1], "SAME")) == 7200
    assert flops(tf.nn.conv2d(x, f, [1, 1, 1, 1], "VALID")) == 17280
    y = tf.transpose(x, [0, 3, 1, 2])
    assert flops(tf.nn.conv2d(y, f, [1, 1, 1, 1], "VALID", data_format="NCHW")) == 17280
    g = tf.zeros([3, 2, 3, 4])
    assert flops(tf.nn.depthwise_conv2d_native(x, g, [1, 1, 1, 1], "SAME")) == 20736
    assert flops(tf.nn.bias_add(x, [1.0, 2.0, 3.0])) == 432
    dilated = tf.nn.dilation2d(x, tf.zeros([3, 2, 3]), [1, 1, 1, 1], [1, 1, 1, 1], "SAME")
    assert flops(dilated) == 5184
    assert flops(tf.matmul(tf.zeros([4, 5]), tf.zeros([5, 6]))) == 240
    assert flops(tf.matmul(tf.zeros([5, 4]), tf.zeros([6, 5]), True, True)) == 240


def test_unknown_shapes_cannot_be_counted() -> None:
    product = tf.matmul(tf.placeholder(tf.float32, [None, 5]), tf.zeros([5, 6]))
    with pytest.raises(ValueError, match=r"is not fully defined"):
        flops(product)
    assert flops(tf.zeros([2])) is None
