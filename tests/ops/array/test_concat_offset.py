"""What ConcatOffset refuses, with TensorFlow's texts."""

from __future__ import annotations

from typing import Any

import pytest

import headwater as tf
from headwater.graph import build


@pytest.mark.parametrize(
    ("axis", "first", "second", "text"),
    [
        (1, [[2, 3, 5]], [[2, 7, 5]], r"input 1 should be a vector, but got shape \[1,3\]"),
        (4, [2, 3, 5], [[2, 7, 5]], r"input 2 should be a vector, but got shape \[1,3\]"),
        (4, [2, 3, 5], [2, 7, 5], r"Concat dim is out of range: 4 vs\. 3"),
        (1, [2, 3, 5], [2, 7, 5, 10], r"should contain 3 elem"),
    ],
)
def test_bad_shapes(axis: int, first: Any, second: Any, text: str) -> None:
    shapes = [tf.constant(first, tf.int32), tf.constant(second, tf.int32)]
    offsets = build.ConcatOffset(tf.constant(axis), shapes)
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match=text):
        session.run(offsets)


def test_sparse_gradients_need_an_axis_that_is_known() -> None:
    unknown = [tf.placeholder(tf.float32), tf.placeholder(tf.float32)]
    for axis, text in (
        (-2, "negative concat_dim when first value rank is statically-known"),
        (tf.placeholder(tf.int32), "with statically-known concat_dim"),
    ):
        rows = tf.gather(tf.concat(unknown, axis), [1, 0])
        with pytest.raises(ValueError, match=text):
            tf.gradients(rows, unknown)


@pytest.mark.parametrize("axis", [0, 1])
def test_sparse_gradients_of_values_of_unknown_rank(axis: int) -> None:
    values = [tf.placeholder(tf.float32), tf.placeholder(tf.float32)]
    rows = tf.gather(tf.concat(values, axis), [1, 0])
    slices = tf.gradients(rows, values, [tf.reshape(tf.range(4.0), [2, 2])] if axis else None)
    dense = [tf.convert_to_tensor(s) for s in slices]
    feeds = {v: [[1.0], [2.0]] if axis else [[1.0, 2.0]] for v in values}
    with tf.Session() as session:
        first, second = session.run(dense, feeds)
    if axis:
        assert (first.tolist(), second.tolist()) == ([[2.0], [0.0]], [[3.0], [1.0]])
    else:
        assert (first.tolist(), second.tolist()) == ([[1.0, 1.0]], [[1.0, 1.0]])
