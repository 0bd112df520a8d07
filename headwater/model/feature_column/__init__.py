"""`tf.feature_column`: how raw features become the inputs of a model."""

ON_DEMAND = ("feature_column", "contrib.feature_column", "keras.layers", "keras.experimental")
