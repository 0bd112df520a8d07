"""tf.layers: layers that make their variables at the first call."""

ON_DEMAND = ("layers", "layers.experimental", "keras.layers")
