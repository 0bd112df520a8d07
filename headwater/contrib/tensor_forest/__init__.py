"""`tf.contrib.tensor_forest`: random forests that grow online."""

ON_DEMAND = ("contrib.tensor_forest",)
