"""tf.keras.losses: losses as functions and as objects."""

ON_DEMAND = ("keras.losses", "keras.metrics")
