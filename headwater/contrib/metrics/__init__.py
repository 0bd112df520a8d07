"""`tf.contrib.metrics`: streaming metrics with the older order of arguments, and more of them."""

ON_DEMAND = ("contrib.metrics",)
