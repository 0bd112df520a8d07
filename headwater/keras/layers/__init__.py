"""tf.keras.layers."""

ON_DEMAND = ("keras.layers",)
