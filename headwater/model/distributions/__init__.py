"""Probability distributions: tf.distributions, and what contrib.distributions adds to it."""

from headwater.base.export import also_under

ON_DEMAND = (
    "distributions",
    "contrib.distributions",
    "contrib.distributions.bijector",
    "contrib.distributions.bijectors",
)
# The name of releases before 1.2.
also_under("contrib.distributions.bijectors", "contrib.distributions.bijector")
