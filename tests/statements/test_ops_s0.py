"""Statements T1 to T137 about nn ops: activations, convolutions, pools, losses, embeddings."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

close = np.testing.assert_allclose
equal = np.testing.assert_array_equal
REAL_TYPES = "float32 float64 int32 int64 uint8 int16 int8 uint16 float16".split()


def value(fetch, feed=None):
    with tf.Session() as session:
        return session.run(fetch, feed)


def numbers(*shape, seed=0):
    return np.random.RandomState(seed).normal(size=shape).astype(np.float32)


def test_t1_t2_t5_t6_t7_t8_activations():
    x = [[-2.0, 0.0, 3.0]]
    a = np.array(x)
    variable = tf.Variable(x)
    with tf.Session() as session:
        session.run(variable.initializer)
        for given in (x, a.astype(np.float32), variable):
            equal(session.run(tf.nn.relu(given)), [[0, 0, 3]])
    equal(value(tf.nn.crelu(x)), [[0, 0, 3, 2, 0, 0]])
    close(value(tf.nn.elu(x)), np.where(a < 0, np.exp(a) - 1, a), 1e-6)
    close(value(tf.nn.softplus(x)), np.log1p(np.exp(a)), 1e-6)
    close(value(tf.nn.softsign(x)), a / (abs(a) + 1), 1e-6)
    for f in (tf.nn.relu, tf.nn.relu6, tf.nn.elu, tf.nn.softplus, tf.sigmoid, tf.tanh):
        assert f(x).get_shape().as_list() == [1, 3]


@pytest.mark.parametrize("dtype", REAL_TYPES)
def test_t3_t4_relu_of_all_types(dtype):
    x = np.array([0, 3, 9] if dtype.startswith("u") else [-4, 3, 9], dtype)
    result = value(tf.nn.relu(x))
    assert result.dtype == dtype
    equal(result, np.maximum(x, 0))
    equal(value(tf.nn.relu6(x)), np.minimum(np.maximum(x, 0), 6))


def test_t9_t10_t11_t12_t16_dropout():
    x = np.ones((40, 50), np.float32)
    y = value(tf.nn.dropout(x, 0.4, seed=3))
    close(np.unique(y), [0, 2.5], 1e-6)
    assert abs(y.sum() - x.sum()) < 150
    images = np.ones((3, 4, 5, 6), np.float32)
    whole = value(tf.nn.dropout(images, 0.5, noise_shape=[3, 1, 1, 6], seed=1))
    equal(whole, np.broadcast_to(whole[:, :1, :1], whole.shape))


def test_t14_t15_dropout_arguments():
    for keep in (0.0, -0.1, 1.1):
        with pytest.raises(ValueError):
            tf.nn.dropout([1.0], keep)
    equal(value(tf.nn.dropout([1.0, 2.0], 1.0)), [1, 2])
    assert tf.nn.dropout([[1.0, 2.0]], tf.constant(0.5)).get_shape().as_list() == [1, 2]


def test_t17_t18_t19_bias_add():
    x = np.arange(24.0).reshape(2, 3, 4)
    equal(value(tf.nn.bias_add(x, np.arange(4.0))), x + np.arange(4.0))
    for bias in (np.zeros(3), np.zeros((1, 4))):
        with pytest.raises(ValueError):
            tf.nn.bias_add(x, bias)
    images = np.arange(24.0).reshape(1, 2, 3, 4)
    shifted = value(tf.nn.bias_add(images, [1.0, 2.0], data_format="NCHW"))
    equal(shifted, images + np.array([1.0, 2.0])[:, None, None])


@pytest.mark.parametrize("dtype", "float32 float64 int64 int32 uint8 int16 int8".split())
def test_t20_bias_add_of_all_types(dtype):
    result = value(tf.nn.bias_add(np.ones((2, 2), dtype), np.array([1, 2], dtype)))
    assert result.dtype == dtype
    equal(result, [[2, 3], [2, 3]])


def test_t24_tanh_of_a_sparse_tensor():
    x = tf.SparseTensor([[0, 1]], [0.5], [2, 2])
    result = value(tf.tanh(x))
    close(result.values, np.tanh([0.5]), 1e-6)


def test_t26_t28_t29_t32_paddings():
    for size, window, stride in ((5, 3, 1), (5, 3, 2), (6, 6, 1), (4, 1, 2), (7, 4, 3)):
        x, w = np.ones((1, size, 1, 1), np.float32), np.ones((window, 1, 1, 1), np.float32)
        same = value(tf.nn.conv2d(x, w, [1, stride, 1, 1], "SAME"))[0, :, 0, 0]
        out = -(-size // stride)
        along = max((out - 1) * stride + window - size, 0)
        padded = np.pad(np.ones(size), (along // 2, along - along // 2))
        equal(same, [padded[i * stride : i * stride + window].sum() for i in range(out)])
        valid = value(tf.nn.conv2d(x, w, [1, stride, 1, 1], "VALID"))
        assert valid.shape[1] == -(-(size - window + 1) // stride)


def test_t25_t33_t34_t38_t39_conv2d():
    x, w = numbers(2, 5, 6, 3), numbers(2, 3, 3, 4, seed=1)
    y = value(tf.nn.conv2d(x, w, [1, 1, 1, 1], "VALID"))
    patches = value(tf.extract_image_patches(x, [1, 2, 3, 1], [1] * 4, [1] * 4, "VALID"))
    close(y, patches @ w.reshape(18, 4), 1e-4, 1e-4)
    first = tf.nn.conv2d(
        x.transpose(0, 3, 1, 2),
        w,
        [1, 1, 1, 1],
        "VALID",
        use_cudnn_on_gpu=False,
        data_format="NCHW",
    )
    close(value(first), y.transpose(0, 3, 1, 2), 1e-4, 1e-5)


def test_t35_t36_t37_conv2d_that_does_not_exist():
    x, w = numbers(1, 4, 4, 1), numbers(2, 2, 1, 1)
    for strides in ([2, 1, 1, 1], [1, 1, 1, 2]):
        with pytest.raises((ValueError, tf.errors.OpError)):
            value(tf.nn.conv2d(x, w, strides, "SAME"))
    with pytest.raises(ValueError):
        tf.nn.conv2d(x, w, [1, 1, 1, 1], "same?")
    with pytest.raises((ValueError, TypeError)):
        tf.nn.conv2d(tf.constant(x), tf.constant(w, tf.float64), [1, 1, 1, 1], "SAME")


def test_t40_t41_t43_t44_depthwise():
    x, w = numbers(1, 4, 4, 2), numbers(3, 3, 2, 3, seed=1)
    y = value(tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME"))
    assert y.shape == (1, 4, 4, 6)
    for k in range(2):
        part = value(tf.nn.conv2d(x[..., k : k + 1], w[:, :, k : k + 1], [1] * 4, "SAME"))
        close(y[..., 3 * k : 3 * k + 3], part, 1e-4, 1e-5)
    close(value(tf.nn.depthwise_conv2d_native(x, w, [1, 1, 1, 1], "SAME")), y, 1e-5, 1e-6)
    point = numbers(1, 1, 6, 7, seed=2)
    both = value(tf.nn.separable_conv2d(x, w, point, [1, 1, 1, 1], "SAME"))
    close(both, value(tf.nn.conv2d(y, point, [1] * 4, "SAME")), 1e-4, 1e-5)


def test_t46_t48_t49_t52_atrous():
    x, w = numbers(1, 7, 7, 2), numbers(2, 2, 2, 3, seed=1)
    close(value(tf.nn.atrous_conv2d(x, w, 1, "SAME")), value(tf.nn.conv2d(x, w, [1] * 4, "SAME")))
    upsampled = np.zeros((3, 3, 2, 3), np.float32)
    upsampled[::2, ::2] = w
    y = value(tf.nn.atrous_conv2d(x, w, 2, "VALID"))
    close(y, value(tf.nn.conv2d(x, upsampled, [1] * 4, "VALID")), 1e-4, 1e-5)
    with pytest.raises(ValueError):
        tf.nn.atrous_conv2d(x, numbers(2, 2, 3, 3), 2, "SAME")
    with pytest.raises(ValueError):
        tf.nn.atrous_conv2d(x, w, 2, "FULL")


def test_t51_space_to_batch_and_back():
    x = numbers(2, 4, 6, 1)
    there = tf.space_to_batch(x, [[1, 1], [0, 0]], 2)
    equal(value(tf.batch_to_space(there, [[1, 1], [0, 0]], 2)), x)


def test_t54_t55_t56_t57_conv2d_transpose():
    x, w = tf.constant(numbers(1, 5, 5, 2)), numbers(3, 3, 2, 3, seed=1)
    y = tf.nn.conv2d(x, w, [1, 2, 2, 1], "SAME")
    g = numbers(1, 3, 3, 3, seed=2)
    back = tf.nn.conv2d_transpose(g, w, tf.shape(x), [1, 2, 2, 1])
    found, expected = value([back, tf.gradients(y, x, g)[0]])
    assert found.shape == (1, 5, 5, 2)
    close(found, expected, 1e-4, 1e-5)
    with pytest.raises(ValueError):
        tf.nn.conv2d_transpose(g, numbers(3, 3, 2, 4), [1, 5, 5, 2], [1, 2, 2, 1])
    with pytest.raises(ValueError):
        tf.nn.conv2d_transpose(g, w, [1, 5, 5, 2], [1, 2, 2, 1], padding="FULL")


def test_t58_t59_conv1d():
    x, w = numbers(2, 6, 3), numbers(2, 3, 4, seed=1)
    y = value(tf.nn.conv1d(x, w, 2, "VALID"))
    flat = value(tf.nn.conv2d(x[:, None], w[None], [1, 1, 2, 1], "VALID"))
    close(y, flat[:, 0], 1e-5, 1e-6)
    first = tf.nn.conv1d(x.transpose(0, 2, 1), w, 2, "VALID", data_format="NCHW")
    close(value(first), y.transpose(0, 2, 1), 1e-4, 1e-5)


def test_t60_t61_t62_conv3d():
    x, w = tf.constant(numbers(1, 3, 4, 4, 2)), numbers(2, 2, 2, 2, 3, seed=1)
    y = tf.nn.conv3d(x, w, [1, 1, 1, 1, 1], "VALID")
    assert y.get_shape().as_list() == [1, 2, 3, 3, 3]
    with pytest.raises(ValueError):
        tf.nn.conv3d(x, numbers(2, 2, 2, 3, 3), [1] * 5, "VALID")
    g = numbers(1, 2, 3, 3, 3, seed=2)
    back = tf.nn.conv3d_transpose(g, w, [1, 3, 4, 4, 2], [1] * 5, "VALID")
    found, expected = value([back, tf.gradients(y, x, g)[0]])
    close(found, expected, 1e-4, 1e-5)
    with pytest.raises(ValueError):
        tf.nn.conv3d_transpose(g, numbers(2, 2, 2, 2, 4), [1, 3, 4, 4, 2], [1] * 5, "VALID")


def test_t63_t64_t65_t66_t67_pools():
    x = numbers(1, 4, 6, 2)
    windows = x.reshape(1, 2, 2, 3, 2, 2)
    close(value(tf.nn.avg_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")), windows.mean((2, 4)), 1e-5)
    equal(value(tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")), windows.max((2, 4)))
    first = tf.nn.max_pool(
        x.transpose(0, 3, 1, 2), [1, 1, 2, 2], [1, 1, 2, 2], "VALID", data_format="NCHW"
    )
    equal(value(first), windows.max((2, 4)).transpose(0, 3, 1, 2))
    assert value(tf.nn.avg_pool(x.astype(np.float64), [1] * 4, [1] * 4, "SAME")).dtype == np.float64
    with pytest.raises(ValueError):
        tf.nn.max_pool3d(numbers(1, 2, 2, 2, 1), [1, 2, 2, 1], [1, 2, 2, 1], "VALID")


def test_t68_t69_t70_max_pool_with_argmax():
    x = numbers(1, 4, 4, 2)
    for kind in (tf.int64, tf.int32):
        y, places = tf.nn.max_pool_with_argmax(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME", Targmax=kind)
        assert places.dtype == kind and places.get_shape() == y.get_shape()
        equal(*value([y, tf.gather(x.ravel(), places)]))


def test_t71_pools_of_volumes():
    x = numbers(1, 2, 4, 2, 3)
    y = value(tf.nn.max_pool3d(x, [1, 2, 2, 2, 1], [1, 2, 2, 2, 1], "VALID"))
    equal(y, x.reshape(1, 1, 2, 2, 2, 1, 2, 3).max((2, 4, 6)))
    for ksize in ([2, 1, 1, 1, 1], [1, 1, 1, 1, 2]):
        with pytest.raises((ValueError, tf.errors.OpError)):
            value(tf.nn.max_pool3d(x, ksize, [1] * 5, "VALID"))


def test_t72_t73_t74_t75_t77_fractional_pools():
    x = numbers(1, 10, 13, 2)
    y, rows, columns = value(
        tf.nn.fractional_max_pool(x, [1.0, 1.4, 1.7, 1.0], pseudo_random=True, seed=1, seed2=2)
    )
    assert rows.dtype == columns.dtype == np.int64
    for sequence, size, out in ((rows, 10, y.shape[1]), (columns, 13, y.shape[2])):
        steps = np.diff(sequence)
        assert sequence[0] == 0 and sequence[-1] == size and len(sequence) == out + 1
        assert steps.min() >= size // out and steps.max() <= size // out + 1
    for i in range(y.shape[1]):
        for j in range(y.shape[2]):
            cell = x[:, rows[i] : rows[i + 1], columns[j] : columns[j + 1]]
            equal(y[:, i, j], cell.max((1, 2)))


def test_t76_t78_t79_fractional_arguments():
    for ratio in ([2.0, 1.4, 1.4, 1.0], [1.0, 1.4, 1.4, 2.0]):
        with pytest.raises((ValueError, tf.errors.OpError)):
            value(tf.nn.fractional_max_pool(numbers(1, 8, 8, 1), ratio))
    x = np.array([20.0, 5, 16, 3, 7], np.float32).reshape(1, 1, 5, 1)
    node = tf.nn.fractional_max_pool(
        numbers(1, 9, 9, 1), [1.0, 1.5, 1.5, 1.0], deterministic=True, seed=5, seed2=7
    )
    with tf.Session() as session:
        for one, two in zip(session.run(list(node)), session.run(list(node))):
            equal(one, two)
    y, _, columns = value(
        tf.nn.fractional_avg_pool(x, [1.0, 1.0, 2.0, 1.0], overlapping=True, seed=1, seed2=1)
    )
    ends = [slice(columns[i], columns[i + 1] + 1) for i in range(2)]
    close(y.ravel(), [x.ravel()[each].mean() for each in ends], 1e-6)


def test_t82_t83_t84_t87_t88_morphology():
    x, w = numbers(1, 5, 6, 2), numbers(2, 3, 2, seed=1)
    y = value(tf.nn.dilation2d(x, w, [1, 1, 1, 1], [1, 1, 1, 1], "VALID"))
    for i in range(4):
        for j in range(4):
            close(y[0, i, j], (x[0, i : i + 2, j : j + 3] + w).max((0, 1)), 1e-6)
    flat = value(tf.nn.dilation2d(x, np.zeros((2, 2, 2), np.float32), [1] * 4, [1] * 4, "SAME"))
    equal(flat, value(tf.nn.max_pool(x, [1, 2, 2, 1], [1] * 4, "SAME")))
    eroded = tf.nn.erosion2d(x, w, [1] * 4, [1] * 4, "VALID")
    assert eroded.op.name.startswith("erosion2d")
    negative = tf.nn.dilation2d(-x, w[::-1, ::-1], [1] * 4, [1] * 4, "VALID")
    equal(*value([eroded, -negative]))
    with pytest.raises(ValueError):
        tf.nn.erosion2d(x, numbers(2, 2, 3), [1] * 4, [1] * 4, "VALID")


def test_t89_t90_t91_l2_normalize():
    x = numbers(3, 4)
    close(value(tf.nn.l2_normalize(x[0], 0)), x[0] / np.linalg.norm(x[0]), 1e-5)
    equal(value(tf.nn.l2_normalize(np.zeros(3, np.float32), 0)), np.zeros(3))
    small = np.array([1e-8, 0], np.float32)
    close(value(tf.nn.l2_normalize(small, 0)), small / 1e-6, 1e-5)
    close(value(tf.nn.l2_normalize(x, [0, 1])), x / np.linalg.norm(x), 1e-5)


def test_t92_t93_local_response_normalization():
    x = abs(numbers(1, 2, 2, 8))
    y = value(tf.nn.local_response_normalization(x, 2, 1.5, 0.3, 0.7))
    padded = np.pad(x**2, [(0, 0)] * 3 + [(2, 2)])
    sums = sum(padded[..., i : i + 8] for i in range(5))
    close(y, x / (1.5 + 0.3 * sums) ** 0.7, 1e-4)
    everything = (x**2).sum(-1, keepdims=True)
    close(value(tf.nn.lrn(x))[..., 3], (x / np.sqrt(1 + everything))[..., 3], 0.2)


def test_t94_t95_t96_t97_t98_t99_moments():
    x = numbers(4, 3, 2, 5)
    count, total, square, shift = tf.nn.sufficient_statistics(x, [0, 1, 2], keep_dims=True)
    assert shift is None and total.get_shape().as_list() == [1, 1, 1, 5]
    assert tf.nn.sufficient_statistics(x, [0], shift=tf.constant(1.0))[3] is not None
    mean, variance = value(tf.nn.moments(x, [0, 1, 2]))
    close(mean, x.mean((0, 1, 2)), 1e-4, 1e-6)
    close(variance, x.var((0, 1, 2)), 1e-4)
    again = tf.nn.normalize_moments(count, total, square, shift)
    for one, two in zip(value(again), (mean, variance)):
        close(one.ravel(), two, 1e-4, 1e-5)
    assert value(tf.nn.moments(x, [0], keep_dims=True)[0]).shape == (1, 3, 2, 5)


def test_t100_t101_t102_batch_normalization():
    x, mean, variance = numbers(4, 3), numbers(3, seed=1), numbers(3, seed=2) ** 2
    y = value(tf.nn.batch_normalization(x, mean, variance, [1.0] * 3, [2.0] * 3, 0.1))
    close(y, 2 * (x - mean) / np.sqrt(variance + 0.1) + 1, 1e-4, 1e-5)
    plain = value(tf.nn.batch_normalization(x, mean, variance, None, None, 0.1))
    close(plain, (x - mean) / np.sqrt(variance + 0.1), 1e-4, 1e-5)
    kept = tf.nn.batch_normalization(x, mean[None], variance[None], None, None, 0.1)
    close(value(kept), plain, 1e-5)


def test_t103_t104_t105_t106_l2_and_poisson():
    assert value(tf.nn.l2_loss([[1.0, 2.0], [3.0, 0.0]])) == 7
    c, z = np.array([0.5, -1.0]), np.array([2.0, 3.0])
    plain = np.exp(c) - z * c
    close(value(tf.nn.log_poisson_loss(targets=z, log_input=c)), plain)
    full = plain + z * np.log(z) - z + 0.5 * np.log(2 * np.pi * z)
    close(value(tf.nn.log_poisson_loss(targets=z, log_input=c, compute_full_loss=True)), full)
    with pytest.raises(ValueError):
        tf.nn.log_poisson_loss(targets=[1.0], log_input=[1.0, 2.0])


def test_t107_t108_t109_t122_t123_t124_sigmoid_cross_entropies():
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
        with pytest.raises(ValueError):
            f()


def test_t110_t112_t113_t114_t115_t116_softmax():
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


def test_t117_t118_t119_t120_sparse_softmax_cross_entropy():
    x, labels = numbers(2, 3, 4), np.array([[0, 3, 1], [2, 2, 0]])
    dense = tf.nn.softmax_cross_entropy_with_logits(labels=np.eye(4)[labels], logits=x)
    sparse = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=x)
    close(*value([sparse, dense]), 1e-5)
    with pytest.raises(tf.errors.InvalidArgumentError):
        value(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[4], logits=numbers(1, 4)))
    for labels, logits in ((1, 1.0), ([[1]], [[1.0, 2.0]])):
        with pytest.raises(ValueError):
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)


def test_t125_t126_t127_t128_t129_t130_embedding_lookup():
    table = np.arange(13)
    parts = {
        "mod": [table[i::5] for i in range(5)],
        "div": [table[:3], table[3:6], table[6:9], table[9:11], table[11:]],
    }
    for strategy, split in parts.items():
        for kind in (np.int32, np.int64):
            found = tf.nn.embedding_lookup(split, np.arange(13, dtype=kind), strategy)
            equal(value(found), table)
    rows = numbers(5, 2)
    equal(value(tf.nn.embedding_lookup(rows, [[0, 4], [1, 1]])), rows[[[0, 4], [1, 1]]])
    with pytest.raises(ValueError):
        tf.nn.embedding_lookup([], [1])
    with pytest.raises(ValueError):
        tf.nn.embedding_lookup([rows, rows], [1], partition_strategy="other")


def test_t132_t133_t134_t135_t136_t137_embedding_lookup_sparse():
    table = numbers(6, 3)
    ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([1, 3, 0], tf.int64), [2, 2])
    weights = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [2.0, 0.5, 1.0], [2, 2])
    first = 2 * table[1] + 0.5 * table[3]
    expected = {"sum": 1.0, "mean": 2.5, "sqrtn": np.sqrt(4.25)}
    for combiner, bottom in expected.items():
        for params in (table, [table[::2], table[1::2]]):
            found = tf.nn.embedding_lookup_sparse(params, ids, weights, combiner=combiner)
            close(value(found), [first / bottom, table[0]], 1e-5)
    close(
        value(tf.nn.embedding_lookup_sparse(table, ids, None, combiner="sum")),
        [table[1] + table[3], table[0]],
        1e-5,
    )
    with pytest.raises(TypeError):
        tf.nn.embedding_lookup_sparse(table, [1], None)
    with pytest.raises(TypeError):
        tf.nn.embedding_lookup_sparse(table, ids, [1.0])
    with pytest.raises(ValueError):
        tf.nn.embedding_lookup_sparse(table, ids, None, combiner="max")


def ctc_setup():
    logits = numbers(4, 2, 4)
    labels = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], np.array([1, 0, 2], np.int32), [2, 2])
    return logits, labels


def test_t166_t168_t171_t174_ctc_loss():
    logits, labels = ctc_setup()
    lengths = [4, 3]
    loss = value(tf.nn.ctc_loss(labels, logits, lengths))
    close(value(tf.nn.ctc_loss(labels, logits + 5.0, lengths)), loss, 1e-4)
    turned = tf.nn.ctc_loss(labels, logits.transpose(1, 0, 2), lengths, time_major=False)
    close(value(turned), loss, 1e-5)
    e = np.exp(logits.astype(np.float64))
    p = e / e.sum(-1, keepdims=True)

    def collapsed(path):
        kept = [c for i, c in enumerate(path) if i == 0 or c != path[i - 1]]
        return [c for c in kept if c != 3]

    for b, wanted in ((0, [1, 0]), (1, [2])):
        total = sum(
            np.prod([p[t, b, c] for t, c in enumerate(path)])
            for path in np.ndindex(*[4] * lengths[b])
            if collapsed(path) == wanted
        )
        close(loss[b], -np.log(total), 1e-4)
    with pytest.raises(TypeError):
        tf.nn.ctc_loss([[1]], logits, lengths)


def test_t169_t170_t175_ctc_labels_that_do_not_fit():
    logits, labels = ctc_setup()
    bad = tf.SparseTensor([[0, 0], [1, 0]], np.array([-1, 1], np.int32), [2, 2])
    for given, lengths in ((labels, [5, 4]), (labels, [1, 4]), (bad, [4, 4])):
        with pytest.raises(tf.errors.InvalidArgumentError):
            value(tf.nn.ctc_loss(given, logits, lengths))


def test_t176_t177_t178_t180_t181_ctc_decoders():
    path = [0, 1, 1, 3, 1, 3, 1]
    logits = np.full((7, 1, 4), -5.0, np.float32)
    for t, c in enumerate(path):
        logits[t, 0, c] = 5
    for merge, wanted in ((True, [0, 1, 1, 1]), (False, [0, 1, 1, 1, 1])):
        decoded, scores = value(tf.nn.ctc_greedy_decoder(logits, [7], merge_repeated=merge))
        equal(decoded[0].values, wanted)
        equal(decoded[0].indices, [[0, i] for i in range(len(wanted))])
        assert tuple(decoded[0].dense_shape) == (1, len(wanted)) and scores.shape == (1, 1)
    for merge, wanted in ((True, [0, 1]), (False, [0, 1, 1, 1])):
        beams, scores = value(
            tf.nn.ctc_beam_search_decoder(logits, [7], top_paths=2, merge_repeated=merge)
        )
        assert len(beams) == 2 and scores.shape == (1, 2)
        equal(beams[0].values, wanted)


def test_t182_t183_t184_t185_top_k():
    x = np.array([[1.0, 3, 3, 2], [4, 0, 4, 4]])
    values, places = value(tf.nn.top_k(x, 3))
    equal(values, [[3, 3, 2], [4, 4, 4]])
    equal(places, [[1, 2, 3], [0, 2, 3]])
    assert value(tf.nn.top_k(x)).values.shape == (2, 1)
    equal(value(tf.nn.top_k(x, tf.constant(2))).values, values[:, :2])
    equal(np.sort(value(tf.nn.top_k(x, 3, sorted=False)).values), np.sort(values))
    with pytest.raises(ValueError):
        tf.nn.top_k(x, 5)


def test_t186_t187_in_top_k():
    x = np.array([[0.1, 0.5, 0.5, 0.2]] * 3, np.float32)
    for kind in (np.int32, np.int64):
        found = tf.nn.in_top_k(x, np.array([1, 2, 3], kind), 1)
        equal(value(found), [True, True, False])


def test_t188_t190_t191_t193_sampled_losses():
    w, b, x = numbers(9, 4), numbers(9, seed=1), numbers(3, 4, seed=2)
    labels = np.array([[1], [4], [8]], np.int64)
    sampled = tf.nn.uniform_candidate_sampler(labels, 1, 5, True, 9, seed=3)
    sampled = value(list(sampled))
    for f in (tf.nn.nce_loss, tf.nn.sampled_softmax_loss):
        loss = f(weights=w, biases=b, labels=labels, inputs=x, num_sampled=5, num_classes=9,
                 sampled_values=sampled)  # fmt: skip
        parts = f(weights=[w[::2], w[1::2]], biases=b, labels=labels, inputs=x, num_sampled=5,
                  num_classes=9, sampled_values=sampled)  # fmt: skip
        assert loss.get_shape().as_list() == [3]
        close(*value([loss, parts]), 1e-5)


def test_t194_t195_t196_t197_t206_samplers():
    labels = np.array([[0, 3], [5, 5]], np.int64)
    ids, true, expected = value(tf.nn.uniform_candidate_sampler(labels, 2, 6, True, 8, seed=1))
    assert ids.dtype == np.int64 and len(set(ids)) == 6 and ids.min() >= 0 and ids.max() < 8
    assert true.shape == (2, 2) and expected.shape == (6,)
    _, true, expected = value(tf.nn.uniform_candidate_sampler(labels, 2, 6, False, 8))
    close(true, np.full((2, 2), 6 / 8), 1e-6)
    ids, true, expected = value(tf.nn.log_uniform_candidate_sampler(labels, 2, 6, False, 8, seed=4))
    close(true, 6 * (np.log(labels + 2) - np.log(labels + 1)) / np.log(9), 1e-5)
    close(expected, 6 * (np.log(ids + 2) - np.log(ids + 1)) / np.log(9), 1e-5)
    with tf.Graph().as_default():
        again = value(tf.nn.log_uniform_candidate_sampler(labels, 2, 6, False, 8, seed=4)[0])
    with tf.Graph().as_default():
        equal(again, value(tf.nn.log_uniform_candidate_sampler(labels, 2, 6, False, 8, seed=4)[0]))


def test_t199_t201_t203_t204_unigram_samplers():
    labels = np.array([[0], [1]], np.int64)
    sampler = tf.nn.learned_unigram_candidate_sampler(labels, 1, 4, False, 3, seed=1)
    with tf.Session() as session:
        first, second = (session.run(sampler)[1] for _ in range(2))
    close(first, np.full((2, 1), 4 / 3), 1e-5)
    close(second, np.full((2, 1), 4 * 2 / 5), 1e-5)
    arguments = (labels, 1, 40, False, 5)
    for given in ({}, {"vocab_file": "f", "unigrams": [1.0]}):
        with pytest.raises((ValueError, tf.errors.OpError)):
            value(tf.nn.fixed_unigram_candidate_sampler(*arguments, **given)[0])
    ids, _, expected = value(
        tf.nn.fixed_unigram_candidate_sampler(
            *arguments, num_reserved_ids=2, unigrams=[1.0, 3.0, 4.0], seed=3
        )
    )
    assert ids.min() >= 2
    close(expected, np.array([0, 0, 5, 15, 20.0])[ids], 1e-5)
    flat = tf.nn.fixed_unigram_candidate_sampler(
        *arguments, distortion=0.0, unigrams=[1.0] * 4 + [9.0]
    )
    close(value(flat[2]), np.full(40, 8), 1e-5)


def test_t207_t208_compute_accidental_hits():
    rows, places, weights = tf.nn.compute_accidental_hits(
        np.array([[1, 2], [3, 3]], np.int64), np.array([3, 0, 2], np.int64), 2
    )
    masked = tf.sparse_to_dense(
        tf.stack([tf.to_int64(rows), places], 1), [2, 3], weights, 0.0, validate_indices=False
    )
    lowest = np.finfo(np.float32).min
    equal(value(masked), [[0, 0, lowest], [lowest, 0, 0]])
    assert rows.dtype == tf.int32 and places.dtype == tf.int64
