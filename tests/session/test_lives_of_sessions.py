"""Sessions: default sessions, closing, threads, and how long their variables live."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import headwater as tf


def test_sessions():
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
            with pytest.raises(
                TypeError, match=r"must be a string or Tensor\. \(Can not convert a"
            ):
                session.run(wrong)
        with pytest.raises(
            TypeError, match="Cannot interpret feed_dict key as Tensor: Can not convert a int"
        ):
            session.run(b, {3: 4})
        with pytest.raises(
            ValueError, match=r"Fetch argument 'no_such:0' cannot be interpreted as a Tensor\."
        ):
            session.run("no_such:0")
        with tf.Graph().as_default():
            foreign = tf.constant(1.0)
        with pytest.raises(
            ValueError, match=r"Fetch argument <tf\.Tensor 'Const:0' shape=\(\) dtype=float32>"
        ):
            session.run(foreign)
        x = tf.placeholder(tf.float32, [2])
        with pytest.raises(
            ValueError, match=r"Cannot feed value of shape \(3,\) for Tensor 'Placeholder:0',"
        ):
            session.run(x, {x: [1.0, 2.0, 3.0]})
    with pytest.raises(RuntimeError, match=r"Attempted to use a closed Session\."):
        session.run(b)


def test_default_sessions():
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
    with pytest.raises(RuntimeError, match=r"Attempted to use a closed Session\."):
        failing.run(c)
    interactive = tf.InteractiveSession()
    assert c.eval() == 2.0 and tf.get_default_session() is interactive
    interactive.close()


def test_variables_live_as_long_as_their_session():
    v = tf.Variable(1.0)
    session = tf.Session()
    session.run(v.initializer)
    session.close()
    with pytest.raises(RuntimeError, match=r"Attempted to use a closed Session\."):
        session.run(v)
    with (
        tf.Session() as other,
        pytest.raises(
            tf.errors.FailedPreconditionError,
            match="Attempting to use uninitialized value Variable",
        ),
    ):
        other.run(v)


def test_runs_of_many_threads():
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


def test_sessions_of_graphs():
    x = tf.placeholder(tf.float32, ())
    z = x + 5.0
    y = z * 0.5
    tf.Session()
    with pytest.raises(
        ValueError, match=r"Cannot evaluate tensor using `eval\(\)`: No default session is"
    ):
        y.eval({x: 2})
    with tf.Session() as session:
        assert [y.eval({x: 2}), session.run(y, {z: 5}), session.run(y, {y: 5})] == [3.5, 2.5, 5.0]
        assert session.run([x, z, y], {x: 2}) == [2.0, 7.0, 3.5]
        session.run(tf.initialize_all_variables())
    session = tf.InteractiveSession()
    assert y.eval({x: 2}) == 3.5
    session.close()


def test_closing_and_declaring_twice():
    session = tf.Session()
    session.close()
    with pytest.raises(RuntimeError, match=r"Attempted to use a closed Session\."):
        session.run(tf.constant(1))
    tf.get_variable("w", [5])
    with pytest.raises(ValueError, match="already exists"):
        tf.get_variable("w", [5])
