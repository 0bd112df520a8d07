"""Assertions, check_numerics and Print."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

equal = np.testing.assert_array_equal


def value(fetch, feed=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetch, feed)


def test_add_check_numerics_ops():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [])
        y = 1.0 / x
        check = tf.add_check_numerics_ops()
        assert isinstance(check, tf.Operation)
        with tf.Session() as session:
            assert session.run([y, check], {x: 2.0})[0] == 0.5
            with pytest.raises(
                tf.errors.InvalidArgumentError, match="truediv:0 : Tensor had Inf values"
            ):
                session.run([y, check], {x: 0.0})


def test_assert_and_print(capfd):
    x = tf.placeholder(tf.float32, [3])
    guard = tf.Assert(tf.less_equal(tf.reduce_max(x), 1.0), [x])
    with tf.control_dependencies([guard]):
        guarded = tf.identity(x)
    with tf.Session() as session:
        equal(session.run(guarded, {x: [0.5, 1, 0]}), [0.5, 1, 0])
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"assertion failed: \[0\.5 2 0\]"):
            session.run(guarded, {x: [0.5, 2, 0]})
        equal(session.run(x * 2, {x: [0, 2, 0]}), [0, 4, 0])
        shown = tf.Print(x, [x, tf.shape(x)], message="so: ", first_n=2)
        for _ in range(3):
            equal(session.run(shown, {x: [1, 2, 3]}), [1, 2, 3])
    assert capfd.readouterr().err.count("so: [1 2 3][3]") == 2
    many = tf.Print(tf.constant(1), [tf.range(9)])
    value(many)
    assert "[0 1 2...]" in capfd.readouterr().err


@pytest.mark.parametrize("data", ["text", None, 3])
def test_data_that_is_no_list(data):
    for call in (tf.Print, tf.py_func):
        argument = tf.constant(1) if call is tf.Print else str
        more = () if call is tf.Print else (tf.string,)
        with pytest.raises(TypeError, match=rf"Expected list for '\w+' argument to .*not {data}\."):
            call(argument, data, *more)
    with pytest.raises(TypeError, match=r"Expected list for 'data' .*not Tensor\(\"t:0\""):
        tf.Print(1.0, tf.constant(1, name="t"))
    with pytest.raises(
        TypeError, match="Expected list for 'data' argument to 'Assert' Op, not text"
    ):
        tf.Assert(True, "text")


def test_assertions_and_printing(capfd):
    x = tf.placeholder(tf.float32)
    with pytest.raises(
        (ValueError, tf.errors.InvalidArgumentError),
        match=r"\.  Tensor Const:0 must have rank 1\.  Received rank 2, shape \(1,",
    ):
        tf.assert_rank(tf.constant([[1.0]]), 1)
    with tf.control_dependencies([tf.assert_positive(x)]):
        y = tf.Print(x, [x], message="This is a: ")
    with tf.Session() as session:
        equal(session.run(y, {x: [1.0, 3.0]}), [1, 3])
        with pytest.raises(
            tf.errors.InvalidArgumentError,
            match=r"assertion failed: \[\] \[Condition x > 0 did not hold",
        ):
            session.run(y, {x: -1.0})
    assert "This is a: [1 3]" in capfd.readouterr().err


def test_what_print_writes(capfd):
    a = tf.Print(tf.constant([1.0, 3.0]), [tf.constant([1.0, 3.0])], message="This is a: ")
    equal(value(tf.add(a, a)), [2, 6])
    assert "This is a: [1 3]" in capfd.readouterr().err


def test_checks_of_computed_values_fail_the_run():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Condition x == y did not hold"):
        tf.assert_equal(tf.constant([2]), 3)
    for computed in (tf.constant([1]) + 1, tf.reduce_max(tf.constant([[2]]), 1)):
        check = tf.assert_equal(computed, 3)
        with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError):
            session.run(check)
