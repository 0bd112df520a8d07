"""tf.keras.wrappers: models with the interface of scikit-learn."""

ON_DEMAND = ("keras", "keras.wrappers", "keras.wrappers.scikit_learn")
