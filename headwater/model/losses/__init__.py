"""tf.losses."""

ON_DEMAND = ("losses", "contrib.losses")
