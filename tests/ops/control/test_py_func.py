"""py_func: values, types, gradients and pictures made in Python."""

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


def test_py_func():
    def function(x, y):
        assert isinstance(x, np.ndarray) or np.isscalar(x) or isinstance(x, np.generic)
        return np.sinh(x) + y, np.int64(x.size)

    out = tf.py_func(function, [[1.0, 2.0], 3.0], [tf.float32, tf.int64])
    assert isinstance(out, list)
    result = value(out)
    close(result[0], np.sinh(np.float32([1, 2])) + 3.0)
    assert result[1] == 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="0-th value returned by"):
        value(tf.py_func(lambda: np.float64(1.0), [], tf.float32))


def test_python_ops_and_their_gradients():
    @tf.RegisterGradient("StatementPythonSquare")
    def _gradient(op, grad):
        return 2.0 * op.inputs[0] * grad

    x = tf.constant([1.0, 2.0])
    with tf.get_default_graph().gradient_override_map({"PyFunc": "StatementPythonSquare"}):
        y = tf.py_func(np.square, [x], tf.float32)
    assert y.op.type == "PyFunc"
    equal(value(tf.gradients(y, x)[0]), [2, 4])
    with pytest.raises(tf.errors.InvalidArgumentError, match="0-th value returned by"):
        value(tf.py_func(lambda: np.random.normal(size=2), [], tf.float32))


def test_pictures_from_python():
    def painted(images, labels):
        return np.stack([np.full((4, 4, 3), label, np.uint8) for label in labels])

    figures = tf.py_func(painted, [tf.zeros([2, 8, 8, 3]), tf.constant([3, 7])], tf.uint8)
    summary = tf.Summary.FromString(value(tf.summary.image("image", figures)))
    assert [(v.image.height, v.image.width) for v in summary.value] == [(4, 4), (4, 4)]


def test_scalars_are_numpy_scalars() -> None:
    kinds = []
    names = {3: b"three"}

    def look_up(number: object, weight: object, word: object, vector: object) -> bytes:
        kinds.append((type(number), type(weight), type(word), type(vector)))
        return names[number]  # only what can be hashed is a key

    found = tf.py_func(look_up, [tf.constant(3, tf.int64), 2.5, "a", [1]], tf.string)
    in_map = tf.data.Dataset.from_tensors(3).map(
        lambda x: tf.py_func(look_up, [tf.cast(x, tf.int64), 2.5, "a", [1]], tf.string)
    )
    with tf.Session() as session:
        assert session.run(found) == b"three"
        assert session.run(in_map.make_one_shot_iterator().get_next()) == b"three"
    assert kinds == [(np.int64, np.float32, bytes, np.ndarray)] * 2
