"""tf.keras.callbacks."""

ON_DEMAND = ("keras.callbacks",)
