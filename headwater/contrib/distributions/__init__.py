"""`tf.contrib.distributions`: distributions and bijectors beyond tf.distributions."""

ON_DEMAND = (
    "contrib.distributions",
    "contrib.distributions.bijector",
    "contrib.distributions.bijectors",
)
