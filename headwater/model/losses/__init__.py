"""tf.losses."""

ON_DEMAND = ("losses",)
