"""gather, dynamic_partition, dynamic_stitch, boolean_mask and one_hot."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

equal = np.testing.assert_array_equal


def value(fetch, feed=None):
    with tf.Session() as session:
        return session.run(fetch, feed)


def test_gathering_and_stitching():
    x = np.arange(12).reshape(4, 3)
    equal(value(tf.gather(x, [[0, 3], [1, 1]])), x[[[0, 3], [1, 1]]])
    equal(value(tf.gather_nd(x, [[0, 1], [3, 2]])), [1, 11])
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"indices\[0\] = 4 is not in \[0, 4\)"
    ):
        value(tf.gather(x, [4]))
    parts = value(tf.dynamic_partition([10, 20, 30, 40, 50], [0, 0, 1, 1, 0], 2))
    equal(parts[0], [10, 20, 50])
    equal(parts[1], [30, 40])
    assert [p.shape for p in value(tf.dynamic_partition([10, 20], 1, 2))] == [(0, 2), (1, 2)]
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"partitions\[1\] = 2 is not in \[0, 2\)"
    ):
        value(tf.dynamic_partition([1, 2], [0, 2], 2))
    indices = [6, [4, 1], [[5, 2], [0, 3]]]
    data = [[61, 62], [[41, 42], [11, 12]], [[[51, 52], [21, 22]], [[1, 2], [31, 32]]]]
    equal(value(tf.dynamic_stitch(indices, data)), [[10 * i + 1, 10 * i + 2] for i in range(7)])
    equal(value(tf.dynamic_stitch([[0, 1], [1]], [[5, 6], [7]])), [5, 7])


def test_boolean_mask():
    x = np.arange(6).reshape(3, 2)
    equal(value(tf.boolean_mask(x, [True, False, True])), x[[0, 2]])
    equal(value(tf.boolean_mask(x, x > 2)), [3, 4, 5])
    for mask in (True, [True, False], tf.placeholder(tf.bool)):
        with pytest.raises(
            ValueError,
            match=r"Number of mask dimensions must be|Shapes \(3,\) and \(2,\) are|"
            r"mask cannot be scalar\.",
        ):
            tf.boolean_mask(x, mask)


def test_one_hot():
    equal(value(tf.one_hot([0, 2, -1, 1], 3)), [[1, 0, 0], [0, 0, 1], [0, 0, 0], [0, 1, 0]])
    equal(value(tf.one_hot([1], 2, 5.0, -1.0, axis=0)), [[-1.0], [5.0]])
    indices = tf.constant([[0, 2], [1, -1]])
    shapes = {-1: [2, 2, 4], 1: [2, 4, 2], 0: [4, 2, 2]}
    for axis, shape in shapes.items():
        assert tf.one_hot(indices, 4, axis=axis).get_shape().as_list() == shape
    for arguments in ({"on_value": 1, "off_value": 0.5}, {"on_value": 1.0, "dtype": tf.int32}):
        with pytest.raises(TypeError, match="of on_value does not match dtype"):
            tf.one_hot([0], 2, **arguments)
    with pytest.raises(TypeError, match=r"Expected string, got 0 of type 'int' instead\."):
        tf.one_hot([0], 2, on_value="on", dtype=tf.string)
