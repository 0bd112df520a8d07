"""decode_libsvm; values and errors are those of TensorFlow 1.15.5."""

import numpy as np
import pytest

import headwater as tf
from headwater.ops.parsing.libsvm import decode_libsvm


def test_lines_of_any_shape(session):
    features, labels = decode_libsvm([["1 1:3"], [" 2\t0:7 9:1\n"]], 4, tf.int32, tf.float64)
    assert labels.shape.as_list() == [2, 1]
    values, names = session.run([features, labels])
    np.testing.assert_array_equal(names, [[1.0], [2.0]])
    assert values.indices.tolist() == [[0, 0, 1], [1, 0, 0], [1, 0, 9]]
    assert values.values.tolist() == [3, 7, 1] and values.dense_shape.tolist() == [2, 1, 4]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("", r'No label found for input\[0\]: ""'),
        ("x 1:2", "Label format incorrect: x"),
        ("1.5 0:2", "Label format incorrect: 1.5"),
        ("1 a:2", "Feature format incorrect: a:2"),
        ("1 1:2:3", "Feature format incorrect: 1:2:3"),
        ("1 1", 'Invalid feature "1"'),
        ("1 -1:2", "Feature index should be >= 0, got -1"),
    ],
)
def test_lines_with_errors(session, line, text):
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        session.run(decode_libsvm([line], 4)[1])


def test_a_feature_is_needed():
    with pytest.raises(ValueError, match="passed 0 less than minimum 1"):
        decode_libsvm(["1 2:1"], 0)
