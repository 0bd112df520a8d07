"""A small network of tf.contrib.layers; names and values are those of TensorFlow 1.15.5."""

from __future__ import annotations

import numpy as np

import headwater as tf

L = tf.contrib.layers


def _network(training):
    images = tf.constant(np.arange(96).reshape(2, 4, 4, 3) / 50.0, tf.float32)
    with tf.contrib.framework.arg_scope(
        [L.conv2d, L.fully_connected],
        weights_regularizer=L.l2_regularizer(0.5),
        normalizer_fn=L.batch_norm,
        normalizer_params={"decay": 0.9, "is_training": training, "scale": True},
    ):
        net = L.conv2d(images, 4, [3, 3], outputs_collections="ends")
        net = L.max_pool2d(net, 2, outputs_collections="ends")
        net = L.dropout(L.flatten(net), 0.5, is_training=training)
        return L.fully_connected(
            net,
            3,
            normalizer_fn=None,
            activation_fn=None,
            scope="logits",
            outputs_collections="ends",
        )


def test_names_of_variables_updates_and_losses():
    with tf.Graph().as_default():
        _network(True)
        assert [v.op.name for v in tf.model_variables()] == [
            "Conv/weights",
            "Conv/BatchNorm/gamma",
            "Conv/BatchNorm/beta",
            "Conv/BatchNorm/moving_mean",
            "Conv/BatchNorm/moving_variance",
            "logits/weights",
            "logits/biases",
        ]
        assert [v.op.name for v in tf.trainable_variables()] == [
            "Conv/weights",
            "Conv/BatchNorm/gamma",
            "Conv/BatchNorm/beta",
            "logits/weights",
            "logits/biases",
        ]
        assert [u.name for u in tf.get_collection(tf.GraphKeys.UPDATE_OPS)] == [
            "Conv/BatchNorm/AssignMovingAvg",
            "Conv/BatchNorm/AssignMovingAvg_1",
        ]
        assert [loss.op.name for loss in tf.losses.get_regularization_losses()] == [
            "Conv/kernel/Regularizer/l2_regularizer",
            "logits/kernel/Regularizer/l2_regularizer",
        ]
        assert [(t.name, t.aliases) for t in tf.get_collection("ends")] == [
            ("Conv/Relu:0", ["Conv"]),
            ("MaxPool2D/MaxPool:0", ["MaxPool2D"]),
            ("logits/BiasAdd:0", ["logits"]),
        ]


def test_values_for_a_seed():
    with tf.Graph().as_default():
        tf.set_random_seed(3)
        training = tf.placeholder_with_default(True, [])
        logits = _network(training)
        updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            np.testing.assert_allclose(
                session.run(logits),
                [[1.1735703, 2.2617857, -1.5254589], [2.137651, 0.8573537, -2.5683684]],
                rtol=1e-5,
            )
            session.run(updates)
            np.testing.assert_allclose(
                session.run(logits, {training: False}),
                [[-0.36104745, -0.24016412, -0.34378412], [-1.2334751, -1.5764027, -1.845246]],
                rtol=1e-5,
            )
            np.testing.assert_allclose(
                session.run(tf.losses.get_regularization_losses()),
                [0.9554063, 1.437989],
                rtol=1e-6,
            )
            mean, variance = (session.run(v) for v in tf.model_variables() if "moving" in v.name)
            np.testing.assert_allclose(
                mean, [-0.05759342, -0.12872434, 0.03409246, 0.10744699], rtol=1e-5
            )
            np.testing.assert_allclose(
                variance, [0.9202249, 1.0224953, 0.9134512, 0.94998235], rtol=1e-5
            )
