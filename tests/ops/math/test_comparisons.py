"""Logic, comparisons, select and tests for finite numbers."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

equal = np.testing.assert_array_equal


def value(fetch, feed=None):
    with tf.Session() as session:
        return session.run(fetch, feed)


def test_logic_and_comparisons():
    x, y = np.array([True, True, False, False]), np.array([True, False, True, False])
    equal(value(tf.logical_and(x, y)), x & y)
    equal(value(tf.logical_or(x, y)), x | y)
    equal(value(tf.logical_not(x)), ~x)
    with tf.Graph().as_default():
        either = tf.logical_xor(x, y)
        assert either.op.name.startswith("LogicalXor")
        equal(value(either), x ^ y)
    for given in ([True, False], ["a", "b"], np.array([1 + 2j, 2])):
        equal(value(tf.equal(given, given[0])), [True, False])
        equal(value(tf.not_equal(given, given[0])), [False, True])
    numbers = [1, 2, 3]
    for f, expected in ((tf.less, [1, 0, 0]), (tf.less_equal, [1, 1, 0]),
                        (tf.greater, [0, 0, 1]), (tf.greater_equal, [0, 1, 1])):  # fmt: skip
        equal(value(f(numbers, 2)), np.array(expected, bool))
        for refused in (["a"], [True], np.array([1j])):
            with pytest.raises(
                (TypeError, ValueError), match="Value passed to parameter 'x' has DataType"
            ):
                f(refused, refused)


def test_select():
    t, e = np.array([[1, 2], [3, 4]]), np.array([[5, 6], [7, 8]])
    equal(value(tf.select([[True, False], [False, True]], t, e)), [[1, 6], [7, 4]])
    equal(value(tf.select([True, False], t, e)), [[1, 2], [7, 8]])
    assert value(tf.select(True, 1, 2)) == 1
    for condition, one, two in (([True, False, True], t, e), ([True, False], t, e[0])):
        with pytest.raises(ValueError, match=r"\(op: 'Select'\) with input shapes: \["):
            tf.select(condition, one, two)


def test_finite_numbers():
    x = np.array([1.0, np.inf, -np.inf, np.nan])
    equal(value(tf.is_finite(x)), [True, False, False, False])
    equal(value(tf.is_inf(x)), [False, True, True, False])
    equal(value(tf.is_nan(x)), [False, False, False, True])
    good = tf.constant([1.0, 2.0])
    equal(value(tf.verify_tensor_all_finite(good, "bad")), [1, 2])
    equal(value(tf.check_numerics(good, "bad")), [1, 2])
    for wrong in (np.inf, np.nan):
        with pytest.raises(tf.errors.InvalidArgumentError, match="so bad"):
            value(tf.check_numerics([wrong], "so bad"))
        with pytest.raises(tf.errors.InvalidArgumentError, match="so bad : Tensor had"):
            value(tf.verify_tensor_all_finite([wrong], "so bad"))
