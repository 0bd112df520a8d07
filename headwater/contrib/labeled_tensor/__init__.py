"""`tf.contrib.labeled_tensor`: tensors whose axes have names, and perhaps labels."""

ON_DEMAND = ("contrib.labeled_tensor", "contrib.labeled_tensor.nn")
