"""Gradients that come from the kernel itself."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf
from headwater.graph import VJP, build, register_op, shapes
from headwater.graph.registry import is_registered

if not is_registered("TestScaledProduct"):
    register_op(
        "TestScaledProduct",
        inputs="x: T, count: int32, y: T",
        outputs="z: T, w: T",
        attrs="T: {float, complex64}, scale: float = 1.0",
        shape=lambda c: [c.shapes[0], c.shapes[0]],
        kernel=lambda xp, x, count, y, *, scale: (
            (x * y * scale).astype(x.dtype),
            xp.stack([y] * int(count)).sum(0),
        ),
        concrete=("count",),
        gradient=VJP,
    )
assert shapes


@pytest.mark.parametrize("mode", ["auto", "always", "never"])
def test_the_derivative_of_a_kernel(mode, monkeypatch, session):
    monkeypatch.setenv("HEADWATER_JIT", mode)
    x = tf.placeholder(tf.float32, [2])
    y = tf.constant([3.0, 4.0])
    z, w = build.TestScaledProduct(x, 5, y, scale=2.0)
    grads = tf.gradients([z, w], [x, y])
    for _ in range(3):
        dx, dy = session.run(grads, {x: [1.0, 2.0]})
        np.testing.assert_allclose(dx, [6, 8])
        np.testing.assert_allclose(dy, [2 + 5, 4 + 5])
    assert dx.dtype == np.float32


def test_second_derivatives_flow_through(session):
    x = tf.placeholder(tf.float32, [2])
    z, _ = build.TestScaledProduct(x, 1, x)
    (first,) = tf.gradients(z, x)
    (second,) = tf.gradients(first, x)
    np.testing.assert_allclose(session.run(second, {x: [1.0, 5.0]}), [2, 2])


def test_complex_gradients_are_conjugated_as_in_tensorflow(session):
    x = tf.constant([1 + 2j], tf.complex64)
    y = tf.constant([3 - 1j], tf.complex64)
    z, _ = build.TestScaledProduct(x, 1, y)
    (dx,) = tf.gradients(z, x, grad_ys=tf.constant([1 + 1j], tf.complex64))
    np.testing.assert_allclose(session.run(dx), [(1 + 1j) * (3 + 1j)])
