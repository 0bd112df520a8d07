"""Statements on placeholders, sessions, errors, optimizers and gradients (lines 19737 to 24510)."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import headwater as tf

equal = np.testing.assert_array_equal
close = np.testing.assert_allclose


def value(fetch, feed=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetch, feed)


def test_19749_19761_19767_placeholders():
    x = tf.placeholder(tf.float32)
    y = tf.identity(x)
    with tf.Session() as session:
        for call in (lambda: session.run(y), y.eval, y.op.run):
            with pytest.raises(tf.errors.InvalidArgumentError):
                call()
        data = np.random.rand(3, 2)
        for got in (session.run(y, {x: data}), y.eval({x: data})):
            assert got.dtype == np.float32
            close(got, data, rtol=1e-6)
        y.op.run({x: 1.0})
        assert session.run(y, {x: 5}) == 5.0


def test_19776_19781_19786_placeholder_with_default():
    x = tf.placeholder_with_default([[1, 2]], [None, 2])
    assert x.dtype == tf.int32 and x.get_shape().as_list() == [None, 2]
    equal(value(x), [[1, 2]])
    equal(value(x, {x: [[3, 4], [5, 6]]}), [[3, 4], [5, 6]])


def test_19796_to_19826_sparse_placeholders():
    x = tf.sparse_placeholder(tf.float32, name="sp")
    assert x.indices.op.name.startswith("sp")
    y = tf.sparse_reduce_sum(x)
    indices, values, shape = np.int64([[3, 2, 0], [4, 5, 1]]), np.float32([1, 2]), [7, 9, 2]
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(y)
        fed = tf.SparseTensorValue(indices, values, np.int64(shape))
        assert session.run(y, {x: fed}) == 3.0 == session.run(y, {x: (indices, values, shape)})
        sparse = tf.SparseTensor(indices, values, shape)
        evaluated = sparse.eval(session=session)
        assert isinstance(evaluated, tf.SparseTensorValue)
        assert session.run(y, {x: evaluated}) == 3.0


def test_23451_to_23520_sessions():
    a, b = tf.constant([10, 20]), tf.constant(1.0)
    step = tf.no_op()
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
        assert session.graph is tf.get_default_graph()
        result = session.run({"x": [a, b], "op": step, "y": (b,)})
        assert isinstance(result["x"][0], np.ndarray) and result["op"] is None
        assert result["y"] == (1.0,)
        assert session.run(a + 1, {a: [1, 2]}).tolist() == [2, 3]
        sparse = session.run(tf.SparseTensor([[0]], [1], [2]))
        assert isinstance(sparse, tf.SparseTensorValue)
        handle = session.run(tf.get_session_handle(b))
        assert handle.eval() == 1.0
        metadata = tf.RunMetadata()
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        session.run(a, options=options, run_metadata=metadata)
        assert metadata.HasField("step_stats")
        for wrong in (3, [object()]):
            with pytest.raises(TypeError):
                session.run(wrong)
        with pytest.raises(TypeError):
            session.run(b, {3: 4})
        with pytest.raises(ValueError):
            session.run("no_such:0")
        with tf.Graph().as_default():
            foreign = tf.constant(1.0)
        with pytest.raises(ValueError):
            session.run(foreign)
        x = tf.placeholder(tf.float32, [2])
        with pytest.raises(ValueError):
            session.run(x, {x: [1.0, 2.0, 3.0]})
    with pytest.raises(RuntimeError):
        session.run(b)


def test_23544_to_23637_default_sessions():
    c = tf.constant(2.0)
    session = tf.Session()
    assert tf.get_default_session() is None
    for _ in range(2):
        with session.as_default():
            assert tf.get_default_session() is session and c.eval() == 2.0
            seen = []
            thread = threading.Thread(target=lambda s=seen: s.append(tf.get_default_session()))
            thread.start()
            thread.join()
            assert seen == [None]
    session.close()
    with pytest.raises(ZeroDivisionError), tf.Session() as failing:
        raise ZeroDivisionError
    with pytest.raises(RuntimeError):
        failing.run(c)
    interactive = tf.InteractiveSession()
    assert c.eval() == 2.0 and tf.get_default_session() is interactive
    interactive.close()


CODES = {
    "CancelledError": 1,
    "InvalidArgumentError": 3,
    "DeadlineExceededError": 4,
    "NotFoundError": 5,
    "AlreadyExistsError": 6,
    "PermissionDeniedError": 7,
    "ResourceExhaustedError": 8,
    "FailedPreconditionError": 9,
    "AbortedError": 10,
    "OutOfRangeError": 11,
    "UnimplementedError": 12,
    "InternalError": 13,
    "UnavailableError": 14,
    "DataLossError": 15,
    "UnauthenticatedError": 16,
}


@pytest.mark.parametrize("name", CODES)
def test_23649_to_23917_classes_of_errors(name):
    error = getattr(tf.errors, name)(None, None, "text")
    assert isinstance(error, tf.OpError) and isinstance(error, tf.errors.OpError)
    assert (error.op, error.node_def, error.message) == (None, None, "text")
    assert error.error_code == CODES[name]
    assert tf.errors.UnknownError(None, None, "text").error_code == 2
    assert tf.errors.UnknownError(None, None, "text", 20).error_code == 20


def test_23657_23667_23729_errors_name_their_op():
    x = tf.placeholder(tf.float32)
    y = tf.reshape(x, [3, 3], name="bad")
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError) as caught:
        session.run(y, {x: [1.0, 2.0]})
    assert caught.value.op is y.op and caught.value.node_def.name == "bad"
    z = tf.matmul(x, tf.placeholder(tf.float32, name="z"))
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError):
        session.run(z, {x: [1.0], "z:0": [2.0]})


OPTIMIZERS = {
    "GradientDescent": lambda: tf.train.GradientDescentOptimizer(0.1),
    "Adadelta": lambda: tf.train.AdadeltaOptimizer(),
    "Adagrad": lambda: tf.train.AdagradOptimizer(0.1),
    "Momentum": lambda: tf.train.MomentumOptimizer(0.1, 0.9),
    "Adam": lambda: tf.train.AdamOptimizer(),
    "Ftrl": lambda: tf.train.FtrlOptimizer(0.1),
    "RMSProp": lambda: tf.train.RMSPropOptimizer(0.1),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_23945_to_24122_optimizers(name):
    v, w = tf.Variable(1.0), tf.Variable(2.0)
    step = tf.Variable(0, trainable=False)
    optimizer = OPTIMIZERS[name]()
    assert optimizer.get_name() == name
    pairs = optimizer.compute_gradients(v * v + 0.0 * w)
    assert [variable for _, variable in pairs] == [v, w]
    update = optimizer.apply_gradients(pairs, global_step=step)
    assert update.name == name and isinstance(update, tf.Operation)
    for slot in optimizer.get_slot_names():
        assert isinstance(optimizer.get_slot(v, slot), tf.Variable)
    assert optimizer.get_slot(v, "no_such_slot") is None
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(update)
        assert session.run(step) == 1 and session.run(v) < 1.0


def test_23993_24018_24048_24072_24073_refusals():
    v = tf.Variable(1.0)
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    with pytest.raises(ValueError):
        tf.train.GradientDescentOptimizer(0.1, name="")
    with pytest.raises((TypeError, ValueError)):
        optimizer.minimize(v * v, var_list=[3])
    with pytest.raises(TypeError):
        optimizer.compute_gradients(v * v, var_list=[object()])
    with pytest.raises(ValueError):
        optimizer.apply_gradients([])
    with pytest.raises(ValueError):
        optimizer.apply_gradients([(None, v)])
    with pytest.raises(TypeError):
        optimizer.apply_gradients([(object(), v)])


def test_24010_24081_gradients_of_the_loss_and_gates():
    v = tf.Variable(3.0)
    for gate in (0, 1, 2):
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        pairs = optimizer.compute_gradients(v * v, gate_gradients=gate, grad_loss=tf.constant(2.0))
        assert value(pairs[0][0]) == 12.0
    assert (optimizer.GATE_NONE, optimizer.GATE_OP, optimizer.GATE_GRAPH) == (0, 1, 2)


def test_24192_24288_ranges_of_parameters():
    bad = [
        lambda: tf.train.AdagradOptimizer(0.1, initial_accumulator_value=0.0),
        lambda: tf.train.FtrlOptimizer(0.1, learning_rate_power=0.1),
        lambda: tf.train.FtrlOptimizer(0.1, initial_accumulator_value=-0.1),
        lambda: tf.train.FtrlOptimizer(0.1, l1_regularization_strength=-0.1),
        lambda: tf.train.FtrlOptimizer(0.1, l2_regularization_strength=-0.1),
    ]
    for call in bad:
        with pytest.raises(ValueError):
            call()


def test_24238_to_24252_adam():
    v = tf.Variable([1.0, -2.0])
    gradient = np.float32([0.5, -0.25])
    update = tf.train.AdamOptimizer(0.01).apply_gradients([(tf.constant(gradient), v)])
    x, m, s = np.float64([1, -2]), 0.0, 0.0
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for t in range(1, 4):
            session.run(update)
            m = 0.9 * m + 0.1 * gradient
            s = 0.999 * s + 0.001 * gradient**2
            rate = 0.01 * np.sqrt(1 - 0.999**t) / (1 - 0.9**t)
            x = x - rate * m / (np.sqrt(s) + 1e-8)
            close(session.run(v), x, rtol=1e-5)


def test_24338_to_24380_gradients():
    x, y = tf.constant(2.0), tf.constant(3.0)
    z = x * y
    grads = tf.gradients([z, x * x], [x, y])
    assert [g.op.name.split("/")[0] for g in grads] == ["gradients"] * 2
    assert value(grads) == [7.0, 2.0]
    assert value(tf.gradients(z, x, grad_ys=[tf.constant(10.0)])) == [30.0]
    assert value(tf.gradients(tf.stop_gradient(x) * x, x)) == [2.0]
    assert tf.gradients(z, tf.constant(1.0)) == [None]
    with pytest.raises(ValueError):
        tf.gradients([z], [x], grad_ys=[1.0, 2.0])
    image = tf.zeros([2, 2, 3])
    with pytest.raises(LookupError):
        tf.gradients(tf.image.adjust_contrast(image, 2.0), image)


def test_24410_to_24466_clipping():
    t = tf.constant([[-3.0, 0.5], [4.0, 2.0]])
    equal(value(tf.clip_by_value(t, -1.0, 1.0)), [[-1, 0.5], [1, 1]])
    norm = np.sqrt(29.25)
    close(value(tf.clip_by_norm(t, 1.0)), value(t) / norm, rtol=1e-6)
    equal(value(tf.clip_by_norm(t, 100.0)), value(t))
    close(value(tf.clip_by_average_norm(t, 1.0)), value(t) / (norm / 4), rtol=1e-6)


def test_24132_to_24312_defaults_of_optimizers():
    """The names and parameters of the page, as the ops of one step get them."""
    made = {
        "GradientDescent": (tf.train.GradientDescentOptimizer(0.5), {}),
        "Adadelta": (tf.train.AdadeltaOptimizer(), {"lr": 0.001, "rho": 0.95, "epsilon": 1e-8}),
        "Adagrad": (tf.train.AdagradOptimizer(0.5), {}),
        "Momentum": (tf.train.MomentumOptimizer(0.5, 0.9), {"momentum": 0.9}),
        "Adam": (
            tf.train.AdamOptimizer(),
            {"lr": 0.001, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8},
        ),
        "Ftrl": (tf.train.FtrlOptimizer(0.5), {"lr_power": -0.5, "l1": 0.0, "l2": 0.0}),
        "RMSProp": (
            tf.train.RMSPropOptimizer(0.5),
            {"rho": 0.9, "momentum": 0.0, "epsilon": 1e-10},
        ),
    }
    v = tf.Variable([1.0])
    for name, (optimizer, expected) in made.items():
        assert optimizer.get_name() == name
        step = optimizer.minimize(tf.reduce_sum(v * v))
        assert step.name == name
        ops = tf.get_default_graph().get_operations()
        (apply,) = (op for op in ops if op.type == f"Apply{name}")
        arguments = dict(zip((a.name for a in apply.op_def.input_arg), apply.inputs))
        for argument, number in expected.items():
            close(tf.contrib.util.constant_value(arguments[argument]), number)


def test_24489_to_24505_clipping_by_the_global_norm():
    ts = [tf.constant([3.0, 0.0]), None, tf.constant([4.0])]
    clipped, norm = tf.clip_by_global_norm(ts, 2.0)
    assert clipped[1] is None
    with tf.Session() as session:
        one, three, whole = session.run([clipped[0], clipped[2], norm])
        assert whole == 5
        close(one, [1.2, 0], 1e-6)
        close(three, [1.6], 1e-6)
        same, _ = tf.clip_by_global_norm(ts, 10.0)
        close(session.run(same[0]), [3, 0])
        given, back = tf.clip_by_global_norm(ts, 2.0, use_norm=tf.constant(8.0))
        close(session.run([given[2], back][0]), [1.0])
