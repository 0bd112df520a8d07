"""Gathering from tensors without elements, and the k of in_top_k."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf


@pytest.mark.parametrize(
    ("shape", "indices"), [((2, 0), [[0], [1]]), ((0, 3), [[0]]), ((2, 0), np.zeros((1, 0), int))]
)
def test_nothing_cannot_be_gathered(shape: tuple[int, ...], indices: object) -> None:
    gathered = tf.gather_nd(np.ones(shape), indices)
    text = r"Requested more than 0 entries, but params is empty\.  Params shape: \["
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match=text):
        session.run(gathered)


def test_no_entries_can() -> None:
    with tf.Session() as session:
        found = session.run(tf.gather_nd(np.ones((0, 3)), np.zeros((0, 1), np.int32)))
    assert found.shape == (0, 3)


def test_k_is_one_number() -> None:
    k = tf.placeholder(tf.int32)
    found = tf.nn.in_top_k([[0.1, 0.3]], [0], k)
    with tf.Session() as session:
        assert session.run(found, {k: 2}).tolist() == [True]
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"k must be 0-D, got shape \[1\]"):
            session.run(found, {k: [1]})
