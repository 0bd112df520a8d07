"""Probability distributions: tf.distributions."""
