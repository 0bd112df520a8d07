"""What random ops refuse when they run; the texts are those of TensorFlow 1.15."""

from __future__ import annotations

import re

import numpy as np
import pytest

import headwater as tf
from headwater.ops.random.parameterized_truncated_normal import parameterized_truncated_normal

MODES = ("always", "never")


def built_with(value, function, dtype=tf.int32):
    """The result of `function` on a placeholder without a static shape, and the feed."""
    source = tf.placeholder(dtype)
    return function(source), {source: value}


CASES = {
    "Dimension -1 must be >= 0": lambda: (tf.random_uniform([-1, 2]), {}),
    "Dimension -4 must be >= 0": lambda: built_with([2, -4], tf.random_normal),
    "Dimension -5 must be >= 0": lambda: built_with(
        [-5], lambda s: tf.random.stateless_normal(s, [1, 2])
    ),
    "shape must be a vector of {int32,int64}, got shape [1,2]": lambda: built_with(
        [[1, 2]], tf.truncated_normal
    ),
    "shape must be a vector of {int32,int64}, got shape []": lambda: built_with(
        3, lambda s: tf.random_uniform(s, 0, 3, tf.int32)
    ),
    "shape must be a vector of {int32,int64}, got shape [1,1]": lambda: built_with(
        [[3]], lambda s: tf.random_poisson([1.0], s)
    ),
    "Need minval < maxval, got 5 >= 5": lambda: (tf.random_uniform([2], 5, 5, tf.int32), {}),
    "Need minval < maxval, got 9 >= 3": lambda: built_with(
        9, lambda low: tf.random_uniform([2], low, 3, tf.int32)
    ),
    "Need minval < maxval, got 5 >= 4": lambda: built_with(
        4, lambda high: tf.random.stateless_uniform([2], [1, 2], 5, high, tf.int32)
    ),
    "minval must be 0-D, got shape [2]": lambda: built_with(
        [1, 2], lambda low: tf.random_uniform([2], low, 5, tf.int32)
    ),
    "maxval must be 0-D, got shape [1]": lambda: built_with(
        [4], lambda high: tf.random.stateless_uniform([2], [1, 2], 0, high, tf.int32)
    ),
    "logits should be a matrix, got shape [2]": lambda: built_with(
        [1.0, 2.0], lambda logits: tf.multinomial(logits, 3), tf.float32
    ),
    "num_samples should be a scalar, got shape [1]": lambda: built_with(
        [3], lambda count: tf.multinomial([[1.0, 2.0]], count)
    ),
    "num_samples should be nonnegative, got -3": lambda: built_with(
        -3, lambda count: tf.multinomial([[1.0, 2.0]], count)
    ),
    "num_classes should be positive, got 0": lambda: (tf.multinomial(np.zeros([2, 0]), 3), {}),
    "seed must have shape [2], not [3]": lambda: built_with(
        [1, 2, 3], lambda seed: tf.random.stateless_uniform([2], seed)
    ),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("text", CASES)
def test_the_run_fails(text, mode, session, monkeypatch):
    monkeypatch.setenv("HEADWATER_JIT", mode)
    tensor, feed = CASES[text]()
    with pytest.raises(tf.errors.InvalidArgumentError, match="^" + re.escape(text)):
        session.run(tensor, feed)


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"minvals": 3.0}, "InvalidArgumentError", "Invalid parameters"),
        ({"stddevs": 0.0}, "InvalidArgumentError", "Invalid parameters"),
        ({"minvals": -np.inf, "maxvals": np.inf}, "InvalidArgumentError", "Invalid parameters"),
        ({"minvals": [0.0, 3.0, 0.0]}, "InvalidArgumentError", "Invalid parameters"),
        (
            {"stddevs": [0.0, 1.0]},
            "InvalidArgumentError",
            "Input stddevs should have length 1 or shape[0], got shape: [2]",
        ),
        (
            {"means": np.nan},
            "InternalError",
            "TruncatedNormal exponential distribution rejection sampler failed to accept a sample.",
        ),
    ],
)
def test_bounds_that_cannot_be_sampled(arguments, error, text, session):
    numbers = parameterized_truncated_normal([3], **arguments)
    with pytest.raises(getattr(tf.errors, error), match="^" + re.escape(text)):
        session.run(numbers)


@pytest.mark.parametrize("mode", MODES)
def test_bounds_of_no_numbers_do_not_matter(mode, session, monkeypatch):
    monkeypatch.setenv("HEADWATER_JIT", mode)
    assert session.run(tf.random_uniform([0, 2], 5, 3, tf.int32)).shape == (0, 2)


@pytest.mark.parametrize("mode", MODES)
def test_a_failed_run_draws_nothing(mode, monkeypatch):
    monkeypatch.setenv("HEADWATER_JIT", mode)
    high = tf.placeholder(tf.int32, [])
    numbers = tf.random_uniform([5], 0, high, tf.int32, seed=1)
    with tf.Session() as session:
        expected = [session.run(numbers, {high: 100}) for _ in range(2)]
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(numbers, {high: 100}), expected[0])
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="Need minval < maxval, got 0 >= 0"
        ):
            session.run(numbers, {high: 0})
        np.testing.assert_array_equal(session.run(numbers, {high: 100}), expected[1])
