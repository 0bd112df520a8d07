"""`tf.contrib.optimizer_v2`: optimizers whose hooks get their state as an argument."""

ON_DEMAND = ("contrib.optimizer_v2",)
