"""tf.contrib.sparsemax; the numbers are those of TensorFlow 1.15.5."""

import numpy as np

import headwater as tf

LOGITS = np.array([[1.0, 2.0, 0.5, -1.0], [0.0, 0.0, 0.0, 0.0], [3.0, -3.0, 2.9, 2.8]], np.float32)
LABELS = np.array([[0, 1, 0, 0], [0.5, 0.5, 0, 0], [0, 0, 0, 1]], np.float32)
PROBABILITIES = [[0, 1, 0, 0], [0.25] * 4, [0.43333334, 0, 0.33333349, 0.23333335]]


def test_sparsemax_its_loss_and_the_gradients(session):
    logits = tf.constant(LOGITS)
    result = tf.contrib.sparsemax.sparsemax(logits)
    loss = tf.contrib.sparsemax.sparsemax_loss(logits, result, tf.constant(LABELS))
    assert (result.name, loss.name) == ("sparsemax/Select:0", "sparsemax_loss/Sum:0")
    weights = tf.constant([[1.0, 2.0, 3.0, 4.0]] * 3)
    gradients = tf.gradients(tf.reduce_sum(result * weights), logits) + tf.gradients(loss, logits)
    values = session.run([result, loss, *gradients])
    np.testing.assert_allclose(values[0], PROBABILITIES, rtol=1e-6)
    np.testing.assert_allclose(values[1], [0.0, 0.125, 0.4433339834], rtol=1e-6)
    np.testing.assert_allclose(
        values[2],
        [[0, 0, 0, 0], [-1.5, -0.5, 0.5, 1.5], [-1.6666667, 0, 0.33333325, 1.3333333]],
        rtol=1e-6,
    )
    np.testing.assert_allclose(values[3], np.array(PROBABILITIES) - LABELS, atol=1e-6)


def test_infinite_logits(session):
    inf, nan = np.inf, np.nan
    logits = tf.constant([[inf, 1, 2], [-inf, 1, 1.5], [nan, 1, 2], [-inf] * 3], tf.float32)
    result = tf.contrib.sparsemax.sparsemax(logits)
    loss = tf.contrib.sparsemax.sparsemax_loss(logits, result, tf.one_hot([0, 1, 1, 2], 3))
    values = session.run([result, loss])
    np.testing.assert_array_equal(values[0], [[nan] * 3, [0, 0.25, 0.75], [nan] * 3, [nan] * 3])
    np.testing.assert_array_equal(values[1], [nan, 0.5625, nan, nan])


def test_each_row_sums_to_one_and_unknown_shapes_work(session, rng):
    values = rng.standard_normal((20, 7)) * 2
    fed = tf.placeholder(tf.float64)
    result = tf.contrib.sparsemax.sparsemax(fed)
    assert result.shape.as_list() == [None, None]
    found = session.run(result, {fed: values})
    np.testing.assert_allclose(found.sum(1), np.ones(20), atol=1e-12)
    assert found.dtype == np.float64 and (found == 0).any()
