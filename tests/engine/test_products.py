import functools
import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headwater as tf
from headwater.base.lazy import jax, jax_core, jnp, lax
from headwater.engine.compiling.products import while_loop, with_joined_products

RANDOM = np.random.RandomState(0)
STEPS = 6


def _matrix(*shape):
    return RANDOM.randn(*shape).astype(np.float32)


def _products(closed):
    """The shapes of the results of all products of a program."""
    return [e.outvars[0].aval.shape for e in closed.jaxpr.eqns if e.primitive.name == "dot_general"]


def _both(function, *arguments):
    closed = jax.make_jaxpr(function)(*arguments)
    joined = with_joined_products(closed)
    expected = function(*arguments)
    found = jax_core.jaxpr_as_fun(joined)(*jax.tree.leaves(arguments))
    for a, b in zip(jax.tree.leaves(expected), found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4)
    return closed, joined


def _outer(left, right):
    return lax.dot_general(left, right, (((0,), (0,)), ((), ())))


def test_a_sum_of_outer_products_is_one_product():
    def function(lefts, rights):
        return functools.reduce(operator.add, map(_outer, lefts, rights))

    operands = [_matrix(3, 40) for _ in range(STEPS)], [_matrix(3, 50) for _ in range(STEPS)]
    before, after = _both(function, *operands)
    assert _products(before) == [(40, 50)] * STEPS
    assert _products(after) == [(40, 50)]


def test_other_summands_are_added_and_other_products_stay():
    def function(start, lefts, rights, transposed):
        total = start
        for a, b, t in zip(lefts, rights, transposed):
            total = total + _outer(a, b) + t @ b
        shared = _outer(lefts[0], rights[1])
        return total + shared, shared

    _, after = _both(
        function,
        _matrix(40, 50),
        [_matrix(3, 40) for _ in range(STEPS)],
        [_matrix(3, 50) for _ in range(STEPS)],
        [_matrix(40, 3) for _ in range(STEPS)],
    )
    # The products of the two kinds, and the one with another reader.
    assert _products(after) == [(40, 50)] * 3


def test_a_small_or_short_sum_is_left_alone():
    few = [_matrix(3, 40) for _ in range(3)]
    small = [_matrix(30, 4) for _ in range(STEPS)]
    for operands in (few, small):
        before, after = _both(lambda v: functools.reduce(operator.add, map(_outer, v, v)), operands)
        assert after is before


def test_weights_are_transposed_once():
    def function(x, weights):
        for _ in range(STEPS):
            x = jnp.tanh(lax.dot_general(x, weights, (((1,), (1,)), ((), ()))))
        return x

    before, after = _both(function, _matrix(2, 20), _matrix(20, 20))
    assert len(_products(before)) == len(_products(after)) == STEPS
    names = [e.primitive.name for e in after.jaxpr.eqns]
    assert names.count("transpose") == 1
    numbers = {str(e.params.get("dimension_numbers")) for e in after.jaxpr.eqns if "dot" in str(e)}
    assert numbers == {str((((1,), (0,)), ((), ())))}


@settings(max_examples=8)
@given(st.integers(0, 40), st.integers(1, 60), st.booleans())
def test_a_loop_adds_up_products(steps, rows, tests_the_sum):
    weights = _matrix(30, 30) / 8

    def goes_on(state):
        count, _, total, _ = state
        return (count < steps) & (jnp.isfinite(total[0, 0]) if tests_the_sum else True)

    def iteration(state):
        count, x, total, bias = state
        x = jnp.tanh(lax.dot_general(x, weights, (((1,), (1,)), ((), ()))) + count)
        return count + 1, x, total + _outer(x, x * 2), bias + x.sum(0)

    start = (jnp.int32(0), _matrix(rows, 30), _matrix(30, 30), _matrix(30))
    expected = lax.while_loop(goes_on, iteration, start)
    found = jax.jit(lambda s: while_loop(goes_on, iteration, s))(start)
    assert [v.dtype for v in found] == [v.dtype for v in expected]
    for a, b in zip(expected, found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-3)


def test_infinite_rows_do_not_spoil_what_a_loop_has_not_used():
    def iteration(state):
        count, total = state
        row = jnp.full((1, 30), jnp.where(count == 2, jnp.inf, 1.0))
        return count + 1, total + _outer(row, jnp.ones((1, 30)))

    start = (jnp.int32(0), jnp.zeros((30, 30)))
    _, finite = while_loop(lambda s: s[0] < 2, iteration, start)
    _, infinite = while_loop(lambda s: s[0] < 3, iteration, start)
    np.testing.assert_array_equal(finite, np.full((30, 30), 2.0))
    assert np.isinf(infinite).all()


@pytest.mark.parametrize(
    "steps", [1, pytest.param(7, marks=pytest.mark.slow), pytest.param(23, marks=pytest.mark.slow)]
)
def test_gradients_of_a_recurrent_network_agree_in_loop_and_unrolled(steps):
    x = _matrix(2, steps, 30)
    with tf.Graph().as_default(), tf.Session() as session:
        cell = tf.nn.rnn_cell.BasicLSTMCell(30, name="lstm")
        looped, _ = tf.nn.dynamic_rnn(cell, tf.constant(x), dtype=tf.float32, scope="net")
        with tf.variable_scope("net", reuse=True):
            rows = tf.unstack(tf.constant(x), axis=1)
            unrolled, _ = tf.nn.static_rnn(cell, rows, dtype=tf.float32)
        variables = tf.trainable_variables()
        both = [
            tf.gradients(tf.reduce_sum(tf.square(y)), variables)
            for y in (looped, tf.stack(unrolled, 1))
        ]
        session.run(tf.global_variables_initializer())
        for _ in range(4):
            first, second = session.run(both)
            for a, b in zip(first, second, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-4)


def test_equal_loops_are_the_same_program():
    def loop(start, *weights):
        def step(state):
            count, value = state
            for weight in weights:
                value = jnp.tanh(lax.dot_general(value, weight, (((1,), (1,)), ((), ()))))
            return count + 1, value

        return while_loop(lambda state: state[0] < STEPS, step, (jnp.int32(0), start))

    # An order that depends on where objects stand in memory would differ sooner or later.
    arguments = _matrix(2, 8), *(_matrix(8, 8) for _ in range(6))
    kept = [jax.jit(lambda *a: loop(*a)).lower(*arguments) for _ in range(6)]
    assert len({lowered.as_text() for lowered in kept}) == 1
