"""Gradients of loops and branches against formulas, and where TensorFlow's own fail."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headwater as tf


@pytest.fixture(autouse=True)
def _graph():
    with tf.Graph().as_default():
        yield


@settings(max_examples=25)
@given(st.integers(0, 6), st.floats(-1.5, 1.5), st.floats(-1.5, 1.5))
def test_the_gradient_of_a_recurrence_is_that_of_its_steps(steps, start, weight):
    with tf.Graph().as_default(), tf.Session() as session:
        x, w = tf.placeholder(tf.float64, []), tf.placeholder(tf.float64, [])
        count = tf.placeholder(tf.int32, [])
        _, y = tf.while_loop(
            lambda i, v: i < count, lambda i, v: (i + 1, tf.sin(v * w) + x), [0, x]
        )
        found = session.run(tf.gradients(y, [x, w]), {x: start, w: weight, count: steps})
    value, by_x, by_w = start, 1.0, 0.0
    for _ in range(steps):
        slope = np.cos(value * weight)
        by_w = slope * (by_w * weight + value)
        by_x = slope * by_x * weight + 1.0
        value = np.sin(value * weight) + start
    np.testing.assert_allclose(found, [by_x, by_w], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("takes", [0, 1, 2])
def test_a_resource_variable_in_one_branch_of_a_loop(takes):
    v = tf.get_variable("v", initializer=[3.0, 4.0], use_resource=True)
    x = tf.placeholder(tf.float32, [2])

    def body(i, u):
        return i + 1, tf.cond(i < takes, lambda: u * v, lambda: u + 1.0)

    _, y = tf.while_loop(lambda i, u: i < 3, body, [0, x])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        by_x, by_v = session.run(tf.gradients(y, [x, v]), {x: [1.0, 2.0]})
    values = np.array([3.0, 4.0])
    np.testing.assert_allclose(by_x, values**takes)
    np.testing.assert_allclose(by_v, takes * values ** max(takes - 1, 0) * [1.0, 2.0])


def test_gradients_of_gradients_of_loops_are_refused():
    x = tf.placeholder(tf.float32, [])
    y = tf.while_loop(lambda v: v < 9.0, lambda v: v * x, [x])
    gradient = tf.gradients(y, x)
    with pytest.raises(TypeError, match="Second-order gradient for while loops not supported"):
        tf.gradients(gradient, x)


def test_gradients_of_gradients_of_branches():
    x, p = tf.placeholder(tf.float32, []), tf.placeholder(tf.bool, [])
    y = tf.cond(p, lambda: x**3.0, lambda: 5.0 * x)
    gradient = tf.gradients(y, x)[0]
    second = tf.gradients(gradient, x)[0]
    with tf.Session() as session:
        assert session.run([gradient, second], {x: 2.0, p: True}) == [12.0, 12.0]
        assert session.run(gradient, {x: 2.0, p: False}) == 5.0


def test_many_iterations_keep_all_values():
    x = tf.placeholder(tf.float32, [])
    _, y = tf.while_loop(
        lambda i, v: i < 500, lambda i, v: (i + 1, v + tf.cast(i, tf.float32) * x), [0, 0.0]
    )
    with tf.Session() as session:
        assert session.run(tf.gradients(y, x), {x: 1.0}) == [499 * 500 / 2]


def test_loops_and_branches_that_are_imported():
    x, p = tf.placeholder(tf.float32, [2], name="x"), tf.placeholder(tf.bool, [], name="p")
    _, y = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * v), [0, x])
    z = tf.cond(p, lambda: x * x, lambda: x + 1.0)
    names = [tensor.name for tensor in (x, p, y, z)]
    graph_def = tf.get_default_graph().as_graph_def()
    meta_graph = tf.train.export_meta_graph()
    with tf.Graph().as_default(), tf.Session() as session:
        x, p, y, z = tf.import_graph_def(graph_def, return_elements=names, name="")
        with pytest.raises(ValueError, match="without properly serializing graph via MetaGraph"):
            tf.gradients(y, x)
        gradient = tf.gradients(z, x)
        for taken, expected in ((True, [2.0, 4.0]), (False, [1.0, 1.0])):
            (found,) = session.run(gradient, {x: [1.0, 2.0], p: taken})
            np.testing.assert_array_equal(found, expected)
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.train.import_meta_graph(meta_graph)
        x, p, y, z = (graph.get_tensor_by_name(name) for name in names)
        found = session.run(tf.gradients([y, z], x), {x: [1.0, 2.0], p: True})
        np.testing.assert_array_equal(found, [[8.0 + 2.0, 8.0 * 2.0**7 + 4.0]])
