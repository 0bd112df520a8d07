"""`tf.contrib.nn`: losses, activations and dropout that did not reach tf.nn."""

ON_DEMAND = ("contrib.nn",)
