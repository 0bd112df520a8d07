"""`tf.contrib.mixed_precision`: optimizers that scale the loss."""

ON_DEMAND = ("contrib.mixed_precision",)
