"""Small numeric programs of the tutorials against NumPy."""

from __future__ import annotations

import numpy as np

import headwater as tf

close = np.testing.assert_allclose
equal = np.testing.assert_array_equal


def value(fetch, feed=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetch, feed)


def numbers(*shape, seed=0):
    return np.random.RandomState(seed).normal(size=shape).astype(np.float32)


def test_small_mathematics():
    equal(value(tf.sub([1, 2], [3, 3])), [-2, -1])
    y, labels = np.array([[0.1, 0.9], [0.8, 0.2]]), np.array([[0, 1.0], [0, 1]])
    hits = tf.equal(tf.argmax(y, 1), tf.argmax(labels, 1))
    equal(value(hits), [True, False])
    assert value(tf.reduce_mean(tf.cast([True, False, True, True], "float"))) == 0.75
    cross_entropy = tf.reduce_mean(-tf.reduce_sum(labels * tf.log(y), reduction_indices=[1]))
    close(value(cross_entropy), -np.log([0.9, 0.2]).mean())


def test_a_layer():
    x = tf.placeholder(tf.float32, [None, 784])
    w, b = tf.zeros([784, 10]), tf.constant(np.arange(10, dtype=np.float32))
    equal(value(tf.matmul(x, w) + b, {x: np.ones((3, 784))}), [list(range(10))] * 3)


def test_loss_and_evaluation_of_a_classifier():
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


def test_labels_of_an_image_model():
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


def test_mandelbrot():
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


def test_waves_on_a_pond():
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


def test_arrays_and_mathematics():
    table = np.random.RandomState(0).rand(10, 1)
    equal(value(tf.nn.embedding_lookup(table, [1, 3])), table[[1, 3]])
    t = np.array([[1, 1.1], [2, 2.2], [3, 3.3], [4, 4.4]])
    equal(value(tf.gather(t, axis=1, indices=0)), [1, 2, 3, 4])
    equal(value(tf.gather(t, indices=1, axis=1)), [1.1, 2.2, 3.3, 4.4])
    equal(value(tf.gather(t, 2, axis=0)), [3, 3.3])
    cube = np.arange(1.0, 28).reshape(3, 3, 3)[:, :, :1] * 0 + np.arange(1.0, 10).reshape(3, 3, 1)
    for axis in ([1, 2], [-2, -1]):
        close(value(tf.norm(cube, axis=axis)), np.sqrt((cube**2).sum((1, 2))))
    x = [[1.0, 1.0], [2.0, 2.0]]
    assert value(tf.reduce_mean(x)) == 1.5
    equal(value(tf.argmax([[1, 5, 2], [9, 0, 3]], 1)), [1, 0])
    assert tf.matmul(numbers(2, 3), numbers(3, 4)).get_shape() == [2, 4]
    assert tf.matmul(numbers(10, 2, 3), numbers(10, 3, 4)).get_shape() == [10, 2, 4]
    ids = tf.constant([7, 12])
    equal(value([ids % 5, ids // 5]), [[2, 2], [1, 2]])
