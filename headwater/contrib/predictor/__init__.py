"""`tf.contrib.predictor`: models as functions of arrays."""

ON_DEMAND = ("contrib.predictor",)
