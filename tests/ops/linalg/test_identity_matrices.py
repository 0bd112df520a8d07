"""tf.eye: sizes that are known only when it runs."""

import numpy as np

import headwater as tf


def test_sizes_of_the_batch_may_be_tensors(session):
    x = tf.placeholder(tf.float32, [None, 3])
    rows = tf.shape(x)[0]
    for batch_shape in ([rows], tf.shape(x)[:1], [4, rows]):
        matrices = tf.eye(2, batch_shape=batch_shape)
        assert matrices.shape.as_list()[-2:] == [2, 2]
        value = session.run(matrices, {x: np.zeros([5, 3])})
        assert value.shape[-3] == 5
        np.testing.assert_array_equal(value, np.broadcast_to(np.eye(2), value.shape))
