"""tf.layers.experimental, with the names of TensorFlow 1.15.5."""

from __future__ import annotations

import pytest

import headwater as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def names(layer):
    return [variable.name for variable in layer.weights]


def test_layers_in_the_style_of_keras_share_no_variables():
    x = tf.zeros([2, 3])
    with tf.layers.experimental.keras_style_scope():
        layers = [tf.layers.Dense(3, name="a"), tf.layers.Dense(3, name="a"), tf.layers.Dense(3)]
        for layer in layers:
            layer(x)
        with pytest.raises(ValueError, match=r"^reuse argument not allowed when keras style layer"):
            tf.layers.dense(x, 3, reuse=True)
        with pytest.raises(ValueError, match=r"^scope argument not allowed when keras style layer"):
            tf.layers.Dense(3, _scope="x")
        assert tf.layers.dense(x, 3).name == "dense_4/BiasAdd:0"
        with tf.variable_scope("s"):
            inner = tf.layers.Dense(3, name="b")
            inner(x)
    assert [names(layer)[0] for layer in layers] == [
        "a/kernel:0",
        "a_1/kernel:0",
        "dense_1/kernel:0",
    ]
    assert names(inner) == ["s/b/kernel:0", "s/b/bias:0"]
    assert len(tf.trainable_variables()) == 10
    outside = tf.layers.Dense(3, name="a")
    outside(x)
    assert names(outside) == ["a/kernel_1:0", "a/bias_1:0"]
