"""tf.keras.layers."""

ON_DEMAND = ("keras.experimental", "keras.layers")
