"""Equality of BoundedTensorSpec, as in TensorFlow 1.15.5."""

import numpy as np
import pytest

import headwater as tf
from headwater.graph.type_spec import BoundedTensorSpec, TensorSpec

SPEC = BoundedTensorSpec((1, 2), tf.float32, 0, 1)


@pytest.mark.parametrize(
    ("other", "equal"),
    [
        (BoundedTensorSpec((1, 2), tf.float32, 0, 1), True),
        (BoundedTensorSpec((1, 2), tf.float32, [0, 0], 1), True),  # broadcast
        (BoundedTensorSpec((1, 2), tf.float32, 0, 1 + 1e-6), True),  # rounding
        (BoundedTensorSpec((1, 2), tf.float32, 0, 1 + 1e-3), False),
        (BoundedTensorSpec((1, 2), tf.float32, -1, 1), False),
        (BoundedTensorSpec((1, 2), tf.float32, [0, 0], [1, 2]), False),
        (BoundedTensorSpec((1, 2), tf.float32, 0, 1, name="x"), False),
        (BoundedTensorSpec((2,), tf.float32, 0, 1), False),
        (BoundedTensorSpec((1, 2), tf.float64, 0, 1), False),
        (TensorSpec((1, 2), tf.float32), False),
        (None, False),
        (3, False),
    ],
)
def test_equality(other, equal):
    assert (other == SPEC) is equal
    assert (other == SPEC) is equal
    assert (other != SPEC) is not equal
    if equal:
        assert hash(other) == hash(SPEC)


def test_bounds_that_are_nan_or_of_other_shapes():
    nan = BoundedTensorSpec((), tf.float32, np.nan, 1)
    assert nan != BoundedTensorSpec((), tf.float32, np.nan, 1)
    unknown = BoundedTensorSpec(None, tf.float32, [0, 1], 1)
    assert unknown != BoundedTensorSpec(None, tf.float32, [0, 1, 2], 1)
    assert unknown == BoundedTensorSpec(None, tf.float32, [0, 1], 1)
