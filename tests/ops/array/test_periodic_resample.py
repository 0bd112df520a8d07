"""periodic_resample; values and errors are those of TensorFlow 1.15.5."""

import pytest

import headwater as tf

resample = tf.contrib.periodic_resample.periodic_resample


def test_values_and_gradient(session):
    x = tf.reshape(tf.range(12.0), [2, 6])
    y = resample(x, [5, None])
    assert y.shape.as_list() == [5, 2]
    values, gradient = session.run([y, tf.gradients(y * y, x)[0]])
    assert values.tolist() == [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9]]
    assert gradient.tolist() == [[0, 2, 4, 6, 8, 10], [12, 14, 16, 18, 0, 0]]


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        ([4, 4], "rank of the input tensor, 3, .* length of the desired shape, 2"),
        (None, "length of the desired shape, -1"),
        ([None, None, 4], "only one index to be marked"),
        ([4, 4, 4], "at least one index to be marked"),
        ([1, 1, None], "Dimension 0 input tensor has size 2, desired shape has size 1"),
        ([4, 4, None], "adjustable dimension, 2, isn't greater than zero, 0"),
    ],
)
def test_shapes_that_do_not_fit(session, shape, text):
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        session.run(resample(tf.zeros([2, 2, 2]), shape))
