"""Statements 14 to 225 on values: numerics, losses, initializers, arrays, metrics, pictures."""

from __future__ import annotations

import math

import numpy as np
import pytest

import headwater as tf

equal = np.testing.assert_array_equal
close = np.testing.assert_allclose


def value(fetch, feed=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetch, feed)


def numbers(*shape, seed=0):
    return np.random.RandomState(seed).normal(size=shape).astype(np.float32)


def test_23_24_constant_values_and_dimensions():
    equal(tf.contrib.util.constant_value(tf.constant([1, 2])), [1, 2])
    assert tf.contrib.util.constant_value(tf.placeholder(tf.int32)) is None
    shape = tf.placeholder(tf.float32, [None, 7]).get_shape()
    assert shape[0].value is None and shape[1].value == 7


def test_36_zero_sizes():
    empty = tf.zeros([2, 3, 0], tf.int32)
    joined = tf.concat([tf.gather(tf.reshape(empty, [6, 0]), [[0, 1, 2], [3, 4, 5]]),
                        tf.ones([2, 3, 1], tf.int32)], axis=2)  # fmt: skip
    equal(value(joined), np.ones((2, 3, 1)))


def test_38_to_43_reshape_and_expand_dims():
    x = [[1, 2], [3, 4], [5, 6]]
    equal(value(tf.reshape(x, [-1, 3, 1])), [[[1], [2], [3]], [[4], [5], [6]]])
    t = tf.placeholder(tf.float32, [None, 4])
    assert value(tf.reshape(t, [tf.shape(t)[0] * 2, 2]), {t: np.ones((3, 4))}).shape == (6, 2)
    for axis, shape in ((0, [1, 2]), (1, [2, 1]), (-1, [2, 1])):
        assert tf.expand_dims([1, 2], axis).get_shape() == shape
    for axis, shape in ((0, [1, 2, 3, 5]), (2, [2, 3, 1, 5]), (3, [2, 3, 5, 1])):
        assert tf.expand_dims(tf.zeros([2, 3, 5]), axis).get_shape() == shape
    with pytest.raises((TypeError, ValueError)):
        tf.reshape(x, [None, 3])


def test_44_to_53_stacks_splits_and_fills():
    a, b = [1, 2, 3], [4, 5, 6]
    for f in (tf.stack, tf.pack):
        equal(value(f([a, b], name="both")), [a, b])
    x = tf.placeholder(tf.float32)
    columns = tf.squeeze(tf.stack([tf.square(x), x, tf.ones_like(x)], 1))
    w = tf.constant([[5.0], [0.0], [3.0]])
    curve = tf.squeeze(tf.matmul(tf.stack([tf.square(x), x, tf.ones_like(x)], 1), w), 1)
    fed = {x: np.array([1.0, 2.0])}
    equal(value(columns, fed), [[1, 1, 1], [4, 2, 1]])
    equal(value(curve, fed), [8, 23])
    halves = tf.split(x, 2)
    equal(value(tf.concat(halves, axis=0), {x: [[1.0], [2.0]]}), [[1], [2]])
    equal(*value([tf.constant(a)[1:3], tf.slice(a, [1], [2])]))
    rows = tf.unstack(tf.zeros([500, 10]))
    assert len(rows) == 500 and rows[0].get_shape() == [10]
    equal(value(tf.identity(a)), a)
    equal(value(tf.zeros([2, 3, 4])[:, -1, :]), np.zeros((2, 4)))
    filled = tf.constant(value=1, shape=[3, 3, 1, 1], dtype=tf.float32)
    equal(value(filled), np.ones((3, 3, 1, 1)))
    v = tf.get_variable("v", [3, 3], initializer=tf.constant_initializer(list(range(9))))
    equal(value(v), np.arange(9).reshape(3, 3))


