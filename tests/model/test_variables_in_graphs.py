"""Variables: creation, initialization, operators, updates, lists and reports."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

equal = np.testing.assert_array_equal


def initialized(*fetches):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return [session.run(f) for f in fetches]


def test_what_a_variable_adds():
    v = tf.Variable(tf.zeros([200]), name="biases")
    assert isinstance(v, tf.Variable) and v.get_shape().as_list() == [200]
    names = [op.name for op in tf.get_default_graph().get_operations()]
    assert {"zeros", "biases", "biases/Assign"} <= set(names)


def test_initialization_in_any_order():
    w = tf.Variable(tf.random_normal([3]))
    copy, twice = tf.Variable(w.initialized_value()), tf.Variable(w.initialized_value() * 2.0)
    init = tf.initialize_all_variables()
    with tf.Session() as session:
        session.run(init)
        a, b, c = session.run([w, copy, twice])
    equal(a, b)
    equal(c, a * 2.0)


def test_some_variables_and_fed_values():
    source = tf.placeholder(tf.float32, [2])
    data = tf.Variable(source, trainable=False, collections=[])
    v = tf.Variable(1.0)
    assert tf.all_variables() == [v] == tf.trainable_variables()
    with tf.Session() as session:
        session.run(data.initializer, feed_dict={source: [3.0, 4.0]})
        session.run(tf.initialize_variables([v]))
        equal(session.run(data * v), [3, 4])


def test_a_consumer_sees_the_live_value():
    v = tf.Variable(1.0)
    before = v.value()
    with tf.control_dependencies([v.assign(5.0)]):
        after = v.value() + 0.0
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(after) == 5
        assert session.run(before) == 5


def test_shapes_are_fixed_unless_asked():
    v = tf.Variable([1.0, 2.0])
    with pytest.raises(
        ValueError, match=r"Dimension 0 in both shapes must be equal, but are 2 and 3\."
    ):
        v.assign([1.0, 2.0, 3.0])
    w = tf.Variable([1.0, 2.0], validate_shape=False)
    (new,) = initialized(tf.assign(w, [1.0, 2.0, 3.0], validate_shape=False))
    equal(new, [1, 2, 3])


def test_operators():
    v = tf.Variable([1.0, 2.0])
    fetches = [v + 1, 2 * v, v - 1, -v, v[1], v**2, v > 1.5, abs(v), 1 / v]
    values = initialized(*fetches)
    want = [[2, 3], [2, 4], [0, 1], [-1, -2], 2, [1, 4], [False, True], [1, 2], [1, 0.5]]
    for got, expected in zip(values, want, strict=True):
        equal(got, expected)


def test_use_before_initialization():
    v = tf.Variable(1.0)
    with tf.Session() as session:
        with pytest.raises(
            tf.errors.FailedPreconditionError,
            match="Attempting to use uninitialized value Variable",
        ):
            session.run(v)
        assert session.run(v.assign(3.0)) == 3.0 == session.run(v)


def test_what_the_constructor_makes():
    v = tf.Variable(1.0)
    w = tf.Variable(lambda: tf.constant(2.0), dtype=tf.float32, trainable=False)
    u = tf.Variable(3.0, collections=["mine"])
    assert [v.name, w.name, u.name] == ["Variable:0", "Variable_1:0", "Variable_2:0"]
    assert tf.all_variables() == [v, w] and tf.get_collection("mine") == [u]
    assert tf.trainable_variables() == [v, u]
    types = [op.type for op in tf.get_default_graph().get_operations()][:4]
    assert types == ["Const", "VariableV2", "Assign", "Identity"]


def test_bad_and_converted_values():
    v = tf.Variable(1)
    for call in (
        lambda: tf.Variable(1, variable_def=v.to_proto()),
        lambda: tf.Variable(),
        lambda: tf.Variable(tf.placeholder(tf.float32)),
    ):
        with pytest.raises(
            ValueError, match=r"initial_value must|variable_def and initial_value are"
        ):
            call()
    assert tf.Variable(1, dtype=tf.float32).dtype.base_dtype == tf.float32
    assert tf.Variable(tf.constant(1, tf.int64)).dtype.base_dtype == tf.int64
    assert tf.Variable(tf.placeholder(tf.float32), validate_shape=False).shape.ndims is None


def test_initialized_value():
    v = tf.Variable(tf.truncated_normal([10, 40]))
    w = tf.Variable(v.initialized_value() * 2.0)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        one, two = session.run([v, w])
    equal(two, one * 2.0)


def test_updates():
    v = tf.Variable([1.0, 2.0])
    with tf.Session() as session:
        session.run(v.initializer)
        equal(session.run(v.assign([3.0, 4.0])), [3, 4])
        equal(session.run(v.assign_add([1.0, 1.0])), [4, 5])
        equal(session.run(v.assign_sub([1.0, 1.0])), [3, 4])
        slices = tf.IndexedSlices(tf.constant([1.0, 1.0]), tf.constant([0, 0]))
        equal(session.run(v.scatter_sub(slices)), [1, 4])
        equal(session.run(v.initial_value), [1, 2])
    with pytest.raises((ValueError, TypeError), match="sparse_delta is not IndexedSlices: 3"):
        v.scatter_sub(3)
    assert v.ref().dtype == tf.float32._as_ref and v.value().dtype == tf.float32
    with pytest.raises((AttributeError, TypeError, ValueError)):
        tf.assign(v.value(), [0.0, 0.0])


def test_count_up_to():
    v = tf.Variable(0)
    count = v.count_up_to(3)
    with tf.Session() as session:
        session.run(v.initializer)
        assert [session.run(count) for _ in range(3)] == [0, 1, 2]
        with pytest.raises(tf.errors.OutOfRangeError, match="Reached limit of 3"):
            session.run(count)


def test_eval_adds_no_ops():
    v = tf.Variable([1, 2])
    init = tf.initialize_all_variables()
    tf.get_default_graph().finalize()
    with tf.Session() as session:
        session.run(init)
        equal(v.eval(), [1, 2])
        copy = v.eval(session)
        copy[0] = 9
        equal(v.eval(), [1, 2])


def test_lists_of_variables():
    v = tf.Variable(1.0)
    local = tf.Variable(1.0, trainable=False, collections=[tf.GraphKeys.LOCAL_VARIABLES])
    tf.train.ExponentialMovingAverage(0.9).apply([v])
    assert v in tf.all_variables() and tf.trainable_variables() == [v]
    assert tf.local_variables() == [local] and tf.moving_average_variables() == [v]


def test_initialization_and_its_reports():
    assert tf.assert_variables_initialized() is None
    v, w = tf.Variable(1.0, name="v"), tf.Variable(2.0, name="w")
    report, ready = tf.report_uninitialized_variables(), tf.is_variable_initialized(v)
    check = tf.assert_variables_initialized()
    with tf.Session() as session:
        assert sorted(session.run(report)) == [b"v", b"w"] and not session.run(ready)
        with pytest.raises(
            tf.errors.FailedPreconditionError, match="Attempting to use uninitialized value v"
        ):
            session.run(check)
        session.run(tf.initialize_variables([]))
        session.run(tf.initialize_variables([v]))
        assert session.run(report).tolist() == [b"w"] and session.run(ready)
        session.run(w.initializer)
        assert session.run(report).size == 0
        session.run(check)
        assert session.run(tf.initialize_local_variables()) is None
