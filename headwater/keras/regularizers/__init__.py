"""tf.keras.regularizers: penalties of weights."""

ON_DEMAND = ("keras.regularizers",)
