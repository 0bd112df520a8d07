"""`tf.contrib.training`: training and evaluation of older programs."""

ON_DEMAND = ("contrib.training",)
