"""tf.keras.metrics: measures of predictions."""

ON_DEMAND = ("keras.metrics",)
