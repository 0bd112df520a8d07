"""The bijector BatchNormalization: golden values of TensorFlow 1.15.5."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

BatchNormalization = tf.contrib.distributions.bijectors.BatchNormalization
X = np.array([[1.0, 2.0], [3.0, 5.0], [2.0, -1.0]], np.float32)


@pytest.mark.parametrize("training", [True, False])
def test_inverse_normalizes_and_forward_uses_averages(session, training):
    bijector = BatchNormalization(training=training)
    inverse = bijector.inverse(tf.constant(X))
    inverse_log = bijector.inverse_log_det_jacobian(tf.constant(X), event_ndims=1)
    forward = bijector.forward(tf.constant(X))
    forward_log = bijector.forward_log_det_jacobian(tf.constant(X), event_ndims=1)
    session.run(tf.global_variables_initializer())
    by_batch = [[-1.2238274, 0.0], [1.2238274, 1.2246429], [0.0, -1.2246428]]
    by_averages = X * 0.9995004
    expected = (
        by_batch if training else by_averages,
        -0.69398 if training else -0.00099954696,
        X * 1.0004998,
        0.00099954696,
    )
    found = session.run([inverse, inverse_log, forward, forward_log])
    for value, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(value, wanted, rtol=2e-6, atol=1e-6)
    assert len(tf.get_collection(tf.GraphKeys.UPDATE_OPS)) == (2 if training else 0)
    names = [v.op.name for v in tf.global_variables()]
    parts = ("gamma", "beta", "moving_mean", "moving_variance")
    assert names == [f"batch_normalization/{part}" for part in parts]


def test_density_of_a_transformed_distribution(session):
    normal = tf.contrib.distributions.MultivariateNormalDiag([0.0, 0.0])
    d = tf.contrib.distributions.TransformedDistribution(normal, BatchNormalization())
    density = d.log_prob(tf.constant(X))
    session.run(tf.global_variables_initializer())
    np.testing.assert_allclose(session.run(density), [-3.280734, -4.030609, -3.281732], rtol=1e-6)


@pytest.mark.parametrize(
    ("layer", "message"),
    [
        (lambda: tf.layers.BatchNormalization(virtual_batch_size=2), "virtual batch sizes"),
        (lambda: tf.layers.BatchNormalization(renorm=True), "support renormalization"),
        (lambda: tf.layers.Dense(3), "must be an instance of BatchNormalization layer"),
    ],
)
def test_layers_that_cannot_be_inverted(layer, message):
    with pytest.raises(ValueError, match=message):
        BatchNormalization(batchnorm_layer=layer())
