"""Rows set and added in copies; what Roll and the real transforms make of nothing."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf
from headwater.graph import build

ONES = np.ones([2, 3], np.float32)


@pytest.mark.parametrize(
    ("x", "i", "v", "text"),
    [
        (ONES, [[0]], [[1.0, 1.0, 1.0]], r"i must be a vector\. \[1,1\]"),
        (ONES, [0], [1.0], r"doesn't match \(ranks differ\): \[2,3\] vs\. \[1\]"),
        (ONES, [0], [[1.0, 1.0]], r"x and v shape doesn't match at index 1"),
        (ONES, [0, 1], [[1.0, 1.0, 1.0]], r"i and x shape doesn't match at index 0: \[2\] vs"),
        (np.float32(1), [0], 1.0, r"i and x shape doesn't match at index 0: \[1\] vs\. \[\]"),
    ],
)
def test_wrong_shapes_are_refused(x: object, i: object, v: object, text: str) -> None:
    with tf.Session() as session:
        for make in (build.InplaceUpdate, build.InplaceAdd, build.InplaceSub):
            with pytest.raises(tf.errors.InvalidArgumentError, match=text):
                session.run(make(x, i, v))


def test_rows_are_counted_round() -> None:
    with tf.Session() as session:
        changed = session.run(build.InplaceUpdate(ONES, [5, -2], np.zeros([2, 3], np.float32)))
        assert changed.tolist() == np.zeros([2, 3]).tolist()
        added = session.run(build.InplaceAdd(np.zeros([3]), [5, -3, 7], np.ones([3])))
        assert added.tolist() == [1.0, 1.0, 1.0]


def test_a_scalar_cannot_be_rolled() -> None:
    x = tf.placeholder(tf.int32)
    text = "input must be 1-D or higher"
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match=text):
        session.run(tf.roll(x, 1, 0), {x: 7})


@pytest.mark.parametrize(
    ("shape", "length", "forward", "backward"),
    [
        ([0], None, [0], [0]),
        ([3, 0], [0], [3, 0], [3, 0]),
        ([0, 4], [4], [0, 3], [0, 4]),
    ],
)
def test_transforms_of_nothing(
    shape: list[int], length: list[int] | None, forward: list[int], backward: list[int]
) -> None:
    with tf.Session() as session:
        there = session.run(tf.spectral.rfft(np.zeros(shape, np.float32), length))
        back = session.run(tf.spectral.irfft(np.zeros(shape, np.complex64), length))
    assert (list(there.shape), there.dtype) == (forward, np.complex64)
    assert (list(back.shape), back.dtype) == (backward, np.float32)
