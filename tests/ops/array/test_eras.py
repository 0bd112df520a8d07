"""Calls in the argument order of older programs make the same nodes as those of today."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import headwater as tf


def nodes_of(build: Callable[[], Any]) -> tuple[list[Any], list[np.ndarray]]:
    with tf.Graph().as_default() as graph:
        made = build()
        made = made if isinstance(made, (list, tuple)) else [made]
        nodes = [(op.type, op.name, [t.name for t in op.inputs]) for op in graph.get_operations()]
        with tf.Session() as session:
            return nodes, session.run(list(made))


def x() -> Any:
    return tf.constant([[1.0, 2.0], [3.0, 4.0]])


PAIRS = [
    (lambda: tf.concat(1, [x(), x()]), lambda: tf.concat([x(), x()], 1)),
    (lambda: tf.concat(0, [x(), x()], name="c"), lambda: tf.concat([x(), x()], 0, name="c")),
    (
        lambda: tf.concat(concat_dim=0, values=[x(), x()]),
        lambda: tf.concat(values=[x(), x()], axis=0),
    ),
    (
        lambda: tf.concat(np.int32(0), [[1, 2], [3]]),
        lambda: tf.concat([[1, 2], [3]], np.int32(0)),
    ),
    (lambda: tf.split(1, 2, x()), lambda: tf.split(x(), 2, 1)),
    (lambda: tf.split(0, 2, [1, 2, 3, 4]), lambda: tf.split([1, 2, 3, 4], 2, 0)),
    (
        lambda: tf.split(split_dim=1, num_split=2, value=x(), name="s"),
        lambda: tf.split(value=x(), num_or_size_splits=2, axis=1, name="s"),
    ),
    (lambda: tf.pack([x(), x()]), lambda: tf.stack([x(), x()])),
    (lambda: tf.pack([1, 2], name="p"), lambda: tf.stack([1, 2], name="p")),
    (lambda: tf.unpack(x()), lambda: tf.unstack(x())),
    (lambda: tf.unpack(x(), 2, name="u"), lambda: tf.unstack(x(), 2, name="u")),
    (lambda: tf.squeeze(x()[:1], [0]), lambda: tf.squeeze(x()[:1], axis=[0])),
    (
        lambda: tf.squeeze(x()[:1], squeeze_dims=[0]),
        lambda: tf.squeeze(x()[:1], axis=[0]),
    ),
    (lambda: tf.expand_dims(x(), dim=1), lambda: tf.expand_dims(x(), 1)),
    (lambda: tf.listdiff([1, 2], [2]), lambda: tf.setdiff1d([1, 2], [2])),
    (lambda: tf.reverse_v2(x(), [1]), lambda: tf.reverse(x(), [1])),
    (
        lambda: tf.reverse_sequence(x(), [1, 2], 1, 0),
        lambda: tf.reverse_sequence(x(), [1, 2], seq_axis=1, batch_axis=0),
    ),
]


@pytest.mark.parametrize(("old", "new"), PAIRS)
def test_the_old_order_makes_the_nodes_of_the_new_one(
    old: Callable[[], Any], new: Callable[[], Any]
) -> None:
    old_nodes, old_values = nodes_of(old)
    new_nodes, new_values = nodes_of(new)
    assert old_nodes == new_nodes
    for a, b in zip(old_values, new_values, strict=True):
        np.testing.assert_array_equal(a, b)


def test_concat_takes_a_tensor_as_the_old_first_argument() -> None:
    axis = tf.constant(1)
    tensor = tf.concat(axis, [x(), x()])
    assert tensor.op.inputs[-1] is axis
    assert tensor.shape.as_list() == [2, 4]


def test_reverse_takes_one_boolean_per_dimension() -> None:
    tensor = tf.reverse(x(), [False, True])
    assert tensor.op.type == "Reverse"
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(tensor), [[2, 1], [4, 3]])
        mask = tf.constant([True, False])
        np.testing.assert_array_equal(session.run(tf.reverse(x(), mask)), [[3, 4], [1, 2]])
