"""`tf.contrib.feature_column`: inputs of networks for sequences."""

ON_DEMAND = ("contrib.feature_column",)
