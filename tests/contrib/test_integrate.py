"""Ordinary differential equations with known solutions, and what is checked of the arguments."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

TIMES = np.linspace(0.0, 1.0, 11)


def _circle():
    matrix = tf.constant([[0, 1], [-1, 0]], dtype=tf.float64)
    return lambda y, t: tf.matmul(matrix, y)


def test_an_exponential_function():
    y = tf.contrib.integrate.odeint(lambda y, t: y, tf.constant(1.0, tf.float64), TIMES)
    assert y.shape.as_list() == [11]
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(y), np.exp(TIMES), rtol=1e-6)


def test_complex_numbers():
    k = 1j - 0.1
    y = tf.contrib.integrate.odeint(lambda y, t: k * y, 1.0 + 0.0j, TIMES)
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(y), np.exp(k * TIMES), rtol=1e-6)


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64, tf.complex64, tf.complex128])
@pytest.mark.parametrize("times", [np.float32, np.float64])
def test_types_are_kept(dtype, times):
    y = tf.contrib.integrate.odeint(lambda y, t: y, tf.cast(1.0, dtype), TIMES.astype(times))
    with tf.Session() as session:
        value = session.run(y)
    assert y.dtype == dtype and value.dtype == dtype.as_numpy_dtype
    np.testing.assert_allclose(value, np.exp(TIMES), rtol=1e-5)


def test_the_steps_do_not_depend_on_the_times():
    start = np.array([[1.0], [0.0]])
    runs = [
        tf.contrib.integrate.odeint(_circle(), start, np.linspace(0, 10, n), full_output=True)
        for n in (11, 101)
    ]
    with tf.Session() as session:
        (few, first), (many, second) = session.run(runs)
    np.testing.assert_allclose(few, many[::10])
    assert first["num_func_evals"] == second["num_func_evals"]
    np.testing.assert_array_equal(first["integrate_points"], second["integrate_points"])
    np.testing.assert_array_equal(first["error_ratio"], second["error_ratio"])


def test_the_history_is_that_of_the_original():
    # From TensorFlow 1.15.5.
    _, info = tf.contrib.integrate.odeint(
        lambda y, t: -2.0 * t * y,
        tf.constant(1.0, tf.float64),
        [0.0, 4.0, 9.0],
        full_output=True,
        method="dopri5",
        options={"first_step": 3.0},
    )
    with tf.Session() as session:
        found = session.run(info)
    assert found["num_func_evals"] == 613
    np.testing.assert_allclose(
        found["integrate_points"][:8],
        [3.0, 0.6, 0.24910944, 0.51837485, 0.46384739, 0.68497452, 0.64792621, 0.83576312],
        rtol=1e-6,
    )


def test_the_order_is_five():
    options = {"full_output": True, "method": "dopri5", "options": {"max_num_steps": 2000}}
    runs = [
        tf.contrib.integrate.odeint(
            _circle(), np.array([[1.0], [0.0]]), [0, 20.0], rtol=0, atol=atol, **options
        )[1]["integrate_points"]
        for atol in (1e-6, 1e-9)
    ]
    with tf.Session() as session:
        coarse, fine = session.run(runs)
    np.testing.assert_allclose(coarse.size * 1000**0.2, fine.size, rtol=0.01)


def test_steps_of_given_lengths():
    # From TensorFlow 1.15.5.
    def decay(y, t):
        return -3.0 * y

    fixed = tf.contrib.integrate.odeint_fixed
    grid = [0.0, 1.0, 2.0]
    with tf.Session() as session:
        found = session.run(
            [
                fixed(decay, [1.0], grid, dt=0.3, method="midpoint"),
                fixed(decay, [1.0], grid, method="midpoint"),
                fixed(decay, [1.0], grid, dt=0.3),
            ]
        )
    np.testing.assert_allclose(found[0].ravel(), [1, 0.0796518326, 0.0063444143], rtol=1e-5)
    np.testing.assert_allclose(found[1].ravel(), [1, 2.5, 6.25])
    np.testing.assert_allclose(found[2].ravel(), [1, 0.0505309068, 0.0025533722], rtol=1e-5)


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"method": "rk4"}, ValueError, "invalid method"),
        ({"options": {"first_step": 1.0}}, ValueError, "cannot supply `options` without"),
        ({"y0": [1]}, TypeError, "`y0` must have a floating point"),
    ],
)
def test_wrong_arguments(arguments, error, text):
    given = {"func": lambda y, t: y, "y0": [1.0], "t": [0.0, 1.0], **arguments}
    with pytest.raises(error, match=text):
        tf.contrib.integrate.odeint(**given)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"method": "dopri5", "options": {"max_num_steps": 0}}, "max_num_steps"),
        ({"t": [1.0, 0.0]}, "monotonic increasing"),
        ({"y0": [np.nan]}, "non-finite values in state"),
    ],
)
def test_what_fails_when_it_runs(arguments, text):
    given = {"func": lambda y, t: y, "y0": [1.0], "t": [0.0, 1.0], **arguments}
    y = tf.contrib.integrate.odeint(**given)
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match=text):
        session.run(y)


def test_times_must_be_floats():
    with pytest.raises(TypeError, match="`t` must have a floating point"):
        tf.contrib.integrate.odeint(lambda y, t: y, [1.0], tf.constant([0, 1]))
