"""Names in tf.contrib of what has a name elsewhere, too."""

import numpy as np

import headwater as tf


def test_models_of_keras_in_saved_models():
    assert tf.contrib.saved_model.save_keras_model is tf.keras.experimental.export_saved_model
    assert tf.contrib.saved_model.load_keras_model is tf.keras.experimental.load_from_saved_model


def test_distribution():
    names = tf.contrib.distribute
    assert names.get_distribution_strategy is tf.distribute.get_strategy
    assert names.has_distribution_strategy is tf.distribute.has_strategy
    assert names.get_loss_reduction is tf.distribute.get_loss_reduction
    assert names.get_cross_replica_context() is None


def test_nth_element(session):
    rows = tf.constant([[3.0, 1.0, 2.0], [9.0, 7.0, 8.0]])
    made = [tf.contrib.nn.nth_element(rows, 1), tf.contrib.nn.nth_element(rows, 0, reverse=True)]
    assert [tensor.name for tensor in made] == ["NthElement:0", "NthElement_1:0"]
    np.testing.assert_array_equal(session.run(made), [[2, 8], [3, 9]])


def test_numbers_of_classes():
    assert tf.contrib.opt.ElasticAverageOptimizer.BETA == 0.9
    assert tf.contrib.distributions.bijectors.Exp().power == 0.0
