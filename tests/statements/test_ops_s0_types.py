"""Statements T13 to T206 about types, quantized values, shards and files of the nn ops."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

close = np.testing.assert_allclose
equal = np.testing.assert_array_equal
BAD = (ValueError, tf.errors.InvalidArgumentError)


def value(fetch, feed=None):
    with tf.Session() as session:
        return session.run(fetch, feed)


def numbers(*shape, seed=0):
    return np.random.RandomState(seed).normal(size=shape).astype(np.float32)


def test_t13_noise_that_does_not_fit():
    x = np.ones((4, 5), np.float32)
    rows = value(tf.nn.dropout(x, 0.5, noise_shape=[4, 1], seed=1))
    equal(rows, np.broadcast_to(rows[:, :1], rows.shape))
    with pytest.raises(BAD):
        value(tf.nn.dropout(x, 0.5, noise_shape=[3, 1]))


def test_t20_t21_types_of_bias_add():
    for dtype in (np.complex64, np.complex128):
        result = value(tf.nn.bias_add(np.ones((2, 2), dtype), np.array([1j, 2], dtype)))
        assert result.dtype == dtype
        equal(result, [[1 + 1j, 3], [1 + 1j, 3]])
    with pytest.raises((TypeError, ValueError)):
        tf.nn.bias_add(tf.constant([[1.0]]), tf.constant([1], tf.int32))


def test_t22_sigmoid_of_all_types():
    for dtype in (np.float32, np.float64, np.complex64):
        x = np.array([-1, 0.5], dtype)
        close(value(tf.sigmoid(x)), 1 / (1 + np.exp(-x)), 1e-5)


def test_t30_t31_zeros_outside_and_offsets():
    x = np.arange(1.0, 26).reshape(1, 5, 5, 1)
    ones = np.ones((3, 3, 1, 1))
    every = value(tf.nn.conv2d(x, ones, [1, 1, 1, 1], "SAME"))[0, :, :, 0]
    padded = np.pad(x[0, :, :, 0], 1)
    equal(every, [[padded[i : i + 3, j : j + 3].sum() for j in range(5)] for i in range(5)])
    other = value(tf.nn.conv2d(x, ones, [1, 2, 2, 1], "SAME"))[0, :, :, 0]
    equal(other, every[::2, ::2])


def test_t36_t43_types_of_convolutions():
    for dtype in (np.float16, np.float32, np.float64):
        x, w = numbers(1, 4, 4, 1).astype(dtype), numbers(2, 2, 1, 1).astype(dtype)
        assert value(tf.nn.conv2d(x, w, [1] * 4, "SAME")).dtype == dtype
    x, w = numbers(1, 4, 4, 2).astype(np.float64), numbers(2, 2, 2, 1).astype(np.float64)
    assert value(tf.nn.depthwise_conv2d_native(x, w, [1] * 4, "SAME")).dtype == np.float64
    flat = tf.nn.conv1d(numbers(1, 4, 2).astype(np.float64), w[0], 1, "SAME")
    assert flat.dtype == tf.float64


def test_t42_depthwise_strides():
    x, w = numbers(1, 4, 4, 1), numbers(2, 2, 1, 1)
    for strides in ([2, 1, 1, 1], [1, 1, 1, 2]):
        with pytest.raises((ValueError, tf.errors.OpError)):
            value(tf.nn.depthwise_conv2d(x, w, strides, "SAME"))


def test_t45_more_outputs_than_inputs_are_not_needed():
    """The pages refuse fewer outputs than depthwise channels; releases after 1.0 allow them."""
    x, w = numbers(1, 4, 4, 2), numbers(2, 2, 2, 3)
    equal_number = tf.nn.separable_conv2d(x, w, numbers(1, 1, 6, 6), [1] * 4, "SAME")
    assert value(equal_number).shape == (1, 4, 4, 6)
    fewer = tf.nn.separable_conv2d(x, w, numbers(1, 1, 6, 2), [1] * 4, "SAME")
    assert value(fewer).shape == (1, 4, 4, 2)


def test_t47_t50_t53_atrous_chains():
    x, rate = numbers(1, 8, 8, 2), 2
    w = numbers(2, 2, 2, 1, seed=1)
    y = tf.nn.atrous_conv2d(x.astype(np.float64), w.astype(np.float64), rate, "VALID")
    assert y.dtype == tf.float64
    expected = sum(
        x[0, di * 2 : 6 + di * 2, dj * 2 : 6 + dj * 2] @ w[di, dj]
        for di in range(2) for dj in range(2)
    )  # fmt: skip
    close(value(y)[0], expected, 1e-4, 1e-5)
    filters = [numbers(3, 3, 2, 2, seed=seed) for seed in (2, 3)]
    chained = tf.constant(x)
    for each in filters:
        chained = tf.nn.atrous_conv2d(chained, each, rate=rate, padding="SAME")
    pad = [[0, 0], [0, 0]]
    net = tf.space_to_batch(x, paddings=pad, block_size=rate)
    for each in filters:
        net = tf.nn.conv2d(net, each, strides=[1, 1, 1, 1], padding="SAME")
    net = tf.batch_to_space(net, crops=pad, block_size=rate)
    close(*value([chained, net]), 1e-4, 1e-4)


def test_t80_t81_seeds_and_types_of_fractional_pools():
    for dtype in (np.float32, np.float64, np.int32, np.int64):
        x = (numbers(1, 9, 9, 1) * 50).astype(dtype)
        for pool in (tf.nn.fractional_max_pool, tf.nn.fractional_avg_pool):
            assert pool(x, [1.0, 1.5, 1.5, 1.0])[0].dtype == dtype
    regions = []
    for seeds in ((5, 0), (5, 0), (0, 5), (0, 5)):
        with tf.Graph().as_default():
            node = tf.nn.fractional_max_pool(
                numbers(1, 30, 30, 1), [1.0, 1.5, 1.5, 1.0], seed=seeds[0], seed2=seeds[1]
            )
            regions.append(value(list(node))[1].tolist())
    assert regions[0] == regions[1] and regions[2] == regions[3]


def test_t85_t86_shapes_and_types_of_dilation():
    x, w = np.arange(72).reshape(1, 6, 6, 2), np.ones((2, 2, 2))
    for dtype in "float32 float64 int32 int64 uint8 int16 int8 uint16 float16".split():
        y = tf.nn.dilation2d(x.astype(dtype), w.astype(dtype), [1, 2, 3, 1], [1, 2, 1, 1], "VALID")
        assert y.dtype == dtype and y.get_shape() == [1, 2, 2, 2]
        equal(value(y), x[:, 2:6:2, 1::3] + 1)
    with pytest.raises(ValueError):
        tf.nn.dilation2d(x.astype(np.float32), np.ones((2, 2)), [1] * 4, [1] * 4, "VALID")


def test_t103_l2_loss_of_any_rank():
    for dtype in (np.float16, np.float32, np.float64):
        loss = value(tf.nn.l2_loss(np.full((2, 1, 3), 2, dtype)))
        assert loss == 12 and loss.dtype == dtype and loss.shape == ()


def test_t111_t112_softmax_of_nothing():
    x = numbers(2, 3)
    close(*value([tf.nn.log_softmax(x, 0), tf.log(tf.nn.softmax(x, 0))]), 1e-5)
    for f in (tf.nn.softmax, tf.nn.log_softmax):
        for dtype in (np.float16, np.float32, np.float64):
            assert value(f(x.astype(dtype))).dtype == dtype
        with pytest.raises(BAD):
            value(f(x, dim=2))


def test_t113_t118_t121_shapes_and_types_of_cross_entropies():
    for dtype in (np.float16, np.float32, np.float64):
        logits, labels = numbers(3, 4).astype(dtype), np.full((3, 4), 0.25, dtype)
        loss = value(tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits))
        assert loss.dtype == dtype and loss.shape == (3,)
        for kind in (np.int32, np.int64):
            sparse = tf.nn.sparse_softmax_cross_entropy_with_logits(
                labels=np.array([0, 3, 1], kind), logits=logits
            )
            assert value(sparse).dtype == dtype and sparse.get_shape() == [3]
    with pytest.raises(BAD):
        tf.nn.softmax_cross_entropy_with_logits(labels=numbers(3, 5), logits=numbers(3, 4))


def test_t109_t113_arguments_of_releases_before_1_0():
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


def test_t131_kinds_of_ids():
    rows = numbers(5, 2)
    for kind in (np.int32, np.int64):
        equal(value(tf.nn.embedding_lookup(rows, np.array([3, 0], kind))), rows[[3, 0]])
    with pytest.raises((TypeError, ValueError)):
        tf.nn.embedding_lookup(rows, tf.constant([1.0]))


def test_t143_t146_t147_lengths_scopes_and_options_of_networks():
    x = tf.constant(numbers(2, 3, 4))
    for kind in (np.int32, np.int64):
        with tf.Graph().as_default():
            x = tf.constant(numbers(2, 3, 4))
            tf.set_random_seed(1)
            cell = tf.nn.rnn_cell.BasicRNNCell(5)
            lengths = np.array([2, 3], kind)
            plain, _ = tf.nn.dynamic_rnn(cell, x, lengths, dtype=tf.float32)
            assert all(v.name.startswith("rnn/") for v in tf.trainable_variables())
            tf.get_variable_scope().reuse_variables()
            other, _ = tf.nn.dynamic_rnn(
                cell, x, lengths, dtype=tf.float32, parallel_iterations=1, swap_memory=True
            )
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                equal(*session.run([plain, other]))


def test_t189_t192_sampled_losses_of_several_classes():
    w, b, x = numbers(50, 4), numbers(50, seed=1), numbers(3, 4, seed=2)
    labels = np.array([[1, 4], [8, 20], [3, 9]], np.int64)
    sampled = value(list(tf.nn.log_uniform_candidate_sampler(labels, 2, 10, True, 50, seed=3)))
    several = value(
        tf.nn.nce_loss(weights=w, biases=b, labels=labels, inputs=x, num_sampled=10,
                       num_classes=50, num_true=2, sampled_values=sampled)
    )  # fmt: skip
    ids, true, expected = sampled

    def cross_entropy(logits, z):
        return np.maximum(logits, 0) - logits * z + np.log1p(np.exp(-abs(logits)))

    hits = np.einsum("bd,btd->bt", x, w[labels]) + b[labels] - np.log(true)
    others = x @ w[ids].T + b[ids] - np.log(expected)
    close(several, cross_entropy(hits, 0.5).sum(1) + cross_entropy(others, 0).sum(1), 1e-4)
    one = labels[:, :1]
    full = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=one[:, 0], logits=x @ w.T + b)
    losses = [
        tf.nn.sampled_softmax_loss(weights=w, biases=b, labels=one, inputs=x, num_sampled=10,
                                   num_classes=50)
        for _ in range(2)
    ]  # fmt: skip
    with tf.Session() as session:
        means = np.mean([session.run(losses) for _ in range(40)], (0, 1))
        assert (means < session.run(full)).all()


def test_t198_counts_of_unique_samples():
    labels = np.array([[0]], np.int64)
    with tf.Session() as session:
        sampler = tf.nn.uniform_candidate_sampler(labels, 1, 5, True, 10)
        found = np.mean([session.run(sampler)[1] for _ in range(200)])
    assert 0.35 < found < 0.65


def test_t200_learned_counts_are_not_saved(tmp_path):
    labels = np.array([[0]], np.int64)
    sampler = tf.nn.learned_unigram_candidate_sampler(labels, 1, 4, False, 3, seed=1)
    tf.Variable(1.0)
    saver = tf.train.Saver()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        first = session.run(sampler)[1]
        session.run(sampler)
        path = saver.save(session, str(tmp_path / "model"))
    with tf.Session() as session:
        saver.restore(session, path)
        close(session.run(sampler)[1], first)


def test_t202_t205_vocabulary_files_and_shards(tmp_path):
    file = tmp_path / "words"
    file.write_text("a,1\nb,3\nc,x,4\n")
    labels = np.array([[1], [3]], np.int64)
    ids, true, _ = value(
        list(tf.nn.fixed_unigram_candidate_sampler(labels, 1, 40, False, 4, str(file),
                                                   num_reserved_ids=1, seed=3))
    )  # fmt: skip
    assert ids.min() >= 1
    close(true, [[40 / 8], [40 * 4 / 8]], 1e-5)
    part = tf.nn.fixed_unigram_candidate_sampler(
        np.array([[1], [2]]), 1, 40, False, 3, unigrams=[1.0, 2, 3, 4, 5, 6], num_shards=2, shard=1
    )
    ids, true, _ = value(list(part))
    assert ids.max() < 3
    close(true, [[40 * 4 / 12], [40 * 6 / 12]], 1e-5)


def test_2001_full_softmax_at_inference():
    x, w, b = numbers(3, 4), numbers(7, 4, seed=1), numbers(7, seed=2)
    found = value(tf.nn.softmax(tf.matmul(x, tf.transpose(w)) + b))
    e = np.exp(x @ w.T + b)
    close(found, e / e.sum(1, keepdims=True), 1e-5)
