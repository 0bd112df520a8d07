"""Optimizers outside of the graph: the arguments that SciPy gets."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf


def test_arguments_that_are_set_already_are_refused():
    x = tf.Variable([1.0, 2.0])
    for name, text in (("bounds", "var_to_bounds"), ("jac", "'jac' is set automatically")):
        optimizer = tf.contrib.opt.ScipyOptimizerInterface(tf.reduce_sum(x), **{name: 1})
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            with pytest.raises(ValueError, match=text):
                optimizer.minimize(session)


def test_a_subclass_gets_one_flat_vector_and_bounds():
    a, b = tf.Variable([[1.0, 2.0]]), tf.Variable(3.0)
    seen = {}

    class Mine(tf.contrib.opt.ExternalOptimizerInterface):
        def _minimize(self, initial_val, packed_bounds, optimizer_kwargs, step_callback, **_):
            seen.update(first=initial_val, bounds=packed_bounds, kwargs=optimizer_kwargs)
            step_callback(initial_val)
            return initial_val + 1

    steps = []
    optimizer = Mine(tf.reduce_sum(a), [a, b], var_to_bounds={a: (0, [1, 5])}, option=7)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        optimizer.minimize(session, step_callback=steps.append)
        np.testing.assert_array_equal(session.run(a), [[2, 3]])
        assert session.run(b) == 4
    np.testing.assert_array_equal(seen["first"], [1, 2, 3])
    assert seen["bounds"] == [(0, 1), (0, 5), (-np.inf, np.inf)]
    assert seen["kwargs"] == {"option": 7}
    assert len(steps) == 1
