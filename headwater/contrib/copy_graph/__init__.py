"""`tf.contrib.copy_graph`: copies of variables and ops in other graphs."""

ON_DEMAND = ("contrib.copy_graph",)
