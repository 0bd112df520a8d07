"""Values that static shapes tell."""

from __future__ import annotations

import headwater as tf
from headwater.graph.constant_value import static_size


def test_the_size_of_a_dimension_is_known_where_the_static_shape_tells_it():
    x = tf.placeholder(tf.float32, [None, 28])
    sizes = [tf.shape(x)[0], tf.shape(x)[1], tf.shape(x)[-1], tf.constant(3)]
    assert list(map(static_size, sizes)) == [None, 28, 28, 3]
    assert static_size(tf.shape(tf.placeholder(tf.float32))[0]) is None
