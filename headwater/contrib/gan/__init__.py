"""`tf.contrib.gan` (TFGAN): models, losses, features and training of adversarial networks."""

ON_DEMAND = (
    "contrib.gan",
    "contrib.gan.features",
    "contrib.gan.losses",
    "contrib.gan.losses.wargs",
)
