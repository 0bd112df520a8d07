"""`tf.contrib.kernel_methods`: kernel mappers, a classifier of mapped features, a loss."""

ON_DEMAND = ("contrib.kernel_methods",)
