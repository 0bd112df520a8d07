"""tf.keras.optimizers: optimizers with hyperparameters that may change while training."""

ON_DEMAND = ("keras.experimental", "keras.optimizers", "keras.optimizers.schedules")
