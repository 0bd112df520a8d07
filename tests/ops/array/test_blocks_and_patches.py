"""Blocks between space, batch and depth; image patches."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

equal = np.testing.assert_array_equal


def value(fetch, feed=None):
    with tf.Session() as session:
        return session.run(fetch, feed)


def test_image_patches():
    x = np.arange(1 * 6 * 6 * 2).reshape(1, 6, 6, 2).astype(np.float32)
    patches = value(tf.extract_image_patches(x, [1, 2, 2, 1], [1, 2, 2, 1], [1, 2, 2, 1], "VALID"))
    assert patches.shape == (1, 2, 2, 8)
    equal(patches[0, 1, 0], x[0, 2:5:2, 0:3:2].reshape(-1))


def test_blocks():
    x = np.arange(36).reshape(1, 3, 3, 4)
    y = tf.space_to_batch(x, [[0, 1], [0, 1]], 2)
    assert value(y).shape == (4, 2, 2, 4)
    equal(value(tf.batch_to_space(y, [[0, 1], [0, 1]], 2)), x)
    with pytest.raises(ValueError, match="Dimension size must be evenly divisible by 3 but is 4"):
        tf.space_to_batch(x, [[0, 1], [0, 1]], 3)
    z = np.arange(16).reshape(1, 4, 4, 1)
    deep = value(tf.space_to_depth(z, 2))
    equal(deep[0, 0, 0], [0, 1, 4, 5])
    equal(value(tf.depth_to_space(deep, 2)), z)
    for call in (tf.space_to_depth, tf.depth_to_space):
        with pytest.raises(ValueError, match="Dimension size must be evenly divisible by"):
            call(z, 3)
