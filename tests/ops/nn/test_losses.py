"""Cross entropies and other losses: values, stable forms, shapes, types, order of arguments."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

close = np.testing.assert_allclose
BAD = (ValueError, tf.errors.InvalidArgumentError)
equal = np.testing.assert_array_equal


def value(fetch, feed=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetch, feed)


def numbers(*shape, seed=0):
    return np.random.RandomState(seed).normal(size=shape).astype(np.float32)


def test_l2_and_poisson():
    assert value(tf.nn.l2_loss([[1.0, 2.0], [3.0, 0.0]])) == 7
    c, z = np.array([0.5, -1.0]), np.array([2.0, 3.0])
    plain = np.exp(c) - z * c
    close(value(tf.nn.log_poisson_loss(targets=z, log_input=c)), plain)
    full = plain + z * np.log(z) - z + 0.5 * np.log(2 * np.pi * z)
    close(value(tf.nn.log_poisson_loss(targets=z, log_input=c, compute_full_loss=True)), full)
    with pytest.raises(
        ValueError, match=r"log_input and targets must have the same shape \(\(2,\) vs \(1,\)\)"
    ):
        tf.nn.log_poisson_loss(targets=[1.0], log_input=[1.0, 2.0])


def test_sigmoid_cross_entropies():
    x, z = np.array([-1000.0, -1, 0.5, 1000]), np.array([0.0, 0.3, 1, 1])
    stable = np.maximum(x, 0) - x * z + np.log1p(np.exp(-abs(x)))
    found = value(tf.nn.sigmoid_cross_entropy_with_logits(labels=z, logits=x))
    close(found, stable)
    factor = 1 + (3.0 - 1) * z
    weighted = (1 - z) * x + factor * (np.log1p(np.exp(-abs(x))) + np.maximum(-x, 0))
    close(value(tf.nn.weighted_cross_entropy_with_logits(z, x, 3.0)), weighted)
    close(value(tf.nn.weighted_cross_entropy_with_logits(z, x, 1.0)), found)
    for f in (
        lambda: tf.nn.sigmoid_cross_entropy_with_logits(labels=[1.0], logits=[1.0, 2.0]),
        lambda: tf.nn.weighted_cross_entropy_with_logits([1.0], [1.0, 2.0], 1.0),
    ):
        with pytest.raises(
            ValueError, match=r"logits and labels must have the same shape \(\(2,\) vs \(1,\)\)"
        ):
            f()


def test_softmax():
    x = numbers(3, 4).astype(np.float64)
    e = np.exp(x)
    close(value(tf.nn.softmax(x)), e / e.sum(-1, keepdims=True))
    close(value(tf.nn.softmax(x, dim=0)), e / e.sum(0))
    close(value(tf.nn.log_softmax(x)), np.log(e / e.sum(-1, keepdims=True)))
    labels = np.array([[0.1, 0.2, 0.3, 0.4]] * 3)
    logits = tf.constant(x)
    loss = tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    found, gradient = value([loss, tf.gradients(loss, logits)[0]])
    close(found, -(labels * np.log(e / e.sum(-1, keepdims=True))).sum(-1))
    close(gradient, e / e.sum(-1, keepdims=True) - labels)
    turned = tf.nn.softmax_cross_entropy_with_logits(labels=labels.T, logits=x.T, dim=0)
    close(value(turned), found)


def test_sparse_softmax_cross_entropy():
    x, labels = numbers(2, 3, 4), np.array([[0, 3, 1], [2, 2, 0]])
    dense = tf.nn.softmax_cross_entropy_with_logits(labels=np.eye(4)[labels], logits=x)
    sparse = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=x)
    close(*value([sparse, dense]), 1e-5)
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match="Received a label value of 4 which is outside the valid range of",
    ):
        value(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[4], logits=numbers(1, 4)))
    for labels, logits in ((1, 1.0), ([[1]], [[1.0, 2.0]])):
        with pytest.raises(
            ValueError, match=r"Logits cannot be scalars - received|Rank mismatch: Rank of labels"
        ):
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)


def test_l2_loss_of_any_rank():
    for dtype in (np.float16, np.float32, np.float64):
        loss = value(tf.nn.l2_loss(np.full((2, 1, 3), 2, dtype)))
        assert loss == 12 and loss.dtype == dtype and loss.shape == ()


def test_softmax_of_nothing():
    x = numbers(2, 3)
    close(*value([tf.nn.log_softmax(x, 0), tf.log(tf.nn.softmax(x, 0))]), 1e-5)
    for f in (tf.nn.softmax, tf.nn.log_softmax):
        for dtype in (np.float16, np.float32, np.float64):
            assert value(f(x.astype(dtype))).dtype == dtype
        with pytest.raises(
            BAD, match=r"Dimension \(2\) must be in the range \[-2, 2\) where 2 is the"
        ):
            value(f(x, dim=2))


def test_shapes_and_types_of_cross_entropies():
    for dtype in (np.float16, np.float32, np.float64):
        logits, labels = numbers(3, 4).astype(dtype), np.full((3, 4), 0.25, dtype)
        loss = value(tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits))
        assert loss.dtype == dtype and loss.shape == (3,)
        for kind in (np.int32, np.int64):
            sparse = tf.nn.sparse_softmax_cross_entropy_with_logits(
                labels=np.array([0, 3, 1], kind), logits=logits
            )
            assert value(sparse).dtype == dtype and sparse.get_shape() == [3]
    with pytest.raises(BAD, match="Dimensions must be equal, but are 4 and 5"):
        tf.nn.softmax_cross_entropy_with_logits(labels=numbers(3, 5), logits=numbers(3, 4))


def test_arguments_of_releases_before_1_0():
    """Logits come first there. (Two losses of two float tensors take the newer order.)"""
    x, z = numbers(2, 3), np.array([[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]], np.float32)
    places = np.array([2, 0])
    f = tf.nn.sparse_softmax_cross_entropy_with_logits
    close(*value([f(x, places), f(labels=places, logits=x)]))
    s = tf.nn.softmax_cross_entropy_with_logits
    close(*value([s(x, z), s(labels=z, logits=x)]))
    g = tf.nn.sigmoid_cross_entropy_with_logits
    close(*value([g(x, z), g(labels=z, logits=x)]))
    close(*value([g(logits=x, targets=z), g(labels=z, logits=x)]))
    h = tf.nn.weighted_cross_entropy_with_logits
    close(*value([h(z, x, 2.0), h(logits=x, targets=z, pos_weight=2.0)]))
    k = tf.nn.log_poisson_loss
    close(*value([k(log_input=x, targets=z), k(targets=z, log_input=x)]))


def test_softmax_and_its_cross_entropy():
    x = np.array([[1.0, 2.0, 300.0]], np.float32)
    y = tf.nn.softmax(x)
    assert value(tf.reduce_sum(y)) == 1 and np.isinf(value(-tf.log(y))).any()
    stable = tf.nn.softmax_cross_entropy_with_logits(x, [[1.0, 0.0, 0.0]])
    close(value(stable), [299])


def test_sigmoid_cross_entropy_of_large_logits():
    f = tf.nn.sigmoid_cross_entropy_with_logits
    equal(value(f(logits=[-1000.0, 1000.0], targets=[0.0, 1.0])), [0, 0])


def test_softmax_of_one_row():
    x = numbers(2, 3)
    e = np.exp(x)
    close(value(tf.nn.softmax(x)), e / e.sum(1, keepdims=True), 1e-6)
    close(value(tf.nn.log_softmax(x)), x - np.log(e.sum(1, keepdims=True)), 1e-5, 1e-6)


def test_labels_that_do_not_exist():
    """The page has a loss of 0; later releases have an error."""
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(numbers(1, 3), [3])
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match="Received a label value of 3 which is outside the valid range of",
    ):
        value(loss)


def test_entropy_is_driven_to_its_maximum():
    w = tf.get_variable("w", [5], initializer=tf.constant_initializer([2.0, 0, 1, -1, 0.5]))
    plogp = tf.nn.softmax(w, -1) * tf.nn.log_softmax(w, -1)
    train = tf.train.AdamOptimizer(0.05).minimize(tf.reduce_sum(plogp, -1))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(300):
            session.run(train)
        close(session.run(tf.nn.softmax(w)), np.full(5, 0.2), atol=2e-3)


def test_losses_and_dropout():
    found = value(tf.nn.softmax(np.array([[0.1, 0.3, 0.5, 0.9]])))
    assert found.dtype == np.float64
    close(found, [[0.16838508, 0.205666, 0.25120102, 0.37474789]], 1e-7)
    x, z = numbers(3, 4), np.eye(4, dtype=np.float32)[[0, 2, 3]]
    one = value(tf.nn.sigmoid_cross_entropy_with_logits(labels=z, logits=x))
    p = 1 / (1 + np.exp(-x))
    close(one, -z * np.log(p) - (1 - z) * np.log(1 - p), 1e-4)
    whole = value(tf.nn.softmax_cross_entropy_with_logits(labels=z, logits=x))
    sparse = value(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 2, 3], logits=x))
    e = np.exp(x) / np.exp(x).sum(1, keepdims=True)
    close(whole, -np.log(e[range(3), [0, 2, 3]]), 1e-5)
    close(sparse, whole, 1e-6)
    ones = np.ones((50, 40), np.float32)
    for dropped in (tf.nn.dropout(ones, keep_prob=0.8, seed=1),
                    tf.layers.dropout(ones, rate=0.2, training=True, seed=1)):  # fmt: skip
        result = value(dropped)
        close(np.unique(result), [0, 1.25])
        assert abs((result > 0).mean() - 0.8) < 0.05
    equal(value(tf.layers.dropout(ones, rate=0.2, training=False)), ones)
