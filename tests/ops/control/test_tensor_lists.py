"""Lists of tensors: in variables, in programs that run often, given back, grown."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf
from headwater.compat.mirrors.ops import list_ops
from headwater.graph import build


@pytest.fixture(autouse=True)
def graph():
    tf.reset_default_graph()


def stack(handle, dtype=tf.float32):
    return list_ops.tensor_list_stack(handle, element_dtype=dtype)


def test_a_variable_can_hold_lists():
    empty = list_ops.empty_tensor_list([], tf.float32)
    one = build.TensorListPushBack(empty, 2.0)
    v = tf.get_variable("v", initializer=[one, one], use_resource=True)
    first = tf.gather(v, 0)
    longer = tf.scatter_update(v, [0], [build.TensorListPushBack(first, 3.0)])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(longer)
        found = session.run([stack(tf.gather(v, 0)), stack(tf.gather(v, 1))])
    np.testing.assert_array_equal(found[0], [2.0, 3.0])
    np.testing.assert_array_equal(found[1], [2.0])


@pytest.mark.parametrize("mode", ["never", "auto", "always"])
def test_lists_are_loop_variables_with_gradients(monkeypatch, mode):
    monkeypatch.setenv("HEADWATER_JIT", mode)
    x = tf.placeholder(tf.float32, [])
    empty = list_ops.empty_tensor_list([], tf.float32)

    def step(i, handle):
        return i + 1, build.TensorListPushBack(handle, tf.sin(x * tf.cast(i, tf.float32)))

    _, filled = tf.while_loop(lambda i, _: i < 4, step, [0, empty])
    y = stack(filled)
    gradient = tf.gradients(y, x)[0]
    steps = np.arange(4)
    with tf.Session() as session:
        for value in (0.5, 1.5, 0.25):
            values, slope = session.run([y, gradient], {x: value})
            np.testing.assert_allclose(values, np.sin(value * steps), rtol=1e-5)
            np.testing.assert_allclose(slope, (steps * np.cos(value * steps)).sum(), rtol=1e-5)


def test_a_list_does_not_change():
    empty = list_ops.empty_tensor_list([], tf.int32)
    one = build.TensorListPushBack(empty, 1)
    two = build.TensorListPushBack(one, 2)
    other = list_ops.tensor_list_set_item(two, 0, 7)
    with tf.Session() as session:
        found = session.run([stack(h, tf.int32) for h in (one, two, other)])
    assert [values.tolist() for values in found] == [[1], [1, 2], [7, 2]]


def test_lists_of_different_lengths_are_not_added():
    empty = list_ops.empty_tensor_list([], tf.float32)
    one = build.TensorListPushBack(empty, 1.0)
    two = build.TensorListPushBack(one, 1.0)
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match="lengths"):
        session.run(stack(tf.add_n([one, two])))


def test_an_item_behind_the_end_makes_the_list_longer_if_asked():
    handle = list_ops.tensor_list_from_tensor(tf.constant([1.0, 2.0]), [])
    longer = list_ops.tensor_list_set_item(handle, 3, 9.0, resize_if_index_out_of_bounds=True)
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(stack(longer)), [1.0, 2.0, 0.0, 9.0])
