"""`tf.contrib.constrained_optimization`: losses minimized under constraints."""

ON_DEMAND = ("contrib.constrained_optimization",)
