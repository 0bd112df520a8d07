"""Statements S109 to S129 and S146 to S175: variables, scopes, initializers, sparse updates."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

equal = np.testing.assert_array_equal


def initialized(*fetches):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return [session.run(f) for f in fetches]


def test_s109_shapes_are_fixed_unless_asked():
    v = tf.Variable([1.0, 2.0])
    with pytest.raises(ValueError):
        v.assign([1.0, 2.0, 3.0])
    w = tf.Variable([1.0, 2.0], validate_shape=False)
    (new,) = initialized(tf.assign(w, [1.0, 2.0, 3.0], validate_shape=False))
    equal(new, [1, 2, 3])


def test_s110_operators():
    v = tf.Variable([1.0, 2.0])
    fetches = [v + 1, 2 * v, v - 1, -v, v[1], v**2, v > 1.5, abs(v), 1 / v]
    values = initialized(*fetches)
    want = [[2, 3], [2, 4], [0, 1], [-1, -2], 2, [1, 4], [False, True], [1, 2], [1, 0.5]]
    for got, expected in zip(values, want, strict=True):
        equal(got, expected)


def test_s111_use_before_initialization():
    v = tf.Variable(1.0)
    with tf.Session() as session:
        with pytest.raises(tf.errors.FailedPreconditionError):
            session.run(v)
        assert session.run(v.assign(3.0)) == 3.0 == session.run(v)


def test_s112_s113_s114_what_the_constructor_makes():
    v = tf.Variable(1.0)
    w = tf.Variable(lambda: tf.constant(2.0), dtype=tf.float32, trainable=False)
    u = tf.Variable(3.0, collections=["mine"])
    assert [v.name, w.name, u.name] == ["Variable:0", "Variable_1:0", "Variable_2:0"]
    assert tf.all_variables() == [v, w] and tf.get_collection("mine") == [u]
    assert tf.trainable_variables() == [v, u]
    types = [op.type for op in tf.get_default_graph().get_operations()][:4]
    assert types == ["Const", "VariableV2", "Assign", "Identity"]


def test_s115_s116_bad_and_converted_values():
    v = tf.Variable(1)
    for call in (
        lambda: tf.Variable(1, variable_def=v.to_proto()),
        lambda: tf.Variable(),
        lambda: tf.Variable(tf.placeholder(tf.float32)),
    ):
        with pytest.raises(ValueError):
            call()
    assert tf.Variable(1, dtype=tf.float32).dtype.base_dtype == tf.float32
    assert tf.Variable(tf.constant(1, tf.int64)).dtype.base_dtype == tf.int64
    assert tf.Variable(tf.placeholder(tf.float32), validate_shape=False).shape.ndims is None


def test_s117_initialized_value():
    v = tf.Variable(tf.truncated_normal([10, 40]))
    w = tf.Variable(v.initialized_value() * 2.0)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        one, two = session.run([v, w])
    equal(two, one * 2.0)


def test_s118_s119_s122_s123_updates():
    v = tf.Variable([1.0, 2.0])
    with tf.Session() as session:
        session.run(v.initializer)
        equal(session.run(v.assign([3.0, 4.0])), [3, 4])
        equal(session.run(v.assign_add([1.0, 1.0])), [4, 5])
        equal(session.run(v.assign_sub([1.0, 1.0])), [3, 4])
        slices = tf.IndexedSlices(tf.constant([1.0, 1.0]), tf.constant([0, 0]))
        equal(session.run(v.scatter_sub(slices)), [1, 4])
        equal(session.run(v.initial_value), [1, 2])
    with pytest.raises((ValueError, TypeError)):
        v.scatter_sub(3)
    assert v.ref().dtype == tf.float32._as_ref and v.value().dtype == tf.float32
    with pytest.raises((AttributeError, TypeError, ValueError)):
        tf.assign(v.value(), [0.0, 0.0])


def test_s120_count_up_to():
    v = tf.Variable(0)
    count = v.count_up_to(3)
    with tf.Session() as session:
        session.run(v.initializer)
        assert [session.run(count) for _ in range(3)] == [0, 1, 2]
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(count)


def test_s121_eval_adds_no_ops():
    v = tf.Variable([1, 2])
    init = tf.initialize_all_variables()
    tf.get_default_graph().finalize()
    with tf.Session() as session:
        session.run(init)
        equal(v.eval(), [1, 2])
        copy = v.eval(session)
        copy[0] = 9
        equal(v.eval(), [1, 2])


def test_s125_lists_of_variables():
    v = tf.Variable(1.0)
    local = tf.Variable(1.0, trainable=False, collections=[tf.GraphKeys.LOCAL_VARIABLES])
    tf.train.ExponentialMovingAverage(0.9).apply([v])
    assert v in tf.all_variables() and tf.trainable_variables() == [v]
    assert tf.local_variables() == [local] and tf.moving_average_variables() == [v]


def test_s126_to_s129_initialization_and_its_reports():
    assert tf.assert_variables_initialized() is None
    v, w = tf.Variable(1.0, name="v"), tf.Variable(2.0, name="w")
    report, ready = tf.report_uninitialized_variables(), tf.is_variable_initialized(v)
    check = tf.assert_variables_initialized()
    with tf.Session() as session:
        assert sorted(session.run(report)) == [b"v", b"w"] and not session.run(ready)
        with pytest.raises(tf.errors.FailedPreconditionError):
            session.run(check)
        session.run(tf.initialize_variables([]))
        session.run(tf.initialize_variables([v]))
        assert session.run(report).tolist() == [b"w"] and session.run(ready)
        session.run(w.initializer)
        assert session.run(report).size == 0
        session.run(check)
        assert session.run(tf.initialize_local_variables()) is None


def test_s146_s151_to_s156_scopes_and_reuse():
    with tf.variable_scope("foo"):
        v = tf.get_variable("v", [1])
        with tf.variable_scope("bar"):
            assert tf.get_variable("v", [1]).name == "foo/bar/v:0"
    with tf.variable_scope("foo", reuse=True):
        assert tf.get_variable("v", [1]) is v
        with tf.variable_scope("bar"):
            assert tf.get_variable_scope().reuse
    with tf.variable_scope("foo") as scope:
        scope.reuse_variables()
        assert tf.get_variable("v", [1]) is v and tf.get_variable_scope() is scope
    with tf.variable_scope("foo"), pytest.raises(ValueError, match="foo/v already exists"):
        tf.get_variable("v", [1])
    with (
        tf.variable_scope("foo", reuse=True),
        pytest.raises(ValueError, match="foo/new does not exist"),
    ):
        tf.get_variable("new", [1])


def test_s147_s148_s149_s150_defaults_of_scopes():
    with tf.variable_scope(
        "s",
        initializer=tf.constant_initializer(3.0),
        regularizer=lambda w: tf.reduce_sum(w),
    ):
        v = tf.get_variable("v", [2])
        tf.get_variable("free", [2], regularizer=tf.no_regularizer)
    (loss,) = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
    t = tf.get_variable("t", initializer=tf.constant([1.0, 2.0]))
    with tf.variable_scope("p", partitioner=lambda shape, dtype: [2, 1]):
        parts = tf.get_variable("parts", [4, 3], initializer=tf.ones_initializer())
    assert [p.get_shape().as_list() for p in parts] == [[2, 3], [2, 3]]
    values = initialized(v, loss, t, tf.convert_to_tensor(parts))
    equal(values[0], [3, 3])
    assert values[1] == 6.0
    equal(values[2], [1, 2])
    equal(values[3], np.ones([4, 3]))
    with pytest.raises(ValueError):
        tf.get_variable("no_shape")


def test_s157_arguments_of_scopes():
    with tf.variable_scope("s", reuse=False):
        tf.get_variable("v", [1])
    with pytest.raises(TypeError), tf.variable_scope(3):
        pass


def test_s158_s159_variable_op_scope():
    names = []
    for given in (None, None, "given", "given"):
        with tf.variable_op_scope([], given, "default") as scope:
            names.append(scope.name)
            assert tf.get_variable_scope() is scope
    assert names == ["default", "default_1", "given", "given"]


def scaled(x, name="w"):
    return x * tf.get_variable(name, [], initializer=tf.ones_initializer())


def test_s160_to_s163_templates():
    one, two = tf.make_template("scale", scaled), tf.make_template("scale", scaled)
    for template in (one, one, two):
        template(1.0)
    assert [v.name for v in tf.global_variables()] == ["scale/w:0", "scale_1/w:0"]
    with pytest.raises(ValueError):
        tf.make_template(None, scaled)
    plain = tf.make_template("plain", lambda: tf.Variable(1.0))
    plain()
    with pytest.raises(ValueError):
        plain()
    names = iter("ab")
    changing = tf.make_template("changing", lambda: scaled(1.0, next(names)))
    changing()
    with pytest.raises(ValueError):
        changing()
    early = tf.make_template("early", scaled, create_scope_now_=True)
    assert early(1.0).op.name == "early/mul" and early(1.0).op.name == "early_1/mul"
    assert tf.global_variables()[-1].name == "early/w:0"


def test_s164_initializers_of_integers():
    for make in (
        tf.random_normal_initializer,
        tf.truncated_normal_initializer,
        tf.uniform_unit_scaling_initializer,
    ):
        with pytest.raises(ValueError):
            make(dtype=tf.int32)


def test_s165_s166_ranges_of_initializers():
    truncated = tf.get_variable("t", [4000], initializer=tf.truncated_normal_initializer(1.0, 0.5))
    unit = tf.uniform_unit_scaling_initializer(1.43)
    dense = tf.get_variable("d", [100, 30], initializer=unit)
    conv = tf.get_variable("c", [3, 3, 8, 50], initializer=unit)
    t, d, c = initialized(truncated, dense, conv)
    assert np.abs(t - 1.0).max() <= 1.0
    for x, size in ((d, 100), (c, 72)):
        bound = np.sqrt(3.0 / size) * 1.43
        assert 0.95 * bound < np.abs(x).max() <= bound


def test_s167_s168_partitioner_of_sizes():
    def counts(shape, *args, dtype=tf.float32, **kwargs):
        make = tf.variable_axis_size_partitioner(*args, **kwargs)
        return make(shape=tf.TensorShape(shape), dtype=dtype)

    assert counts([8, 4], 64) == [2, 1]
    assert counts([8, 4], 1) == [8, 1]
    assert counts([8, 4], 1, max_shards=3) == [3, 1]
    assert counts([8, 4], 32, axis=1) == [1, 4]
    assert counts([8, 2], 64, dtype=tf.string) == [4, 1]
    for wrong in ((0,), (64, 0, 0)):
        with pytest.raises(ValueError):
            tf.variable_axis_size_partitioner(*wrong)


@pytest.mark.parametrize("index", ["int32", "int64"])
def test_s169_s170_s172_scatter(index):
    v = tf.Variable(np.zeros([4, 2], np.float32))
    indices = np.array([[0, 2], [2, 2]], index)
    updates = np.arange(8, dtype=np.float32).reshape(2, 2, 2)
    want = np.zeros([4, 2], np.float32)
    np.add.at(want, indices, updates)
    with tf.Session() as session:
        session.run(v.initializer)
        equal(session.run(tf.scatter_add(v, indices, updates)), want)
        equal(session.run(tf.scatter_sub(v, indices, updates)), np.zeros([4, 2]))
        equal(session.run(tf.scatter_update(v, 3, [5.0, 6.0]))[3], [5, 6])
        equal(session.run(v)[3], [5, 6])
    with pytest.raises(ValueError):
        tf.scatter_add(v, [0, 1], tf.zeros([3, 2]))


def test_s171_locks_of_scatter():
    v = tf.Variable([1.0])
    ops = [f(v, [0], [1.0]).op for f in (tf.scatter_update, tf.scatter_add, tf.scatter_sub)]
    assert [op.get_attr("use_locking") for op in ops] == [True, False, False]


NUMBERS = "float32 float64 int64 int32 uint8 uint16 int16 int8 complex64 complex128 float16"


@pytest.mark.parametrize("name", NUMBERS.split())
def test_s173_types_of_scatter(name):
    v = tf.Variable(np.ones([3], name))
    add = tf.scatter_add(v, [1, 1], np.array([2, 3], name))
    with tf.Session() as session:
        session.run(v.initializer)
        equal(session.run(add), np.array([1, 6, 1], name))


def test_s174_s175_indexed_slices():
    slices = tf.IndexedSlices(
        tf.constant([[1, 1], [2, 2], [10, 10], [4, 4]]), tf.constant([12, 26, 37, 45]), [50, 2]
    )
    masked = tf.sparse_mask(slices, [12, 45])
    dense, kept, rows = initialized(tf.convert_to_tensor(slices), masked.indices, masked.values)
    equal(np.nonzero(dense[:, 0])[0], [12, 26, 37, 45])
    equal(kept, [26, 37])
    equal(rows, [[2, 2], [10, 10]])
