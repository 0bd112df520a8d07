"""Fractional pooling: sequences, seeds, types and refused ratios."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

equal = np.testing.assert_array_equal
close = np.testing.assert_allclose


def value(fetch, feed=None):
    with tf.Session() as session:
        return session.run(fetch, feed)


def numbers(*shape, seed=0):
    return np.random.RandomState(seed).normal(size=shape).astype(np.float32)


def test_fractional_pools():
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


def test_fractional_arguments():
    for ratio in ([2.0, 1.4, 1.4, 1.0], [1.0, 1.4, 1.4, 2.0]):
        with pytest.raises(
            (ValueError, tf.errors.OpError),
            match="Fractional max pooling is not yet supported on the batch nor",
        ):
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


def test_seeds_and_types_of_fractional_pools():
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
