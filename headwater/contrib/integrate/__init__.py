"""`tf.contrib.integrate`: integration of ordinary differential equations."""

ON_DEMAND = ("contrib.integrate",)
