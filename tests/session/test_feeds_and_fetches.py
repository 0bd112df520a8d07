"""Placeholders, feeds, fetches and errors that name their op."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

close = np.testing.assert_allclose
equal = np.testing.assert_array_equal


def value(fetch, feed=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetch, feed)


def test_feeding():
    x, c = tf.placeholder(tf.float32), tf.constant(1.0)
    v = tf.Variable(2.0)
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(x + c + v, {x: 1, c: 10.0, v: 100.0}) == 111.0
        assert (x + c).eval({x: 1}) == 2.0
        with pytest.raises(
            tf.errors.InvalidArgumentError,
            match="You must feed a value for placeholder tensor 'Placeholder'",
        ):
            session.run(x + c)


def test_placeholders():
    x = tf.placeholder(tf.float32)
    y = tf.identity(x)
    with tf.Session() as session:
        for call in (lambda: session.run(y), y.eval, y.op.run):
            with pytest.raises(
                tf.errors.InvalidArgumentError,
                match="You must feed a value for placeholder tensor 'Placeholder'",
            ):
                call()
        data = np.random.rand(3, 2)
        for got in (session.run(y, {x: data}), y.eval({x: data})):
            assert got.dtype == np.float32
            close(got, data, rtol=1e-6)
        y.op.run({x: 1.0})
        assert session.run(y, {x: 5}) == 5.0


def test_placeholder_with_default():
    x = tf.placeholder_with_default([[1, 2]], [None, 2])
    assert x.dtype == tf.int32 and x.get_shape().as_list() == [None, 2]
    equal(value(x), [[1, 2]])
    equal(value(x, {x: [[3, 4], [5, 6]]}), [[3, 4], [5, 6]])


def test_sparse_placeholders():
    x = tf.sparse_placeholder(tf.float32, name="sp")
    assert x.indices.op.name.startswith("sp")
    y = tf.sparse_reduce_sum(x)
    indices, values, shape = np.int64([[3, 2, 0], [4, 5, 1]]), np.float32([1, 2]), [7, 9, 2]
    with tf.Session() as session:
        with pytest.raises(
            tf.errors.InvalidArgumentError,
            match="You must feed a value for placeholder tensor 'sp/shape'",
        ):
            session.run(y)
        fed = tf.SparseTensorValue(indices, values, np.int64(shape))
        assert session.run(y, {x: fed}) == 3.0 == session.run(y, {x: (indices, values, shape)})
        sparse = tf.SparseTensor(indices, values, shape)
        evaluated = sparse.eval(session=session)
        assert isinstance(evaluated, tf.SparseTensorValue)
        assert session.run(y, {x: evaluated}) == 3.0


def test_errors_name_their_op():
    x = tf.placeholder(tf.float32)
    y = tf.reshape(x, [3, 3], name="bad")
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError) as caught:
        session.run(y, {x: [1.0, 2.0]})
    assert caught.value.op is y.op and caught.value.node_def.name == "bad"
    z = tf.matmul(x, tf.placeholder(tf.float32, name="z"))
    with (
        tf.Session() as session,
        pytest.raises(tf.errors.InvalidArgumentError, match=r"In\[0\] ndims must be >= 2: 1"),
    ):
        session.run(z, {x: [1.0], "z:0": [2.0]})


def test_sessions_and_feeds():
    x = tf.placeholder(tf.float32)
    y = x * 2.0
    with tf.Session() as session:
        assert y.eval({x: 3}) == session.run(y, {x: 3}) == 6.0
        assert session.run([x + y, y], {x: 1.0, y: 10.0}) == [11.0, 10.0]
        assert session.run(y, {x: 2.0}) == 4.0
        with pytest.raises(
            tf.errors.InvalidArgumentError,
            match="You must feed a value for placeholder tensor 'Placeholder'",
        ):
            session.run(y)
    with tf.device("/device:CPU:0"):
        assert tf.constant(1.0).device == "/device:CPU:0"


def test_shapes_before_and_at_the_run():
    x = tf.placeholder(tf.float32, [None, 2])
    y = tf.reshape(x, [-1])
    assert y.get_shape().as_list() == [None]
    equal(value(tf.shape(x), {x: np.zeros([5, 2])}), [5, 2])
    with pytest.raises(
        ValueError, match=r"Cannot feed value of shape \(5, 3\) for Tensor 'Placeholder:0',"
    ):
        value(y, {x: np.zeros([5, 3])})
    z = tf.placeholder(tf.float32)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"Incompatible shapes: \[2\] vs\. \[3\]"
    ):
        value(z + tf.zeros([3]), {z: [1.0, 2.0]})


def test_fetches_and_feeds():
    x = tf.placeholder(tf.float32)
    failing = tf.Assert(tf.equal(x, 99.0), [x])
    with tf.Session() as session:
        result = session.run([x * 2.0, tf.no_op()], {x: 1.0})
        assert result == [2.0, None]
        with pytest.raises(
            tf.errors.InvalidArgumentError,
            match="You must feed a value for placeholder tensor 'Placeholder'",
        ):
            session.run(x * 2.0)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"assertion failed: \[1\]"):
            session.run(failing, {x: 1.0})


class _Items(tuple):
    def __new__(cls, *items):
        return super().__new__(cls, items)


class _Keyed(dict):
    def __hash__(self):
        return hash(tuple(sorted(self)))


class _Row(list):
    def __hash__(self):
        return len(self)


def test_classes_of_tuples_are_kept(session):
    found = session.run(_Items(tf.constant(1.0), [_Items(tf.constant(2.0))]))
    assert type(found) is _Items and found == (1.0, [(2.0,)])
    assert type(found[1][0]) is _Items


def test_keys_of_feeds_may_be_any_structure(session):
    a, b = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    total = 10.0 * a + b
    assert session.run(total, {_Keyed(p=b, q=a): {"p": 2.0, "q": 1.0}}) == 12.0
    assert session.run(total, {_Row([a, b]): [3.0, 4.0]}) == 34.0


def test_large_results_belong_to_the_caller(monkeypatch):
    """They are memory of the program, and neither inputs, nor variables, nor other results."""
    monkeypatch.setenv("HEADWATER_JIT", "always")
    size = 300_000
    x = tf.placeholder(tf.float32, [None])
    v = tf.Variable(tf.ones([size]))
    y = x * 2 + v
    fetches = [y, tf.reshape(y, [-1, 100]), tf.expand_dims(y, 0), x + 0, v, v + 1, tf.identity(x)]
    fed = np.ones(size, np.float32)
    kept = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for turn in range(4):
            found = session.run(fetches, {x: fed * turn})
            values = [2 * turn + 1] * 3 + [turn, 1, 2, turn]
            for number, (array, value) in enumerate(zip(found, values)):
                np.testing.assert_array_equal(array, np.full(array.shape, value, np.float32))
                assert not any(np.shares_memory(array, other) for other in (*found[:number], fed))
            for array in found:
                array[...] = -turn
            kept.append(found)
        for turn, found in enumerate(kept):
            assert all((array == -turn).all() for array in found)