def test_116_entropy_is_driven_to_its_maximum():
    w = tf.get_variable("w", [5], initializer=tf.constant_initializer([2.0, 0, 1, -1, 0.5]))
    plogp = tf.nn.softmax(w, -1) * tf.nn.log_softmax(w, -1)
    train = tf.train.AdamOptimizer(0.05).minimize(tf.reduce_sum(plogp, -1))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(300):
            session.run(train)
        close(session.run(tf.nn.softmax(w)), np.full(5, 0.2), atol=2e-3)


def test_129_to_133_limits_of_float32():
    x, y = np.float32(1), np.float32(1e-50)
    assert np.isnan(value(tf.constant(x) * y / y))
    assert np.isnan(value(tf.constant(x) * np.float32(np.inf) / np.float32(np.inf)))

    def unstable(logits):
        e = tf.exp(logits)
        return e / tf.reduce_sum(e)

    found = value(unstable([1000.0, 0.0]))
    assert np.isnan(found[0]) and found[1] == 0
    assert np.isfinite(value(tf.exp(88.7))) and np.isinf(value(tf.exp(88.8)))


def test_134_to_137_stable_forms():
    def softmax(logits):
        e = tf.exp(logits - tf.reduce_max(logits))
        return e / tf.reduce_sum(e)

    equal(value(softmax([1000.0, 0.0])), [1, 0])
    equal(value(tf.nn.softmax([1000.0, 0.0])), [1, 0])
    p, x = tf.constant([0.5, 0.5]), tf.constant([1000.0, 0.0])
    unstable = -tf.reduce_sum(p * tf.log(tf.constant([1.0, 0.0])))
    assert np.isinf(value(unstable))
    shifted = x - tf.reduce_max(x)
    stable = -tf.reduce_sum(p * (shifted - tf.reduce_logsumexp(shifted)))
    assert value(stable) == 500
    assert value(tf.reduce_logsumexp(x)) == 1000
    equal(value(tf.gradients(stable, x)[0]), [0.5, -0.5])
    top, places = value(list(tf.nn.top_k(tf.log([[1.0, 0.0, 0.0]]) - 2.0, 2)))
    equal(top, [[-2, -np.inf]])
    equal(places, [[0, 1]])


def test_138_to_149_losses_and_dropout():
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


def initial(initializer, *shape):
    with tf.Graph().as_default():
        return value(tf.get_variable("v", shape, initializer=initializer))


def test_150_to_160_initializers():
    x = initial(tf.truncated_normal_initializer(mean=0.0, stddev=1.0, seed=None), 200, 100)
    assert abs(x).max() <= 2 and 0.8 < x.std() < 0.95
    assert abs(value(tf.truncated_normal((1000,)))).max() <= 2
    x = initial(tf.random_normal_initializer(mean=1.0, stddev=2.0), 200, 100)
    assert abs(x.mean() - 1) < 0.1 and abs(x.std() - 2) < 0.1
    x = initial(tf.random_uniform_initializer(minval=0, maxval=3.0), 200, 100)
    assert 0 <= x.min() < 0.01 and 2.99 < x.max() < 3
    bounds = (
        (tf.uniform_unit_scaling_initializer(factor=1.0), math.sqrt(3 / 200)),
        (tf.variance_scaling_initializer(scale=2.0, mode="fan_avg", distribution="uniform"),
         math.sqrt(3 * 2 / 150)),
        (tf.glorot_uniform_initializer(), math.sqrt(6 / 300)),
    )  # fmt: skip
    for initializer, bound in bounds:
        x = initial(initializer, 200, 100)
        assert 0.99 * bound < abs(x).max() <= bound
    for initializer, n in ((tf.variance_scaling_initializer(scale=1.0, mode="fan_in"), 200),
                           (tf.variance_scaling_initializer(mode="fan_out"), 100),
                           (tf.glorot_normal_initializer(), 150)):  # fmt: skip
        x = initial(initializer, 200, 100)
        close(x.std(), math.sqrt(1 / n), 0.05)
        assert abs(x).max() < 2.3 * math.sqrt(1 / n) / 0.87
    x = initial(tf.orthogonal_initializer(), 6, 6)
    close(x @ x.T, np.eye(6), atol=1e-5)
    equal(initial(tf.zeros_initializer(), 2), [0, 0])
    equal(initial(tf.ones_initializer(), 2), [1, 1])
    equal(initial(tf.constant_initializer(7), 2), [7, 7])


