"""tf.keras.initializers: names of initializers, and their defaults in Keras."""

ON_DEMAND = ("keras.initializers",)
