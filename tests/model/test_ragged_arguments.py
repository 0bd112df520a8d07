"""Tests of ragged arguments whose sizes are known only when the graph runs."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf


def _fed():
    value = tf.ragged.constant_value([[1.0, 2.0], [5.0]], dtype=np.float32)
    return tf.ragged.placeholder(tf.float32, 1, []), value


@pytest.mark.parametrize(
    "other, wanted",
    [
        ([[1], [2]], [[2.0, 3.0], [7.0]]),
        ([[10]], [[11.0, 12.0], [15.0]]),
        ([[[1]], [[2]]], [[[2.0, 3.0], [6.0]], [[3.0, 4.0], [7.0]]]),
    ],
)
def test_a_tensor_of_unknown_sizes_goes_to_all_places_of_its_row(other, wanted):
    with tf.Graph().as_default(), tf.Session() as session:
        ragged, value = _fed()
        dense = tf.placeholder(tf.float32, [None] * np.ndim(other))
        total = session.run(ragged + dense, {ragged: value, dense: other})
        assert total.to_list() == wanted


def test_rows_of_other_lengths_are_refused():
    with tf.Graph().as_default(), tf.Session() as session:
        ragged, value = _fed()
        dense = tf.placeholder(tf.float32, [None, None])
        with pytest.raises(
            tf.errors.InvalidArgumentError,
            match=r"assertion failed: \[Unable to broadcast: dimension size mismatch",
        ):
            session.run(ragged + dense, {ragged: value, dense: np.ones([2, 3])})


def test_gradients_go_through_ragged_reductions():
    with tf.Graph().as_default(), tf.Session() as session:
        values = tf.constant([1.0, 2.0, 3.0, 4.0])
        ragged = tf.RaggedTensor.from_row_lengths(values, [1, 0, 3])
        sums = tf.reduce_sum(tf.square(ragged) * 2.0, 1)
        gradient = tf.gradients(sums, values)[0]
        assert session.run(sums).tolist() == [2.0, 0.0, 58.0]
        assert session.run(gradient).tolist() == [4.0, 8.0, 12.0, 16.0]
