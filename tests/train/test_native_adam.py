"""The native kernel of Adam in compiled programs against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf
from headwater.base import native
from headwater.base.lazy import jax, jnp
from headwater.train.optimizers import native_adam
from headwater.train.optimizers.adam import kernel_adam

pytestmark = pytest.mark.skipif(
    not hasattr(native.library(), "headwater_adam_handler"),
    reason="needs native kernels: built by `pip install .`, not turned off",
)
NUMBERS = (0.9, 0.99, 0.01, 0.85, 0.98, 1e-3)


def step(xp, use_nesterov=False):
    def kernel(*values):
        return kernel_adam(xp, *values, use_nesterov=use_nesterov)

    return kernel


def values(rng, shape, dtype=np.float32):
    var, m, grad = (rng.normal(size=shape).astype(dtype) for _ in range(3))
    return var, m, np.square(m + dtype(1)), *map(dtype, NUMBERS), grad


def takes_kernel(arguments):
    return native.ADAM in jax.jit(step(jnp)).lower(*arguments).as_text()


@pytest.mark.parametrize("use_nesterov", [False, True])
@pytest.mark.parametrize("shape", [(), (0,), (3,), (33, 17)])
def test_a_compiled_step_is_that_of_numpy_bit_for_bit(rng, shape, use_nesterov):
    arguments = values(rng, shape)
    assert takes_kernel(arguments)
    found = jax.jit(step(jnp, use_nesterov), donate_argnums=(0, 1, 2))(*arguments)
    for mine, expected in zip(found, step(np, use_nesterov)(*arguments)):
        if shape == () and np.lib.NumpyVersion(np.__version__) < "2.0.0":
            # NumPy 1 computes numbers of float32 and Python's in float64.
            np.testing.assert_allclose(mine, expected, rtol=1e-6)
        else:
            np.testing.assert_array_equal(mine, expected)


def test_other_types_and_large_variables_are_left_to_xla(rng, monkeypatch):
    assert not takes_kernel(values(rng, (3,), np.float64))
    monkeypatch.setattr(native_adam, "_MOST_ELEMENTS", 8)
    assert takes_kernel(values(rng, (8,)))
    assert not takes_kernel(values(rng, (9,)))


@pytest.mark.parametrize("mode", ["always", "never"])
def test_what_reads_a_variable_before_the_step_sees_the_old_value(monkeypatch, mode):
    monkeypatch.setenv("HEADWATER_JIT", mode)
    var = tf.get_variable("var", initializer=np.float32([[1, 2], [3, 4]]), use_resource=True)
    old = 2 * var.read_value()
    optimizer = tf.train.AdamOptimizer(0.5)
    with tf.control_dependencies([old]):
        train = optimizer.apply_gradients([(tf.ones([2, 2]), var)])
    with tf.control_dependencies([train]):
        new = var.read_value()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        before = np.float32([[1, 2], [3, 4]])
        for _ in range(4):
            doubled, after = session.run([old, new])
            np.testing.assert_array_equal(doubled, 2 * before)
            np.testing.assert_allclose(after, before - 0.5, atol=1e-5)
            before = after
