"""Statements of the tutorials about ops (lines 1243 to 4842)."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

close = np.testing.assert_allclose
equal = np.testing.assert_array_equal


def value(fetch, feed=None):
    with tf.Session() as session:
        return session.run(fetch, feed)


def test_1243_1680_to_1830_small_mathematics():
    equal(value(tf.sub([1, 2], [3, 3])), [-2, -1])
    y, labels = np.array([[0.1, 0.9], [0.8, 0.2]]), np.array([[0, 1.0], [0, 1]])
    hits = tf.equal(tf.argmax(y, 1), tf.argmax(labels, 1))
    equal(value(hits), [True, False])
    assert value(tf.reduce_mean(tf.cast([True, False, True, True], "float"))) == 0.75
    cross_entropy = tf.reduce_mean(-tf.reduce_sum(labels * tf.log(y), reduction_indices=[1]))
    close(value(cross_entropy), -np.log([0.9, 0.2]).mean())


def test_1527_to_1639_softmax_and_its_cross_entropy():
    x = np.array([[1.0, 2.0, 300.0]], np.float32)
    y = tf.nn.softmax(x)
    assert value(tf.reduce_sum(y)) == 1 and np.isinf(value(-tf.log(y))).any()
    stable = tf.nn.softmax_cross_entropy_with_logits(x, [[1.0, 0.0, 0.0]])
    close(value(stable), [299])


def test_1601_to_1609_a_layer():
    x = tf.placeholder(tf.float32, [None, 784])
    w, b = tf.zeros([784, 10]), tf.constant(np.arange(10, dtype=np.float32))
    equal(value(tf.matmul(x, w) + b, {x: np.ones((3, 784))}), [list(range(10))] * 3)


def test_1858_to_1921_convolution_network():
    assert tf.constant(0.1, shape=[32]).get_shape() == [32]
    image = tf.reshape(tf.placeholder(tf.float32, [None, 784]), [-1, 28, 28, 1])
    assert image.get_shape().as_list() == [None, 28, 28, 1]
    w = tf.truncated_normal([5, 5, 1, 32], stddev=0.1)
    h = tf.nn.conv2d(image, w, strides=[1, 1, 1, 1], padding="SAME")
    assert h.get_shape().as_list() == [None, 28, 28, 32]
    for side in (14, 7):
        h = tf.nn.max_pool(h, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
        assert h.get_shape().as_list() == [None, side, side, 32]


def test_1933_to_1968_dropout_by_a_placeholder():
    keep_prob = tf.placeholder("float")
    x = np.ones((30, 30), np.float32)
    dropped = tf.nn.dropout(x, keep_prob)
    equal(value(dropped, {keep_prob: 1.0}), x)
    close(np.unique(value(dropped, {keep_prob: 0.5})), [0, 2])


def test_2039_to_2120_the_mechanics():
    batch_size = 4
    labels = tf.placeholder(tf.int32, shape=(batch_size))
    assert labels.get_shape() == [4]
    logits = tf.constant(np.random.RandomState(0).normal(size=(4, 10)).astype(np.float32))
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(
        logits, tf.to_int64(labels), name="xentropy"
    )
    mean = tf.reduce_mean(loss, name="xentropy_mean")
    assert mean.op.name == "xentropy_mean"
    correct = tf.nn.in_top_k(logits, labels, 1)
    given = np.array([1, 2, 3, 9])
    with tf.Session() as session:
        found, hits = session.run([mean, correct], {labels: given})
        x = session.run(logits)
    e = np.exp(x) / np.exp(x).sum(1, keepdims=True)
    close(found, -np.log(e[range(4), given]).mean(), 1e-5)
    equal(hits, x.argmax(1) == given)


def test_3827_to_3924_image_labels():
    image = tf.expand_dims(tf.cast(np.full((4, 6, 3), 128, np.uint8), tf.float32), 0)
    small = tf.image.resize_bilinear(image, [2, 3])
    normal = tf.div(tf.sub(small, [127.0]), [2.0])
    equal(value(normal), np.full((1, 2, 3, 3), 0.5))
    scores = tf.nn.top_k([[0.1, 0.7, 0.2]], 2, name="top")
    with tf.Session() as session:
        best, places = session.run(["top:0", "top:1"])
    close(best, [[0.7, 0.2]], 1e-6)
    equal(places, [[1, 2]])
    assert scores.values.op.type == "TopKV2"


def test_4148_to_4230_word_vectors():
    vocabulary, size, batch = 50, 8, 4
    embeddings = tf.Variable(tf.random_uniform([vocabulary, size], -1.0, 1.0))
    weights = tf.Variable(tf.truncated_normal([vocabulary, size], stddev=1.0 / np.sqrt(size)))
    biases = tf.Variable(tf.zeros([vocabulary]))
    inputs = tf.placeholder(tf.int32, shape=[batch])
    labels = tf.placeholder(tf.int32, shape=[batch, 1])
    embed = tf.nn.embedding_lookup(embeddings, inputs)
    feed = {inputs: [1, 2, 3, 4], labels: [[2], [3], [4], [5]]}
    for sampled in (tf.nn.nce_loss, tf.nn.sampled_softmax_loss):
        loss = sampled(weights, biases, embed, labels, 16, vocabulary)
        assert loss.get_shape() == [batch]
        train = tf.train.GradientDescentOptimizer(learning_rate=1.0).minimize(tf.reduce_mean(loss))
        with tf.Session() as session:
            session.run(tf.initialize_all_variables())
            first = np.mean([session.run(loss, feed).mean() for _ in range(20)])
            for _ in range(60):
                session.run(train, feed)
            assert np.mean([session.run(loss, feed).mean() for _ in range(20)]) < first / 2


def test_4652_to_4692_mandelbrot():
    y, x = np.mgrid[-1.3:1.3:0.05, -2:1:0.05]
    z = x + 1j * y
    with tf.Session():
        xs = tf.constant(z.astype("complex64"))
        zs = tf.Variable(xs)
        ns = tf.Variable(tf.zeros_like(xs, "float32"))
        assert zs.dtype.base_dtype == tf.complex64 and ns.dtype.base_dtype == tf.float32
        tf.initialize_all_variables().run()
        new = zs * zs + xs
        not_diverged = tf.complex_abs(new) < 4
        step = tf.group(zs.assign(new), ns.assign_add(tf.cast(not_diverged, "float32")))
        for _ in range(50):
            step.run()
        counts = ns.eval()
    now, expected = z.astype(np.complex64), np.zeros(z.shape)
    with np.errstate(all="ignore"):
        for _ in range(50):
            now = now * now + z.astype(np.complex64)
            expected += abs(now) < 4
    assert (counts == expected).mean() > 0.995


def test_4756_to_4842_waves_on_a_pond():
    kernel = tf.constant([[0.5, 1.0, 0.5], [1.0, -6.0, 1.0], [0.5, 1.0, 0.5]], dtype=1)
    assert kernel.dtype == tf.float32
    kernel = tf.reshape(kernel, [3, 3, 1, 1])

    def laplace(grid):
        grid = tf.expand_dims(tf.expand_dims(grid, 0), -1)
        y = tf.nn.depthwise_conv2d(grid, kernel, [1, 1, 1, 1], padding="SAME")
        return y[0, :, :, 0]

    start = np.random.RandomState(0).uniform(size=(20, 20)).astype(np.float32)
    eps, damping = tf.placeholder(tf.float32, shape=()), tf.placeholder(tf.float32, shape=())
    u, ut = tf.Variable(start), tf.Variable(np.zeros_like(start))
    u_ = u + eps * ut
    ut_ = ut + eps * (laplace(u) - damping * ut)
    step = tf.group(u.assign(u_), ut.assign(ut_))
    with tf.Session():
        tf.initialize_all_variables().run()
        for _ in range(10):
            step.run({eps: 0.03, damping: 0.04})
        found = u.eval()
    now, speed = start.astype(np.float64), np.zeros((20, 20))
    weights = np.array([[0.5, 1.0, 0.5], [1.0, -6.0, 1.0], [0.5, 1.0, 0.5]])
    for _ in range(10):
        padded = np.pad(now, 1)
        curve = sum(
            weights[i, j] * padded[i : i + 20, j : j + 20] for i in range(3) for j in range(3)
        )
        now, speed = now + 0.03 * speed, speed + 0.03 * (curve - 0.04 * speed)
    close(found, now, 1e-4, 1e-5)


@pytest.mark.parametrize("act", [tf.nn.relu, tf.nn.softmax, tf.sigmoid, tf.tanh])
def test_5228_activations_with_a_name(act):
    """`act(preactivate, 'activation')` of the page about summaries."""
    result = act(tf.constant([[1.0, 2.0]]), "activation")
    assert result.op.name.startswith("activation")


def test_8440_8507_linear_quantization():
    """0 is the least and 255 the greatest value; 128 of [-10, 30] is 10.08."""
    codes = np.array([0, 128, 255], np.uint8)
    quantized = tf.bitcast(tf.constant(codes), tf.quint8)
    found = value(tf.dequantize(quantized, -10.0, 30.0, mode="MIN_COMBINED"))
    close(found, [-10, -10 + 40 * 128 / 255, 30], 1e-5)
    low, high = value(
        tf.dequantize(tf.bitcast(tf.constant([0, 255], tf.uint8), tf.quint8), -3.0, 6.0)
    )
    close([low, high], [-3, 6], 1e-6)
    there = tf.quantize_v2(np.array([-10, 10, 30], np.float32), -10.0, 30.0, tf.quint8)
    equal(value(tf.bitcast(there.output, tf.uint8)), [0, 128, 255])
