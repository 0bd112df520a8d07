"""Statements T1 to T31, T137, T138, T151 to T162, T185 to T192 and T223 to T249."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

import headwater as tf

equal = np.testing.assert_array_equal
close = np.testing.assert_allclose


def value(fetch, feed=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetch, feed)


def test_t1_to_t8_global_norm():
    a, b = tf.constant([3.0, 0.0]), tf.IndexedSlices(tf.constant([[4.0]]), tf.constant([2]))
    norm = tf.global_norm([a, None, b])
    assert norm.get_shape().ndims == 0 and value(norm) == 5.0
    clipped, norm = tf.clip_by_global_norm([a, None, b], 2.5)
    assert clipped[1] is None and value(norm) == 5.0
    assert isinstance(clipped[2], tf.IndexedSlices)
    close(value(clipped[0]), [1.5, 0.0])
    close(value(clipped[2].values), [[2.0]])
    unchanged, _ = tf.clip_by_global_norm([a], 10.0)
    close(value(unchanged[0]), [3, 0])
    given, norm = tf.clip_by_global_norm([a], 2.0, use_norm=tf.constant(4.0))
    close(value(given[0]), [1.5, 0.0])
    for call in (lambda: tf.clip_by_global_norm(a, 1.0), lambda: tf.global_norm(a)):
        with pytest.raises(TypeError):
            call()


@pytest.mark.parametrize("step_type", [tf.int32, tf.int64])
def test_t9_to_t13_exponential_decay(step_type):
    step = tf.placeholder(step_type, [])
    rate = tf.train.exponential_decay(0.1, step, 100, 0.96)
    stairs = tf.train.exponential_decay(tf.constant(0.1), step, 100, 0.96, staircase=True)
    assert rate.op.name == "ExponentialDecay" and rate.dtype == tf.float32
    for n in (0, 50, 199, 250):
        close(value(rate, {step: n}), 0.1 * 0.96 ** (n / 100), rtol=1e-6)
        close(value(stairs, {step: n}), 0.1 * 0.96 ** (n // 100), rtol=1e-6)


def test_t14_to_t23_moving_averages():
    v = tf.Variable(1.0, name="v")
    t = v * 2.0
    average = tf.train.ExponentialMovingAverage(0.9, name="avg")
    update = average.apply([v, t])
    shadows = [average.average(v), average.average(t)]
    assert isinstance(update, tf.Operation) and update.name == "avg"
    assert tf.trainable_variables() == [v] and tf.moving_average_variables() == [v]
    assert set(shadows) < set(tf.all_variables())
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(shadows) == [1.0, 0.0]
        session.run(v.assign(11.0))
        session.run(update)
        close(session.run(shadows), [2.0, 2.2], rtol=1e-5)
    average.apply([tf.Variable(2.0, name="another")])
    with pytest.raises(TypeError):
        average.apply([tf.Variable(3)])


def test_t17_decay_grows_with_the_number_of_updates():
    v, n = tf.Variable(0.0), tf.placeholder(tf.float32)
    average = tf.train.ExponentialMovingAverage(0.99, num_updates=n)
    update = average.apply([v])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(v.assign(10.0))
        session.run(update, {n: 0})
        close(session.run(average.average(v)), 9.0, rtol=1e-6)


def test_t25_to_t31_names_of_averages(tmp_path):
    with tf.variable_scope("conv/batchnorm"):
        gamma = tf.get_variable("gamma", [], initializer=tf.ones_initializer())
    step = tf.Variable(0, trainable=False, name="global_step")
    average = tf.train.ExponentialMovingAverage(0.5)
    name = average.average_name(gamma)
    assert name == "conv/batchnorm/gamma/ExponentialMovingAverage"
    assert average.average(gamma) is None
    update = average.apply([gamma])
    assert average.average(gamma).op.name == name == average.average_name(gamma)
    restored = average.variables_to_restore()
    assert restored == {name: gamma, "global_step": step}
    assert average.variables_to_restore([gamma]) == restored
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(gamma.assign(3.0))
        session.run(update)
        path = tf.train.Saver().save(session, str(tmp_path / "m"))
        tf.train.Saver(restored).restore(session, path)
        assert session.run(gamma) == 2.0


def test_t137_t138_step_and_graph(session, tmp_path):
    step = tf.Variable(10, trainable=False, name="global_step")
    session.run(step.initializer)
    assert tf.train.global_step(session, step) == 10
    assert tf.train.global_step(session, "global_step:0") == 10
    folder = str(tmp_path)
    text = tf.train.write_graph(session.graph_def, folder, "train.pbtxt")
    assert "global_step" in Path(text).read_text()
    binary = tf.train.write_graph(session.graph, folder, "train.pb", as_text=False)
    assert tf.GraphDef.FromString(Path(binary).read_bytes()) == session.graph_def


def test_t151_t152_py_func():
    def function(x, y):
        assert isinstance(x, np.ndarray) or np.isscalar(x) or isinstance(x, np.generic)
        return np.sinh(x) + y, np.int64(x.size)

    out = tf.py_func(function, [[1.0, 2.0], 3.0], [tf.float32, tf.int64])
    assert isinstance(out, list)
    result = value(out)
    close(result[0], np.sinh(np.float32([1, 2])) + 3.0)
    assert result[1] == 2
    with pytest.raises(tf.errors.InvalidArgumentError):
        value(tf.py_func(lambda: np.float64(1.0), [], tf.float32))


def test_t153_t157_t158_test_cases():
    class Case(tf.test.TestCase):
        def test(self):
            with self.test_session():
                self.assertAllEqual([2, 4], (tf.constant([1, 2]) * 2).eval())
                with self.assertRaises(AssertionError):
                    self.assertAllEqual([1], [2])

    import unittest

    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Case).run(result)
    assert result.wasSuccessful() and result.testsRun >= 1
    assert Path(tf.test.get_temp_dir()).is_dir()
    assert isinstance(tf.test.is_built_with_cuda(), bool)


def test_t155_t156_comparing_graphs():
    def definition(order):
        with tf.Graph().as_default() as graph:
            for name in order:
                tf.constant(1.0, name=name)
            return graph.as_graph_def()

    tf.test.assert_equal_graph_def(definition("ab"), definition("ba"))
    with pytest.raises(AssertionError):
        tf.test.assert_equal_graph_def(definition("ab"), definition("ac"))
    with pytest.raises(TypeError):
        tf.test.assert_equal_graph_def(3, definition("a"))


def test_t159_to_t162_numeric_gradients(session):
    x = tf.constant([[1.0, 2.0, 3.0]])
    y = tf.matmul(x, tf.ones([3, 2])) ** 2
    theory, numeric = tf.test.compute_gradient(x, [1, 3], y, [1, 2], x_init_value=np.ones([1, 3]))
    assert theory.shape == (3, 2) == numeric.shape
    close(theory, np.full([3, 2], 6.0), rtol=1e-5)
    close(theory, numeric, rtol=1e-2)
    assert tf.test.compute_gradient_error(x, [1, 3], y, [1, 2]) < 0.05
    pairs = tf.test.compute_gradient([x], [[1, 3]], y, [1, 2])
    assert len(pairs) == 1 and len(pairs[0]) == 2
    z = tf.constant([1.0 + 2.0j], tf.complex64)
    theory, _ = tf.test.compute_gradient(z, [1], z * 2.0, [1])
    close(theory, 2.0 * np.eye(2))


def test_t185_to_t192_utilities():
    util = tf.contrib.util
    assert util.constant_value(tf.constant(3)) == 3
    equal(util.constant_value(tf.shape(tf.zeros([2, 3]))), [2, 3])
    assert util.constant_value(tf.random_uniform([1])) is None
    for x in (3, [1.5, 2.0], np.int8([[1]]), np.float64(2.0), b"text"):
        assert util.make_ndarray(util.make_tensor_proto(x)).tolist() == np.asarray(x).tolist()
    filled = util.make_ndarray(util.make_tensor_proto([7], shape=[2, 2]))
    equal(filled, [[7, 7], [7, 7]])
    with pytest.raises(ValueError):
        util.make_tensor_proto([1, 2, 3], shape=[2])
    with pytest.raises((TypeError, ValueError)):
        util.make_tensor_proto(None)
    graph_def = tf.get_default_graph().as_graph_def()
    graph_def.node.add(name="z", op="NoSuchOp")
    assert "NoSuchOp" in util.ops_used_by_graph_def(graph_def)
    with pytest.raises(ValueError):
        util.stripped_op_list_for_graph(graph_def)
    del graph_def.node[-1]
    names = {op.name for op in util.stripped_op_list_for_graph(graph_def).op}
    assert {"Const", "RandomUniform"} <= names


def test_t223_to_t229_t241_sessions_and_feeds():
    x = tf.placeholder(tf.float32)
    y = x * 2.0
    with tf.Session() as session:
        assert y.eval({x: 3}) == session.run(y, {x: 3}) == 6.0
        assert session.run([x + y, y], {x: 1.0, y: 10.0}) == [11.0, 10.0]
        assert session.run(y, {x: 2.0}) == 4.0
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(y)
    with tf.device("/device:CPU:0"):
        assert tf.constant(1.0).device == "/device:CPU:0"


def test_t230_t234_variables_live_as_long_as_their_session():
    v = tf.Variable(1.0)
    session = tf.Session()
    session.run(v.initializer)
    session.close()
    with pytest.raises(RuntimeError):
        session.run(v)
    with tf.Session() as other, pytest.raises(tf.errors.FailedPreconditionError):
        other.run(v)


def test_t232_t235_runs_of_many_threads():
    v = tf.Variable(0)
    add = tf.assign_add(v, 1, use_locking=True)
    with tf.Session() as session:
        session.run(v.initializer)
        threads = [
            threading.Thread(target=lambda: [session.run(add) for _ in range(20)]) for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert session.run(v) == 80


def test_t236_t237_t238_t242_shapes_before_and_at_the_run():
    x = tf.placeholder(tf.float32, [None, 2])
    y = tf.reshape(x, [-1])
    assert y.get_shape().as_list() == [None]
    equal(value(tf.shape(x), {x: np.zeros([5, 2])}), [5, 2])
    with pytest.raises(ValueError):
        value(y, {x: np.zeros([5, 3])})
    z = tf.placeholder(tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError):
        value(z + tf.zeros([3]), {z: [1.0, 2.0]})


def test_t246_t248_t249_values():
    sparse = tf.SparseTensor([[0, 1], [2, 0]], [5, 6], [3, 2])
    equal(value(tf.sparse_tensor_to_dense(sparse)), [[0, 5], [0, 0], [6, 0]])
    assert value(tf.constant(["a", b"\0bc"])).tolist() == [b"a", b"\0bc"]
    for shape in ([2, 3], (2, 3), tf.TensorShape([2, 3])):
        assert tf.placeholder(tf.float32, shape).get_shape().as_list() == [2, 3]
