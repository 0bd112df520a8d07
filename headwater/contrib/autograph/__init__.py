"""`tf.autograph`: conversion of control flow that depends on tensors, and its markers."""

ON_DEMAND = ("autograph", "autograph.experimental", "contrib.autograph")
