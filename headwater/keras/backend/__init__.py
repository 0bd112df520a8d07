"""tf.keras.backend: functions of tensors, and the state that models share."""

ON_DEMAND = ("keras.backend",)
