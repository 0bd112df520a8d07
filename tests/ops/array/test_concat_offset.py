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
