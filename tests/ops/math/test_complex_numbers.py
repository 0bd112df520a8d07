"""Complex numbers and Fourier transforms."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

close = np.testing.assert_allclose
equal = np.testing.assert_array_equal


def value(fetch, feed=None):
    with tf.Session() as session:
        return session.run(fetch, feed)


def spread(*shape, seed=0):
    return np.random.RandomState(seed).normal(size=shape) + 3 * np.eye(*shape[-2:])


def test_complex_numbers():
    for real, result in ((np.float32, np.complex64), (np.float64, np.complex128)):
        z = value(tf.complex(real([2.25, 3.25]), real([4.75, 5.75])))
        assert z.dtype == result
        equal(z, [2.25 + 4.75j, 3.25 + 5.75j])
        x = np.array([-2.25 + 4.75j, -3.25 + 5.75j], result)
        parts = value([tf.complex_abs(x), tf.real(x), tf.imag(x)])
        assert all(part.dtype == real for part in parts)
        close(parts[0], [5.25594902, 6.60492229], 2e-7)
        equal(parts[1:], [[-2.25, -3.25], [4.75, 5.75]])
        equal(value(tf.conj(x)), x.conj())
    with pytest.raises(
        (ValueError, tf.errors.InvalidArgumentError),
        match="Dimensions must be equal, but are 2 and 3",
    ):
        value(tf.complex([1.0, 2.0], [1.0, 2.0, 3.0]))
    with pytest.raises(
        (TypeError, ValueError), match="real and imag have incorrect types: float32 float64"
    ):
        tf.complex(tf.constant(1.0), tf.constant(1.0, tf.float64))


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_transforms(rank):
    x = (spread(2, 4, 4, 4) + 1j * spread(2, 4, 4, 4, seed=1)).astype(np.complex64)
    axes = tuple(range(-rank, 0))
    suffix = {1: "", 2: "2d", 3: "3d"}[rank]
    one = x.reshape((-1,) + x.shape[4 - rank :])[0]
    for name, reference in (("fft", np.fft.fftn), ("ifft", np.fft.ifftn)):
        single = getattr(tf, name + suffix)(one)
        assert single.dtype == tf.complex64
        close(value(single), reference(one, axes=axes), 1e-4, 1e-4)
        batch = getattr(tf, f"batch_{name}{suffix}")(x)
        assert batch.get_shape() == x.shape
        close(value(batch), reference(x, axes=axes), 1e-4, 1e-4)
