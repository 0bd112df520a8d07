"""Probability distributions: tf.distributions, and what contrib.distributions adds to it."""

ON_DEMAND = ("distributions", "contrib.distributions", "contrib.distributions.bijectors")
