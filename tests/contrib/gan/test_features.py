"""tf.contrib.gan.features; the numbers are those of TensorFlow 1.14."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

features = tf.contrib.gan.features


def _run(*fetches):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return [session.run(fetch) for fetch in fetches]


def test_conditions_are_added():
    tf.set_random_seed(7)
    x = tf.constant(np.arange(12, dtype="f").reshape(3, 4) / 10, name="x")
    labels = tf.one_hot([0, 1, 1], 2)
    got = features.condition_tensor_from_onehot(x, labels, embedding_size=5)
    expected = [
        [-0.11368, -0.23868, 0.57977, 0.79341],
        [0.94217, 0.08443, 1.89098, 0.04128],
        [1.34217, 0.48443, 2.29098, 0.44128],
    ]
    np.testing.assert_allclose(_run(got)[0], expected, atol=1e-5)
    conditions = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    image = tf.placeholder(tf.float32, [None, 2, 2, 4])
    assert features.condition_tensor(image, conditions).shape.as_list() == [3, 2, 2, 4]


def test_conditions_need_shapes():
    x = tf.zeros([3, 4])
    with pytest.raises(ValueError, match=r"conditioning must be at least 2D, but saw shape: \(2,"):
        features.condition_tensor(x, tf.constant([1.0, 2.0]))
    unknown = tf.placeholder(tf.float32, [None, None, 2])
    with pytest.raises(ValueError, match=r"Shape \(\?, 2\) is not fully defined"):
        features.condition_tensor(unknown, x)
    with pytest.raises(ValueError, match=r"Shape \(3,\) must have rank 2"):
        features.condition_tensor_from_onehot(x, tf.placeholder(tf.float32, [3]))


def test_clipped_variables():
    v = tf.get_variable("v", [2], initializer=tf.constant_initializer([3.0, -4.0]))
    u = tf.get_variable("u", [], initializer=tf.constant_initializer(0.05))
    optimizer = features.clip_variables(tf.train.GradientDescentOptimizer(0.1), [v, u], 0.5)
    _, *values = _run(optimizer.minimize(tf.reduce_sum(v) + u), v, u)
    np.testing.assert_allclose(np.hstack(values), [0.5, -0.5, -0.05], rtol=1e-5, atol=1e-6)
    with pytest.raises(ValueError, match="must be positive"):
        features.clip_variables(optimizer, [v], -0.5)


def test_pools_give_earlier_values():
    x = tf.placeholder(tf.float32, [1])
    pooled = features.tensor_pool({"x": x}, pool_size=2, pooling_probability=1.0)["x"]
    assert pooled.shape == [1]
    with tf.Session() as session:
        got = [session.run(pooled, {x: [i]})[0] for i in range(8)]
    assert got[:2] == [0.0, 1.0]
    assert all(value < i for i, value in enumerate(got[2:], 2))
    assert len(set(got[2:])) == 6
    with pytest.raises(ValueError, match="`pool_size` is negative"):
        features.tensor_pool(x, pool_size=-1)
    assert features.tensor_pool(x, pool_size=0) is x


def test_spectral_norm():
    weights = np.random.RandomState(3).randn(2, 3, 4).astype("f")
    w = tf.constant(weights)
    norm = features.compute_spectral_norm(w, 30)
    normalized = features.spectral_normalize(w, 30)
    loss = features.spectral_norm_regularizer(0.5, 30)(w)
    expected = np.linalg.norm(weights.reshape(-1, 4), 2)
    got = _run(norm, normalized, loss)
    np.testing.assert_allclose(got[0], expected, rtol=1e-4)
    np.testing.assert_allclose(got[1], weights / expected, rtol=1e-4)
    np.testing.assert_allclose(got[2], expected / 2, rtol=1e-4)
    assert [v.name for v in tf.global_variables()] == [
        "spectral_norm/spectral_norm_u:0",
        "spectral_normalize/spectral_norm/spectral_norm_u:0",
        "spectral_norm_1/spectral_norm_u:0",
    ]
    assert features.spectral_norm_regularizer(0.0)(w) is None
    with pytest.raises(ValueError, match="scale cannot be an integer: 1"):
        features.spectral_norm_regularizer(1)
