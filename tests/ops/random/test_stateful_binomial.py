"""Tests of binomial numbers whose state is a variable."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf


def _drawn(counts, probs, shape, runs=1):
    with tf.Graph().as_default(), tf.Session() as session:
        generator = tf.random.experimental.Generator.from_seed(17)
        numbers = generator.binomial(shape, counts, probs, dtype=tf.float64)
        session.run(tf.global_variables_initializer())
        return [session.run(numbers) for _ in range(runs)]


@pytest.mark.parametrize("count, p", [(10.0, 0.5), (5.0, 0.9), (1000.0, 0.3), (60.0, 0.7)])
def test_mean_and_deviation_are_those_of_the_distribution(count, p):
    (numbers,) = _drawn([count], [p], [1, 4000])
    deviation = np.sqrt(count * p * (1 - p))
    assert numbers.min() >= 0 and numbers.max() <= count
    assert (numbers == np.floor(numbers)).all()
    assert abs(numbers.mean() - count * p) < 5 * deviation / np.sqrt(4000)
    assert abs(numbers.std() / deviation - 1) < 0.06


def test_first_numbers_are_those_of_tensorflow():
    with tf.Graph().as_default(), tf.Session() as session:
        state = tf.Variable(np.array([0, 7, 12345]), use_resource=True)
        numbers = tf.raw_ops.StatefulRandomBinomial(
            resource=state.handle, algorithm=np.int64(1), shape=[5], counts=10.0, probs=0.5
        )
        session.run(state.initializer)
        assert session.run(numbers).tolist() == [5, 5, 7, 6, 7]


def test_rows_have_their_own_parameters_and_runs_differ():
    first, second = _drawn([0.0, 7.0, 1e6], [0.5, 1.0, 0.5], [3, 50], runs=2)
    assert (first[0] == 0).all() and (first[1] == 7).all()
    assert abs(first[2].mean() - 5e5) < 1e3
    assert (first[2] != second[2]).any()
    with pytest.raises(tf.errors.InvalidArgumentError, match="should have length 1 or shape"):
        _drawn([1.0, 2.0], [0.5], [3, 2])
