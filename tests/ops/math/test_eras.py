"""Old names, old arguments, and results in all types and tiers."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

X = np.array([[1.0, -2.0], [3.0, 4.0]], np.float32)


def value_of(tensor):
    with tf.Session() as session:
        return session.run(tensor)


@pytest.mark.parametrize(
    ("old", "new", "arguments"),
    [
        ("sub", "subtract", (X, X.T)),
        ("mul", "multiply", (X, X.T)),
        ("neg", "negative", (X,)),
        ("complex_abs", "abs", (np.array([3 + 4j], np.complex64),)),
        ("inv", "reciprocal", (X,)),
        ("batch_matmul", "matmul", (X[None], X[None])),
        ("select", "where", (X > 0, X, -X)),
        ("batch_matrix_inverse", "matrix_inverse", (X[None],)),
        ("batch_matrix_determinant", "matrix_determinant", (X[None],)),
        ("batch_cholesky", "cholesky", ((X @ X.T)[None],)),
        ("lin_space", "linspace", (0.0, 1.0, 5)),
        ("floor_div", "floordiv", (X, np.float32(2))),
    ],
)
def test_an_old_name_computes_what_the_new_one_does(old, new, arguments):
    old_value = value_of(getattr(tf, old)(*arguments))
    np.testing.assert_array_equal(old_value, value_of(getattr(tf, new)(*arguments)))


def test_reductions_take_the_arguments_of_all_versions():
    wanted = X.sum(axis=1, keepdims=True)
    for made in (
        tf.reduce_sum(X, [1], True),
        tf.reduce_sum(X, reduction_indices=[1], keep_dims=True),
        tf.reduce_sum(X, axis=1, keepdims=True),
        tf.reduce_sum(input_tensor=X, axis=-1, keep_dims=True, name="total"),
    ):
        np.testing.assert_array_equal(value_of(made), wanted)


def test_argmax_takes_the_arguments_of_all_versions():
    for made in (
        tf.argmax(X, 1),
        tf.argmax(X, dimension=1),
        tf.argmax(input=X, axis=1, name="best"),
        tf.arg_max(X, 1),
        tf.arg_max(X, 1, "best"),
        tf.arg_max(input=X, dimension=1, name="best"),
    ):
        np.testing.assert_array_equal(value_of(made), [0, 1])
        assert made.dtype == tf.int64


def test_flags_of_linear_algebra_may_be_none():
    # The default of 0.x.
    np.testing.assert_allclose(value_of(tf.matrix_solve(X, X, adjoint=None)), np.eye(2), atol=1e-6)
    solved = tf.matrix_triangular_solve(X, X, lower=None, adjoint=None)
    # Where terms cancel, what is left of a zero depends on the machine.
    np.testing.assert_allclose(
        value_of(solved), np.linalg.solve(np.tril(X), X), rtol=1e-6, atol=1e-6
    )


@pytest.mark.parametrize("mode", ["never", "always"])
@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float32, tf.float64])
def test_types_stay_what_they_are(mode, dtype, monkeypatch):
    monkeypatch.setenv("HEADWATER_JIT", mode)
    x = tf.cast(tf.constant(np.abs(X)), dtype)
    made = [
        x + 1,
        x / 3,
        x // 2,
        x % 2,
        x**2,
        tf.sqrt(x),
        tf.rsqrt(x),
        tf.sigmoid(x),
        tf.tanh(x),
        tf.log(x),
        tf.reduce_mean(x, 1),
        tf.reduce_max(x),
        tf.matmul(x, x),
        tf.maximum(x, 2),
        tf.cumsum(x, 1),
        tf.erf(x),
        tf.lgamma(x),
    ]
    values = value_of(made)
    assert {v.dtype for v in values} == {np.dtype(dtype.as_numpy_dtype)}
    wide = np.abs(X).astype(np.float64)
    np.testing.assert_allclose(values[1].astype(np.float64), wide / 3, rtol=2e-2)
    np.testing.assert_allclose(values[12].astype(np.float64), wide @ wide, rtol=2e-2)


@pytest.mark.parametrize("mode", ["never", "always"])
def test_integer_division_by_zero_names_the_node(mode, monkeypatch):
    monkeypatch.setenv("HEADWATER_JIT", mode)
    x = tf.placeholder(tf.int32, [2])
    made = tf.floordiv(x, [1, 0], name="quotient")
    with (
        tf.Session() as session,
        pytest.raises(
            tf.errors.InvalidArgumentError, match=r"Integer division by zero[^$]*quotient"
        ),
    ):
        session.run(made, {x: [4, 5]})


@pytest.mark.parametrize("mode", ["never", "always"])
def test_shapes_that_do_not_fit_are_reported_when_they_are_fed(mode, monkeypatch):
    monkeypatch.setenv("HEADWATER_JIT", mode)
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    with tf.Session() as session:
        with pytest.raises(
            tf.errors.InvalidArgumentError, match=r"Incompatible shapes: \[2\] vs\. \[3\]"
        ):
            session.run(x + y, {x: [1, 2], y: [1, 2, 3]})
        with pytest.raises(
            tf.errors.InvalidArgumentError,
            match=r"In\[0\] mismatch In\[1\] shape: 2 vs\. 1: \[1,2\] \[1,2\]",
        ):
            session.run(tf.matmul(x, y), {x: [[1, 2]], y: [[1, 2]]})


@pytest.mark.parametrize("mode", ["never", "always"])
def test_axes_may_be_fed(mode, monkeypatch):
    monkeypatch.setenv("HEADWATER_JIT", mode)
    axis = tf.placeholder(tf.int32)
    made = tf.reduce_sum(X, axis)
    with tf.Session() as session:
        for value in (0, 1, [0, 1], []):
            axes = tuple(np.atleast_1d(np.array(value, int)))
            np.testing.assert_allclose(session.run(made, {axis: value}), X.sum(axis=axes))


def test_an_object_with_its_own_reflected_operator_gets_its_turn():
    class Own:
        def __radd__(self, other):
            return "own"

    assert tf.constant(1.0) + Own() == "own"


def test_operators_refuse_what_is_no_tensor():
    with pytest.raises(TypeError, match="Failed to convert object of type"):
        tf.constant(1.0) + object()


def test_second_derivatives():
    x = tf.constant([0.3, -0.7])
    y = tf.tanh(x) * tf.exp(x) + x**3 / (1 + tf.square(x))
    (first,) = tf.gradients(y, x)
    (second,) = tf.gradients(first, x)
    step = 1e-2
    forward = tf.gradients(tf.tanh(x + step) * tf.exp(x + step) + 0.0, x)[0]
    backward = tf.gradients(tf.tanh(x - step) * tf.exp(x - step) + 0.0, x)[0]
    z = tf.constant([0.3, -0.7])
    (plain,) = tf.gradients(tf.tanh(z) * tf.exp(z), z)
    (curved,) = tf.gradients(plain, z)
    with tf.Session() as session:
        rise, fall, bend, whole = session.run([forward, backward, curved, second])
    np.testing.assert_allclose((rise - fall) / (2 * step), bend, rtol=2e-2)
    assert np.all(np.isfinite(whole))