def test_161_to_170_arrays_and_mathematics():
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


def test_171_to_176_sizes_of_convolutions():
    for size, window, stride, padding, out in ((10, 3, 1, "VALID", 8), (10, 3, 2, "VALID", 4),
                                               (10, 3, 2, "SAME", 5),
                                               (10, 5, 1, "SAME", 10)):  # fmt: skip
        x, w = tf.zeros([1, size, size, 1]), tf.zeros([window, window, 1, 1])
        y = tf.nn.conv2d(x, w, strides=[1, stride, stride, 1], padding=padding)
        assert y.get_shape() == [1, out, out, 1]
    y = tf.layers.conv2d(tf.zeros([1, 50, 50, 10]), 20, 1)
    assert y.get_shape() == [1, 50, 50, 20]
    x = tf.placeholder(tf.float32, [None, 4, 4, 3])
    w = tf.ones([2, 2, 5, 3])
    output_shape = tf.pack([tf.shape(x)[0], 8, 8, 5])
    up = tf.nn.conv2d_transpose(
        x, w, output_shape=output_shape, strides=[1, 2, 2, 1], padding="SAME"
    )
    assert value(up, {x: np.ones((6, 4, 4, 3))}).shape == (6, 8, 8, 5)


def test_177_to_185_depthwise_convolutions():
    row = np.array([1.0, 2, 3, 4], np.float32)
    image = np.stack([np.tile(row, (4, 1)), np.ones((4, 4), np.float32)], -1)[None]
    weights = np.broadcast_to(np.array([[0.0, 2], [1, 3]], np.float32), (3, 3, 2, 2))
    deep = tf.nn.depthwise_conv2d(
        input=image, filter=weights, strides=[1, 1, 1, 1], rate=[1, 1], padding="VALID"
    )
    line = [[0, 36, 9, 27], [0, 54, 9, 27]]
    equal(value(deep), [[line, line]])
    flat = tf.nn.conv2d(input=image, filter=weights, strides=[1, 1, 1, 1], padding="VALID")
    line = [[9, 63], [9, 81]]
    equal(value(flat), [[line, line]])
    summed = tf.reduce_sum(tf.reshape(deep, [1, 2, 2, 2, 2]), 3)
    equal(*value([summed, flat]))
    x, w = tf.placeholder(tf.float32, [None, 14, 14, 32]), tf.zeros([3, 3, 32, 64])
    assert tf.nn.conv2d(x, w, [1] * 4, "SAME").get_shape().as_list() == [None, 14, 14, 64]
    deep = tf.nn.depthwise_conv2d(x, w, [1] * 4, "SAME")
    assert deep.get_shape().as_list() == [None, 14, 14, 2048]
    with pytest.raises(ValueError):
        tf.nn.depthwise_conv2d(image, weights, [1] * 4, "FULL")


def test_186_to_188_two_halves_of_a_sequence():
    with tf.variable_scope("net"):
        cell = tf.nn.rnn_cell.BasicRNNCell(5)
        zero = cell.zero_state(2, tf.float32)
        x = tf.constant(numbers(2, 6, 3))
        whole, last = tf.nn.dynamic_rnn(cell, x, initial_state=zero)
    with tf.variable_scope("net", reuse=True):
        first, state = tf.nn.dynamic_rnn(cell, x[:, :3], initial_state=zero)
        second, again = tf.nn.dynamic_rnn(cell, x[:, 3:], initial_state=state)
    assert whole.get_shape() == [2, 6, 5]
    zeros, one, two, state_one, state_two = value(
        [zero, whole, tf.concat([first, second], 1), last, again]
    )
    equal(zeros, np.zeros((2, 5)))
    close(two, one, 1e-5, 1e-6)
    close(state_two, state_one, 1e-5, 1e-6)


