"""tf.keras.constraints: projections of weights after an update."""

ON_DEMAND = ("keras.constraints",)
