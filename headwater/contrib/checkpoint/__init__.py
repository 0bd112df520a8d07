"""`tf.contrib.checkpoint`: containers and tools for checkpoints of objects."""

ON_DEMAND = ("contrib.checkpoint",)
