"""Average and maximum pooling in two and three dimensions."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf
from headwater.base.lazy import jax, jnp
from headwater.ops.nn.pooling_forms import avg_pool_grad, max_pool_grad
from headwater.ops.nn.window import window_axis

close = np.testing.assert_allclose
equal = np.testing.assert_array_equal


def value(fetch, feed=None):
    with tf.Session() as session:
        return session.run(fetch, feed)


def numbers(*shape, seed=0):
    return np.random.RandomState(seed).normal(size=shape).astype(np.float32)


def test_pools():
    x = numbers(1, 4, 6, 2)
    windows = x.reshape(1, 2, 2, 3, 2, 2)
    close(value(tf.nn.avg_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")), windows.mean((2, 4)), 1e-5)
    equal(value(tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")), windows.max((2, 4)))
    first = tf.nn.max_pool(
        x.transpose(0, 3, 1, 2), [1, 1, 2, 2], [1, 1, 2, 2], "VALID", data_format="NCHW"
    )
    equal(value(first), windows.max((2, 4)).transpose(0, 3, 1, 2))
    assert value(tf.nn.avg_pool(x.astype(np.float64), [1] * 4, [1] * 4, "SAME")).dtype == np.float64
    with pytest.raises(ValueError, match="ksize should be of length 1, 3 or 5 but was 4"):
        tf.nn.max_pool3d(numbers(1, 2, 2, 2, 1), [1, 2, 2, 1], [1, 2, 2, 1], "VALID")


def test_max_pool_with_argmax():
    x = numbers(1, 4, 4, 2)
    for kind in (tf.int64, tf.int32):
        y, places = tf.nn.max_pool_with_argmax(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME", Targmax=kind)
        assert places.dtype == kind and places.get_shape() == y.get_shape()
        equal(*value([y, tf.gather(x.ravel(), places)]))


def test_pools_of_volumes():
    x = numbers(1, 2, 4, 2, 3)
    y = value(tf.nn.max_pool3d(x, [1, 2, 2, 2, 1], [1, 2, 2, 2, 1], "VALID"))
    equal(y, x.reshape(1, 1, 2, 2, 2, 1, 2, 3).max((2, 4, 6)))
    for ksize in ([2, 1, 1, 1, 1], [1, 1, 1, 1, 2]):
        with pytest.raises(
            (ValueError, tf.errors.OpError), match="Pooling is not yet supported on the"
        ):
            value(tf.nn.max_pool3d(x, ksize, [1] * 5, "VALID"))


def test_windows_beyond_the_edge():
    """What lies outside does not count in a mean."""
    x = np.ones((1, 3, 3, 1), np.float32)
    equal(value(tf.nn.avg_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")), np.ones((1, 2, 2, 1)))
    volume = np.ones((1, 3, 3, 3, 1), np.float32)
    pooled = tf.nn.avg_pool3d(volume, [1, 2, 2, 2, 1], [1, 2, 2, 2, 1], "SAME")
    equal(value(pooled), np.ones((1, 2, 2, 2, 1)))


def test_argmax_of_the_batch():
    """The page counts the image in too, which `include_batch_in_index` asks for."""
    x = numbers(2, 4, 4, 3)
    y, places = value(
        list(tf.nn.max_pool_with_argmax(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME",
                                        include_batch_in_index=True))
    )  # fmt: skip
    equal(x.ravel()[places], y)


def test_pools_over_the_batch():
    with pytest.raises(
        (ValueError, tf.errors.UnimplementedError),
        match=r"Pooling is not yet supported on the batch dimension\.",
    ):
        value(tf.nn.max_pool(numbers(2, 4, 4, 1), [2, 1, 1, 1], [1] * 4, "VALID"))


@pytest.mark.parametrize("padding", ["VALID", "SAME"])
def test_gradient_of_a_window_that_covers_an_axis(padding):
    """Its stride has no meaning, as in networks that take the maximum over all words."""
    x, g = numbers(2, 50, 3), numbers(2, 1, 3, seed=1)
    axis = window_axis(
        50, 50 if padding == "VALID" else 99, 1 if padding == "VALID" else 50, padding
    )
    assert axis.out == 1
    gradients = [
        lambda x, g: max_pool_grad(jnp, x, g, {1: axis}),
        lambda x, g: avg_pool_grad(jnp, g, {1: axis}),
    ]
    first = np.arange(50)[:, None] == x.argmax(1)[:, None]
    expected = [np.where(first, g, 0), np.broadcast_to(g / 50, x.shape)]
    for gradient, dx in zip(gradients, expected):
        close(gradient(x, g), dx, 1e-6)
        # Not an operation for each element of the window.
        assert len(jax.make_jaxpr(gradient)(x, g).eqns) < 40
