"""`tf.keras.experimental`: models of linear and deep parts."""

ON_DEMAND = ("keras.experimental",)
