"""Shapes and types of counts and bins."""

from __future__ import annotations

import pytest

import headwater as tf
from headwater.graph import build


def test_the_size_of_counts_must_be_a_scalar() -> None:
    with pytest.raises(ValueError, match=r"Shape must be rank 0 but is rank 1 for 'Bincount'"):
        build.Bincount([1, 2], [1], tf.constant([], tf.float32))
    with pytest.raises(ValueError, match=r"size \(-5\) must be non-negative"):
        build.Bincount([1, 2], -5, tf.constant([], tf.float32))
    assert build.Bincount([1, 2], 5, tf.constant([], tf.float32)).shape.as_list() == [5]


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
def test_bins_are_int32(dtype: tf.DType) -> None:
    bins = tf.histogram_fixed_width_bins([-1.0, 1.5, 15.0], [0.0, 5.0], nbins=5, dtype=dtype)
    assert bins.dtype is tf.int32
    with tf.Session() as session:
        assert session.run(bins).tolist() == [0, 1, 4]
