"""Statements on nn ops that other pages do not have (lines 21782 to 23412)."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

close = np.testing.assert_allclose
equal = np.testing.assert_array_equal
BAD = (ValueError, tf.errors.OpError)


def value(fetch, feed=None):
    with tf.Session() as session:
        return session.run(fetch, feed)


def numbers(*shape, seed=0):
    return np.random.RandomState(seed).normal(size=shape).astype(np.float32)


def test_21782_to_21849_activations_keep_shapes():
    for f in (tf.nn.relu, tf.nn.relu6, tf.nn.elu, tf.nn.softplus, tf.nn.softsign, tf.sigmoid,
              tf.tanh):  # fmt: skip
        for shape in ((), (3,), (2, 0, 3), (2, 3, 4)):
            assert value(f(numbers(*shape))).shape == shape
    assert tf.nn.elu(tf.constant(1.0, tf.float64)).dtype == tf.float64


def test_21895_bias_of_a_wrong_size():
    for value_, bias in ((numbers(2, 3), numbers(2)), (numbers(2, 3), numbers(1, 3))):
        with pytest.raises(ValueError):
            tf.nn.bias_add(value_, bias)


def test_22011_to_22052_strides_and_formats():
    x, w = numbers(1, 3, 4, 5), numbers(1, 1, 3, 2)
    first = tf.nn.conv2d(x, w, [1, 1, 2, 1], "SAME", data_format="NCHW")
    assert first.get_shape() == [1, 2, 2, 5]
    depthwise = numbers(1, 1, 5, 3, seed=1)
    y = value(tf.nn.depthwise_conv2d(x, depthwise, [1, 1, 1, 1], "VALID"))
    equal(y, (x[..., None] * depthwise[0, 0]).reshape(1, 3, 4, 15))


def test_22075_to_22087_separable_strides():
    x, d, p = numbers(1, 6, 6, 2), numbers(3, 3, 2, 2, seed=1), numbers(1, 1, 4, 5, seed=2)
    both = value(tf.nn.separable_conv2d(x, d, p, [1, 2, 2, 1], "SAME"))
    first = value(tf.nn.depthwise_conv2d(x, d, [1, 2, 2, 1], "SAME"))
    close(both, first @ p[0, 0], 1e-4, 1e-5)
    with pytest.raises(ValueError):
        tf.nn.separable_conv2d(x, d, numbers(1, 1, 3, 5), [1, 1, 1, 1], "SAME")


def test_22168_rates_are_positive():
    for rate in (0, -1):
        with pytest.raises(ValueError):
            tf.nn.atrous_conv2d(numbers(1, 4, 4, 1), numbers(2, 2, 1, 1), rate, "SAME")


def test_22195_output_shapes_known_at_the_run():
    x, w = tf.placeholder(tf.float32, [None, 2, 2, 3]), numbers(3, 3, 2, 3)
    y = tf.nn.conv2d_transpose(x, w, tf.pack([tf.shape(x)[0], 4, 4, 2]), [1, 2, 2, 1])
    assert value(y, {x: numbers(5, 2, 2, 3)}).shape == (5, 4, 4, 2)


def test_22218_conv3d_strides():
    x, w = numbers(1, 4, 4, 4, 1), numbers(2, 2, 2, 1, 1)
    assert tf.nn.conv3d(x, w, [1, 2, 2, 2, 1], "SAME").get_shape() == [1, 2, 2, 2, 1]
    for strides in ([2, 1, 1, 1, 1], [1, 1, 1, 1, 2]):
        with pytest.raises(BAD):
            value(tf.nn.conv3d(x, w, strides, "SAME"))


def test_22249_windows_beyond_the_edge():
    """What lies outside does not count in a mean."""
    x = np.ones((1, 3, 3, 1), np.float32)
    equal(value(tf.nn.avg_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")), np.ones((1, 2, 2, 1)))
    volume = np.ones((1, 3, 3, 3, 1), np.float32)
    pooled = tf.nn.avg_pool3d(volume, [1, 2, 2, 2, 1], [1, 2, 2, 2, 1], "SAME")
    equal(value(pooled), np.ones((1, 2, 2, 2, 1)))


def test_22291_argmax_of_the_batch():
    """The page counts the image in too, which `include_batch_in_index` asks for."""
    x = numbers(2, 4, 4, 3)
    y, places = value(
        list(tf.nn.max_pool_with_argmax(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME",
                                        include_batch_in_index=True))
    )  # fmt: skip
    equal(x.ravel()[places], y)


def test_23869_pools_over_the_batch():
    with pytest.raises((ValueError, tf.errors.UnimplementedError)):
        value(tf.nn.max_pool(numbers(2, 4, 4, 1), [2, 1, 1, 1], [1] * 4, "VALID"))


def test_22398_to_22449_morphology_as_pooling():
    x = -1 - abs(numbers(1, 5, 5, 2))
    flat = np.zeros((3, 3, 2), np.float32)
    dilated = tf.nn.dilation2d(x, flat, [1, 2, 2, 1], [1, 1, 1, 1], "SAME")
    equal(*value([dilated, tf.nn.max_pool(x, [1, 3, 3, 1], [1, 2, 2, 1], "SAME")]))
    for padding in ("FULL", "same"):
        with pytest.raises(BAD):
            value(tf.nn.erosion2d(x, flat, [1] * 4, [1] * 4, padding))


def test_22557_order_of_the_arguments_of_moments():
    x = numbers(4, 3)
    mean, variance = value(tf.nn.moments(x, [0], tf.constant(1.0), "name", True))
    assert mean.shape == (1, 3)
    close(mean[0], x.mean(0), 1e-5, 1e-6)
    close(variance[0], x.var(0), 1e-4)


def test_22636_sigmoid_cross_entropy_of_large_logits():
    f = tf.nn.sigmoid_cross_entropy_with_logits
    equal(value(f(logits=[-1000.0, 1000.0], targets=[0.0, 1.0])), [0, 0])


def test_22665_22684_softmax():
    x = numbers(2, 3)
    e = np.exp(x)
    close(value(tf.nn.softmax(x)), e / e.sum(1, keepdims=True), 1e-6)
    close(value(tf.nn.log_softmax(x)), x - np.log(e.sum(1, keepdims=True)), 1e-5, 1e-6)


def test_22737_labels_that_do_not_exist():
    """The page has a loss of 0; later releases have an error."""
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(numbers(1, 3), [3])
    with pytest.raises(tf.errors.InvalidArgumentError):
        value(loss)


def test_22797_to_22803_shards():
    shards = {
        "mod": [[0, 5, 10], [1, 6, 11], [2, 7, 12], [3, 8], [4, 9]],
        "div": [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10], [11, 12]],
    }
    for strategy, parts in shards.items():
        table = [np.array(part, np.float32)[:, None] for part in parts]
        ids = np.array([[0, 12], [7, 9]])
        found = tf.nn.embedding_lookup(table, ids, partition_strategy=strategy)
        assert found.get_shape().as_list() in ([2, 2, 1], [2, 2, None])
        equal(value(found)[..., 0], ids)


def test_22851_to_22860_embedding_lookup_sparse():
    params = numbers(10, 20)
    places, shape = [[0, 0], [0, 1], [1, 0], [2, 3]], [3, 4]
    ids = tf.SparseTensor(places, np.array([1, 3, 0, 1]), shape)
    weights = tf.SparseTensor(places, np.array([2.0, 0.5, 1.0, 3.0], np.float32), shape)
    found = value(tf.nn.embedding_lookup_sparse(params, ids, weights, combiner="mean"))
    close(found, [(params[1] * 2 + params[3] * 0.5) / 2.5, params[0], params[1]], 1e-5, 1e-6)
    plain = value(tf.nn.embedding_lookup_sparse(params, ids, weights))
    close(plain, found, 1e-6)


def test_23038_to_23081_evaluation():
    x = numbers(2, 3, 5)
    top, places = value(list(tf.nn.top_k(x, 2)))
    assert top.shape == places.shape == (2, 3, 2)
    equal(np.take_along_axis(x, places, -1), top)
    with pytest.raises(ValueError):
        tf.nn.top_k(x, 6)
    found = value(tf.nn.in_top_k([[0.0, 1.0, 1.0], [3.0, 2.0, 1.0]], [2, 1], 1))
    assert found.dtype == bool
    equal(found, [True, False])


def test_23121_to_23166_sampling_by_default_is_log_uniform():
    w, b, x = numbers(9, 4), numbers(9, seed=1), numbers(3, 4, seed=2)
    labels = np.array([[1], [4], [8]], np.int64)
    for f, order in ((tf.nn.nce_loss, (w, b, x, labels)), (tf.nn.nce_loss, (w, b, labels, x)),
                     (tf.nn.sampled_softmax_loss, (w, b, x, labels))):  # fmt: skip
        with tf.Graph().as_default() as graph:
            loss = f(*order, 5, 9)
            assert loss.get_shape() == [3]
            kinds = {op.type for op in graph.get_operations()}
            assert "LogUniformCandidateSampler" in kinds
            hits = "ComputeAccidentalHits" in kinds
            assert hits == (f is tf.nn.sampled_softmax_loss)
