"""`tf.autograph`: functions run as they are written, in graph mode; nothing is converted."""

ON_DEMAND = ("autograph", "autograph.experimental", "contrib.autograph")
