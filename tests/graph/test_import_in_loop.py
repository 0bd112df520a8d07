"""Graphs that are imported into the bodies of loops and branches."""

from __future__ import annotations

import pytest

import headwater as tf


@pytest.fixture
def doubling():
    """A graph with a loop that doubles `start:0` five times; the name of the result."""
    with tf.Graph().as_default() as graph:
        start = tf.placeholder_with_default(3.0, [], name="start")
        doubled = tf.while_loop(lambda i, x: i < 5, lambda i, x: (i + 1, x * 2.0), [0, start])[1]
        return graph.as_graph_def(), doubled.name


def imported(doubling, x):
    definition, name = doubling
    (result,) = tf.import_graph_def(definition, input_map={"start:0": x}, return_elements=[name])
    result.set_shape([])
    return result


def test_a_loop_can_be_imported_into_a_loop(doubling):
    result = tf.while_loop(
        lambda i, x: i < 2, lambda i, x: (i + 1, imported(doubling, x)), [0, tf.constant(1.0)]
    )[1]
    with tf.Session() as session:
        assert session.run(result) == 1024


def test_a_loop_can_be_imported_into_a_branch(doubling):
    x = tf.placeholder(tf.float32, [])
    result = tf.cond(x > 0, lambda: imported(doubling, x), lambda: x)
    with tf.Session() as session:
        assert [session.run(result, {x: value}) for value in (2.0, -1.0)] == [64, -1]


def test_two_loops_of_one_name_are_refused(doubling):
    once = imported(doubling, tf.constant(1.0))
    with tf.Session() as session:
        assert session.run(once) == 32
        with pytest.raises(tf.errors.InvalidArgumentError, match="more than one LoopCond node"):
            session.run(imported(doubling, once))
