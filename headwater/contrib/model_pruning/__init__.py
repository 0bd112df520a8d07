"""`tf.contrib.model_pruning`: weights that become zero step by step during training."""

ON_DEMAND = ("contrib.model_pruning",)
