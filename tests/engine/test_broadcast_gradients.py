"""Gradients of broadcasts whose shapes are known only at run time, interpreted as one call."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headwater as tf
from headwater.engine.compiling import broadcast_gradients
from headwater.engine.compiling.interpreter import Interpreter

RUNS = 3  # The first run lists no calls.
SHAPES = [
    ((3, 4), (3, 4)),
    ((3, 4), (4,)),
    ((4,), (3, 4)),
    ((3, 1), (3, 4)),
    ((1, 4), (3, 1)),
    ((), (2, 3)),
    ((1,), (1, 1, 1)),
    ((0, 4), (4,)),
    ((2, 3), ()),
]


@pytest.fixture
def calls(monkeypatch):
    """The types of the ops that the interpreters call, by run, when nothing is compiled."""
    monkeypatch.setenv("HEADWATER_JIT", "never")
    listed = []
    run = Interpreter.run

    def noted(self, values):
        listed.append([call.op.type for call in self._calls])
        return run(self, values)

    monkeypatch.setattr(Interpreter, "run", noted)
    return listed


def summed_to(array, shape):
    """What NumPy needs to undo a broadcast."""
    array = array.sum(tuple(range(array.ndim - len(shape))))
    axes = tuple(i for i, size in enumerate(shape) if size == 1)
    return array.sum(axes, keepdims=True) if axes else array


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize(("first", "second"), SHAPES)
def test_gradients_of_a_sum_and_a_product(calls, first, second, dtype):
    random = np.random.RandomState(0)
    a, b = tf.placeholder(dtype), tf.placeholder(dtype)
    x, y = (np.array(random.rand(*shape), dtype) for shape in (first, second))
    whole = np.broadcast_shapes(first, second)
    weights = np.array(random.rand(*whole), dtype)
    gradients = tf.gradients(a + b, [a, b], grad_ys=tf.constant(weights))
    gradients += tf.gradients(a * b, [a, b], grad_ys=tf.constant(weights))
    with tf.Session() as session:
        for _ in range(RUNS):
            found = session.run(gradients, {a: x, b: y})
    expected = [weights, weights, weights * y, weights * x]
    for value, wanted, shape in zip(found, expected, [first, second] * 2, strict=True):
        assert value.shape == shape
        np.testing.assert_allclose(
            value,
            summed_to(wanted.astype(np.float64), shape),
            rtol=1e-2 if dtype != np.float32 else 1e-5,
        )
    assert "BroadcastGradientArgs" not in calls[-1]
    assert "Shape" not in calls[-1]


def test_an_op_between_that_is_fetched_is_still_called(calls):
    a, b = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    gradients = tf.gradients(a + b, [a, b])
    ops = tf.get_default_graph().get_operations()
    (axes,) = (op for op in ops if op.type == "BroadcastGradientArgs")
    with tf.Session() as session:
        for _ in range(RUNS):
            fetched = session.run(
                [*gradients, axes.outputs[1]], {a: np.ones((3, 2)), b: np.ones(2)}
            )
    np.testing.assert_array_equal(fetched[1], [3, 3])
    np.testing.assert_array_equal(fetched[2], [0])
    assert "BroadcastGradientArgs" in calls[-1]


def test_a_gradient_of_another_shape_fails_as_without_the_list(calls):
    a, b = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    given_gradient = tf.placeholder(tf.float32)
    (gradient, _) = tf.gradients(a + b, [a, b], grad_ys=given_gradient)
    feed = {a: np.ones((3, 2)), b: np.ones(2), given_gradient: np.ones((1, 2))}
    texts = []
    with tf.Session() as session:
        for _ in range(RUNS):
            with pytest.raises(tf.errors.InvalidArgumentError) as caught:
                session.run(gradient, feed)
            texts.append((caught.value.message, caught.value.op.type))
            session.run(gradient, {**feed, given_gradient: np.ones((3, 2))})
    assert len(set(texts)) == 1
    assert (
        "Input to reshape is a tensor with 2 values, but the requested shape has 6" in texts[0][0]
    )


@settings(max_examples=200, deadline=None)
@given(*[st.lists(st.sampled_from([0, 1, 2, 3]), max_size=3).map(tuple) for _ in range(2)])
def test_summed_axes_are_those_of_broadcasting(value, other):
    try:
        whole = np.broadcast_shapes(value, other)
    except ValueError:
        longer = max(value, other, key=len)
        assert broadcast_gradients.summed_axes(longer, value, other) is None
        return
    axes = broadcast_gradients.summed_axes(whole, value, other)
    assert np.zeros(whole).sum(axes).size == np.prod(value, dtype=int)
    np.testing.assert_array_equal(
        np.ones(whole).sum(axes).reshape(value), summed_to(np.ones(whole), value)
    )
    assert broadcast_gradients.summed_axes((*whole, 5), value, other) is None
