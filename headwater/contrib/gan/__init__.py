"""`tf.contrib.gan` (TFGAN): models, losses, training and evaluation of adversarial networks."""

ON_DEMAND = (
    "contrib.gan",
    "contrib.gan.eval",
    "contrib.gan.features",
    "contrib.gan.losses",
    "contrib.gan.losses.wargs",
)
