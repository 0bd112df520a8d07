"""tf.keras.activations: functions that layers apply to what they compute."""

ON_DEMAND = ("keras.activations",)
