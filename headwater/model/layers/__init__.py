"""tf.layers: layers that make their variables at the first call."""