def test_189_to_196_streaming_metrics():
    x_1, x_2 = np.array([1, 2, 3, 4, 5, 6, 8, 8, 9, 10]) / 10, np.arange(10, 0, -1) / 10
    y = [True] * 5 + [False] * 5
    predictions, labels = tf.placeholder(tf.float64, [10]), tf.placeholder(tf.bool, [10])
    auc = tf.metrics.auc(labels=labels, predictions=predictions)
    assert isinstance(auc, tuple) and len(auc) == 2
    assert tf.local_variables() and not tf.global_variables()
    initializer = tf.group(tf.global_variables_initializer(), tf.local_variables_initializer())
    wanted = [0.0, 1.999999e-07, 0.48999995, 0.32444444, 0.48999995, 0.3904, 0.48999998]
    with tf.Session() as session:
        with pytest.raises(tf.errors.FailedPreconditionError):
            session.run(auc, {predictions: x_1, labels: y})
        for _ in range(2):
            session.run(initializer)
            for step in range(6):
                fed = {predictions: (x_1, x_2)[step % 2], labels: y}
                found = session.run(auc, fed)
                close(found, wanted[step : step + 2], 1e-5, 1e-12)
        late = tf.metrics.accuracy(labels, predictions > 0.5)
        with pytest.raises(tf.errors.FailedPreconditionError):
            session.run(late, {predictions: x_1, labels: y})
        for metric in (tf.metrics.recall, tf.metrics.precision, tf.metrics.accuracy):
            made = metric(labels=labels, predictions=predictions > 0.55)
            session.run(tf.local_variables_initializer())
            session.run(made, {predictions: x_2, labels: y})
            assert session.run(made[0]) == 1.0


def test_14_78_closing_and_declaring_twice():
    session = tf.Session()
    session.close()
    with pytest.raises(RuntimeError):
        session.run(tf.constant(1))
    tf.get_variable("w", [5])
    with pytest.raises(ValueError, match="already exists"):
        tf.get_variable("w", [5])


def test_111_119_121_122_124_gradients_and_what_is_not_run():
    logits = numbers(2, 3)
    equal(*value([tf.nn.softmax(logits, 0), tf.nn.softmax(logits, axis=0)]))
    x = tf.Variable([1.0, 2.0])
    (slope,) = tf.gradients([x * 2.0, x * x], x)
    equal(value(slope), [4, 6])
    tf.assert_positive(-x)
    optimizer = tf.train.GradientDescentOptimizer(0.5)
    pairs = optimizer.compute_gradients(tf.reduce_sum(x * x))
    assert pairs[0][1] is x
    step = optimizer.apply_gradients(pairs)
    with tf.Session() as session:
        session.run(x.initializer)
        session.run(step)
        equal(session.run(x), [0, 0])
    doubled = tf.py_func(lambda a: a * 2, [x], tf.float32)
    assert doubled.op.type == "PyFunc"
    equal(value(doubled), [2, 4])


def test_127_128_what_print_writes(capfd):
    a = tf.Print(tf.constant([1.0, 3.0]), [tf.constant([1.0, 3.0])], message="This is a: ")
    equal(value(tf.add(a, a)), [2, 6])
    assert "This is a: [1 3]" in capfd.readouterr().err


def test_225_pictures_from_python():
    def painted(images, labels):
        return np.stack([np.full((4, 4, 3), label, np.uint8) for label in labels])

    figures = tf.py_func(painted, [tf.zeros([2, 8, 8, 3]), tf.constant([3, 7])], tf.uint8)
    summary = tf.Summary.FromString(value(tf.summary.image("image", figures)))
    assert [(v.image.height, v.image.width) for v in summary.value] == [(4, 4), (4, 4)]
