"""SavedModels of models of tf.keras."""

ON_DEMAND = ("keras", "keras.experimental", "keras.models", "contrib.saved_model")
