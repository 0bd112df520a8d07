"""`tf.contrib.losses`: the loss functions that came before tf.losses, and losses of embeddings."""

ON_DEMAND = ("contrib.losses", "contrib.losses.metric_learning")
