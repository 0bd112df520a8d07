"""reduce_slice_sum and its kin; values and errors are those of TensorFlow 1.15.5."""

import pytest

import headwater as tf
from headwater.ops.math import reduce_slices

DATA = [[1, 2, 3], [40, 50, 60], [700, 800, 900]]
LOW, HIGH = -(2**31), 2**31 - 1


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (reduce_slices.reduce_slice_sum, [[41, 52, 63], [740, 850, 960], [0] * 3]),
        (reduce_slices.reduce_slice_prod, [[40, 100, 180], [28000, 40000, 54000], [1] * 3]),
        (reduce_slices.reduce_slice_max, [[40, 50, 60], [700, 800, 900], [LOW] * 3]),
        (reduce_slices.reduce_slice_min, [[1, 2, 3], [40, 50, 60], [HIGH] * 3]),
    ],
)
def test_slices_empty_ones_and_ones_that_reach_too_far(session, function, expected):
    result = function(DATA, [[0, 2], [1, 9], [2, 1]], 0)
    assert result.shape.as_list() == [3, 3]
    assert session.run(result).tolist() == expected


def test_consecutive_slices_along_another_axis(session):
    result = reduce_slices.reduce_slice_sum(DATA, tf.constant([0, 2, 3], tf.int64), 1)
    assert result.shape.as_list() == [3, 2]
    assert session.run(result).tolist() == [[3, 3], [90, 60], [1500, 900]]


@pytest.mark.parametrize(
    ("indices", "axis", "text"),
    [
        ([[0, 1]], 2, "Out of range dim_index 2 for shape with 2 dimensions"),
        ([[[0, 1]]], 0, "Shape must be at most rank 2 but is rank 3"),
        ([[0, 1, 2]], 0, "Dimensions must be equal, but are 3 and 2"),
        (1, 0, "Shape must be at least rank 1 but is rank 0"),
    ],
)
def test_arguments_that_do_not_fit(indices, axis, text):
    with pytest.raises(ValueError, match=text):
        reduce_slices.reduce_slice_sum(DATA, indices, axis)
