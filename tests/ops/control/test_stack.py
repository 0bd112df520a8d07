"""Stacks: what is pushed comes back in the other order."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import headwater as tf
from headwater.base import dtypes
from headwater.graph import build
from headwater.ops.control.stack_resource import StackResource
from headwater.ops.control.traced_resources import Iteration


def test_elements_are_handed_on_as_they_are():
    stack = StackResource("s", dtypes.float32)
    host, device = np.ones(2, np.float32), jnp.ones(3, jnp.float32)
    stack.push(host)
    stack.push(device)
    assert len(stack) == 2
    assert stack.pop() is device
    assert stack.pop() is host


def test_a_stack_has_its_size_and_its_end():
    stack = StackResource("s", dtypes.float32, 1)
    stack.push(1.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"overflowed its max_size \(1\)"):
        stack.push(2.0)
    stack.pop()
    with pytest.raises(tf.errors.InvalidArgumentError, match="is empty when calling Pop"):
        stack.pop()
    stack.close()
    with pytest.raises(tf.errors.InvalidArgumentError, match="has already been closed"):
        stack.pop()


@pytest.mark.parametrize("version", ["", "V2"])
def test_both_versions_of_the_ops_do_the_same(version):
    with tf.Graph().as_default(), tf.Session() as session:
        size = [-1] if version else []
        make, push, pop = (getattr(build, f"Stack{what}{version}") for what in ("", "Push", "Pop"))
        stack = make(*size, elem_type=tf.float32, stack_name="s")
        first = push(stack, [1.0, 2.0])
        with tf.control_dependencies([first]):
            second = push(stack, [3.0], swap_memory=True)
        with tf.control_dependencies([second]):
            top = pop(stack, elem_type=tf.float32)
        with tf.control_dependencies([top]):
            bottom = pop(stack, elem_type=tf.float32)
        results = session.run([first, second, top, bottom])
    np.testing.assert_array_equal(results[2], [3.0])
    np.testing.assert_array_equal(results[3], [1.0, 2.0])
    np.testing.assert_array_equal(results[0], results[3])


def test_the_body_of_a_loop_without_iterations_can_be_traced():
    stack = StackResource("s", dtypes.float32).traced((None, jnp.int32(0)), 0, Iteration())

    def body(value):
        stack.push(value)
        return stack.pop()

    assert jax.eval_shape(body, jnp.ones(2, jnp.float32)).shape == (2,)
