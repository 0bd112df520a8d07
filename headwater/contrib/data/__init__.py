"""`tf.contrib.data`: what is not in `tf.data`."""

ON_DEMAND = ("contrib.data",)
