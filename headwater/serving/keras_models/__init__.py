"""SavedModels of models of tf.keras."""

ON_DEMAND = ("keras", "keras.experimental", "keras.models")
