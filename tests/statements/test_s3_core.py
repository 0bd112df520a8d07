"""Statements 1 to 25, 54 to 126, 167 and 209 to 212 on graphs, names, variables and gradients."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

equal = np.testing.assert_array_equal
close = np.testing.assert_allclose


def value(fetch, feed=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetch, feed)


def test_1_to_4_7_10_building_graphs():
    x, y = tf.random_normal([10, 10]), tf.random_normal([10, 10])
    assert str(tf.matmul(x, y)) == 'Tensor("MatMul:0", shape=(10, 10), dtype=float32)'
    tf.reset_default_graph()
    a = tf.constant(1)
    assert a.name == "Const:0"
    b = a
    a = a + tf.constant(2)
    assert a is not b and value(a) == 3


def test_5_6_9_fetches_and_feeds():
    x = tf.placeholder(tf.float32)
    failing = tf.Assert(tf.equal(x, 99.0), [x])
    with tf.Session() as session:
        result = session.run([x * 2.0, tf.no_op()], {x: 1.0})
        assert result == [2.0, None]
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(x * 2.0)
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(failing, {x: 1.0})


def test_8_11_to_13_looking_at_graphs():
    a, b = tf.constant(1, name="a"), tf.constant(2, name="b")
    c = tf.add(a, b, name="c")
    graph = tf.get_default_graph()
    assert len(tf.contrib.graph_editor.get_tensors(graph)) == 3
    with tf.Session() as session:
        assert [op.name for op in session.graph.get_operations()] == ["a", "b", "c"]
    assert list(c.op.values()) == [c] and c.name == "c:0"
    assert [n.name for n in graph.as_graph_def().node] == ["a", "b", "c"]


def test_15_to_21_25_sessions():
    x = tf.placeholder(tf.float32, ())
    z = x + 5.0
    y = z * 0.5
    tf.Session()
    with pytest.raises(ValueError):
        y.eval({x: 2})
    with tf.Session() as session:
        assert [y.eval({x: 2}), session.run(y, {z: 5}), session.run(y, {y: 5})] == [3.5, 2.5, 5.0]
        assert session.run([x, z, y], {x: 2}) == [2.0, 7.0, 3.5]
        session.run(tf.initialize_all_variables())
    session = tf.InteractiveSession()
    assert y.eval({x: 2}) == 3.5
    session.close()


def test_26_to_37_41_42_shapes():
    a = tf.placeholder(tf.float32, [None, 128])
    assert a.shape.as_list() == [None, 128]
    dynamic = tf.shape(a)
    a.set_shape([32, 128])
    a.set_shape([None, 128])
    assert a.shape.as_list() == [32, 128]
    b = tf.placeholder(tf.float32, [None, 10, 32])
    sizes = tf.unstack(tf.shape(b))
    c = tf.reshape(b, [sizes[0], np.prod([10, 32])])
    equal(value(tf.shape(c), {b: np.zeros([2, 10, 32])}), [2, 320])
    assert c.shape.as_list() == [None, 320]
    flat = tf.reshape(b, [sizes[0] * sizes[1], 32])
    equal(value(tf.shape(flat), {b: np.zeros([2, 10, 32])}), [20, 32])
    equal(value(tf.shape([[1, 2], [3, 4]])), [2, 2])
    equal(value(dynamic, {a: np.zeros([32, 128])}), [32, 128])


def names_under(scope):
    tf.reset_default_graph()
    with scope("scope"):
        a = tf.constant(1, name="a")
        b = tf.Variable(1, name="b")
        c = tf.get_variable("c", [])
    return [a.name, b.name, c.name]


def test_54_to_58_names():
    assert [tf.constant(1).name, tf.Variable(1).name] == ["Const:0", "Variable:0"]
    assert names_under(tf.name_scope) == ["scope/a:0", "scope/b:0", "c:0"]
    assert names_under(tf.variable_scope) == ["scope/a:0", "scope/b:0", "scope/c:0"]
    with tf.variable_scope("scope", reuse=True):
        assert tf.constant(1, name="a").name == "scope_1/a:0"


def test_59_to_69_sharing():
    with tf.variable_scope("scope"):
        a = tf.get_variable("a", [])
        with pytest.raises(ValueError):
            tf.get_variable("a", [])
    with tf.variable_scope("scope", reuse=True):
        assert tf.get_variable("a", []) is a
    for _ in range(2):
        with tf.variable_scope("layers", reuse=tf.AUTO_REUSE):
            tf.layers.conv2d(tf.zeros([1, 4, 4, 2]), 3, 3)
    assert len([v for v in tf.global_variables() if v.name.startswith("layers")]) == 2
    with tf.variable_scope(None, default_name="merge") as scope:
        assert scope.name == "merge"
    with tf.variable_scope("named", default_name="merge") as scope:
        assert scope.name == "named"
    for _ in range(2):
        with tf.variable_scope(tf.get_variable_scope(), reuse=tf.AUTO_REUSE):
            w = tf.get_variable("w", [2])
    assert tf.contrib.framework.get_variables_by_name("w") == [w]


def test_70_to_77_variables_in_scopes():
    with tf.variable_scope("a_variable_scope") as scope:
        v = tf.get_variable("var3", [1], initializer=tf.constant_initializer(3))
        four = tf.Variable([4], dtype=tf.float32, name="var4")
        scope.reuse_variables()
        again = tf.get_variable(name="var3")
        another = tf.Variable([4], dtype=tf.float32, name="var4")
    assert again is v and v.name == "a_variable_scope/var3:0"
    assert another.name == "a_variable_scope/var4_1:0"
    assert tf.trainable_variables() == [v, four, another]
    assert value([v, another]) == [[3.0], [4.0]]
    assert tf.get_variable("gamma", 5).shape.as_list() == [5]


def test_79_to_83_broadcasting():
    with pytest.raises(ValueError):
        tf.zeros([3, 2]) + tf.zeros([3, 4])
    a, b = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[1.0], [2.0]])
    equal(value(a + b), [[2, 3], [5, 6]])
    equal(value(a + tf.tile(b, [1, 2])), [[2, 3], [5, 6]])
    c = tf.constant([[1.0], [2.0]]) + tf.constant([1.0, 2.0])
    assert value(tf.reduce_sum(c)) == 12
    equal(value(tf.reduce_sum(c, 0)), [5, 7])


def test_84_to_91_operators():
    x, y = tf.constant([7, -8]), tf.constant([2, 3])
    p, q = tf.constant([True, False]), tf.constant([True, True])
    pairs = [
        (-x, tf.negative(x)),
        (x + y, tf.add(x, y)),
        (x - y, tf.subtract(x, y)),
        (x * y, tf.multiply(x, y)),
        (x / y, tf.truediv(x, y)),
        (x // y, tf.floordiv(x, y)),
        (x % y, tf.floormod(x, y)),
        (x**y, tf.pow(x, y)),
        (x < y, tf.less(x, y)),
        (x <= y, tf.less_equal(x, y)),
        (x > y, tf.greater(x, y)),
        (x >= y, tf.greater_equal(x, y)),
        (p & q, tf.logical_and(p, q)),
        (p | q, tf.logical_or(p, q)),
        (p ^ q, tf.logical_xor(p, q)),
        (~p, tf.logical_not(p)),
        (abs(x), tf.abs(x)),
        (x[0:1], tf.slice(x, [0], [1])),
    ]
    for got, want in value(pairs):
        equal(got, want)
    for use in (bool, lambda t: t and x, lambda t: t or x, lambda t: not t):
        with pytest.raises(TypeError):
            use(x)
    assert (x == y) is False and (x != y) is True and x is not None


def test_92_to_97_order():
    a, b = tf.Variable(2), tf.Variable(1)
    c = a + b
    with tf.control_dependencies([c]):
        assign = tf.assign(a, 5)
    with tf.Session() as session:
        for _ in range(10):
            session.run(tf.global_variables_initializer())
            assert session.run([assign, c]) == [5, 3]
        session.run(tf.global_variables_initializer())
        assert session.run(tf.assign(b, b + 2)) == 3
    check = tf.Assert(tf.constant(False), ["never"])
    with tf.control_dependencies([check]):
        checked = tf.identity(c)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(c) == 3
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(checked)


def test_98_to_105_control_flow():
    a, b = tf.constant(1), tf.constant(2)
    assert value(tf.cond(tf.constant(True), lambda: a + b, lambda: a * b)) == 3
    equal(value(tf.where([True, False], [3, 3], [2, 2])), [3, 2])
    n = tf.constant(5)

    def body(i, a, b):
        return i + 1, b, a + b

    assert value(tf.while_loop(lambda i, a, b: i < n, body, (2, 1, 1)))[2] == 5

    def growing(i, a, b, c):
        return i + 1, b, a + b, tf.concat([c, [a + b]], 0)

    start = (tf.constant(2), a, tf.constant(1), tf.constant([1, 1]))
    with pytest.raises(ValueError):
        tf.while_loop(lambda i, *_: i < n, growing, start)
    shapes = tuple(tf.TensorShape(s) for s in ([], [], [], [None]))
    equal(value(tf.while_loop(lambda i, *_: i < n, growing, start, shapes))[3], [1, 1, 2, 3, 5])
    array = tf.TensorArray(tf.int32, n).write(0, 1).write(1, 1)
    done = tf.while_loop(
        lambda i, *_: i < n,
        lambda i, a, b, c: (i + 1, b, a + b, c.write(i, a + b)),
        (2, 1, 1, array),
    )
    equal(value(done[3].stack()), [1, 1, 2, 3, 5])


def test_106_to_110_python_ops_and_their_gradients():
    @tf.RegisterGradient("StatementPythonSquare")
    def _gradient(op, grad):
        return 2.0 * op.inputs[0] * grad

    x = tf.constant([1.0, 2.0])
    with tf.get_default_graph().gradient_override_map({"PyFunc": "StatementPythonSquare"}):
        y = tf.py_func(np.square, [x], tf.float32)
    assert y.op.type == "PyFunc"
    equal(value(tf.gradients(y, x)[0]), [2, 4])
    with pytest.raises(tf.errors.InvalidArgumentError):
        value(tf.py_func(lambda: np.random.normal(size=2), [], tf.float32))


def test_112_113_114_115_gradient_checker():
    x = tf.constant(np.random.uniform(size=10).astype(np.float32))
    y = tf.nn.relu(x * x)
    with tf.Session():
        assert tf.test.compute_gradient_error(x, [10], y, [10]) < 1e-2
    w = tf.get_variable("w", [5])
    y = tf.nn.softmax_cross_entropy_with_logits(logits=w, labels=tf.nn.softmax(w))
    assert (str(w.get_shape()), str(y.get_shape())) == ("(5,)", "()")
    with tf.Session():
        assert tf.test.compute_gradient_error(w, [5], y, []) > 1e-3


def test_120_gradients_beside_their_ops():
    with tf.device("/cpu:0"):
        w = tf.Variable([[1.0]])
    with tf.device("/cpu:1"):
        y = tf.matmul([[2.0]], w)
    (gradient,) = tf.gradients(y, w, colocate_gradients_with_ops=True)
    assert gradient.device == "/device:CPU:1"
    tf.train.GradientDescentOptimizer(0.1).minimize(y, colocate_gradients_with_ops=True)


def test_123_125_126_assertions_and_printing(capfd):
    x = tf.placeholder(tf.float32)
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        tf.assert_rank(tf.constant([[1.0]]), 1)
    with tf.control_dependencies([tf.assert_positive(x)]):
        y = tf.Print(x, [x], message="This is a: ")
    with tf.Session() as session:
        equal(session.run(y, {x: [1.0, 3.0]}), [1, 3])
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(y, {x: -1.0})
    assert "This is a: [1 3]" in capfd.readouterr().err


def test_167_global_norm():
    clipped, norm = tf.clip_by_global_norm([tf.constant([3.0]), tf.constant([4.0])], 1.0)
    assert value(norm) == 5.0
    close(value(clipped), [[0.6], [0.8]])


def test_209_to_212_checkpoints_and_frozen_graphs(tmp_path):
    v = tf.Variable(2.0, name="v")
    tf.multiply(v, 3.0, name="out")
    with tf.Session() as session:
        session.run(v.initializer)
        path = tf.train.Saver().save(session, str(tmp_path / "m"))
        definition = session.graph.as_graph_def()
        frozen = tf.graph_util.convert_variables_to_constants(session, definition, ["out"])
    assert (tmp_path / "m.meta").is_file()
    with tf.Graph().as_default(), tf.Session() as session:
        tf.train.import_meta_graph(path + ".meta").restore(session, path)
        assert session.run("out:0") == 6.0
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(frozen, name="")
        assert session.run("out:0") == 6.0
