"""`tf.contrib.losses`: the loss functions that came before tf.losses, and losses of embeddings."""

import sys

from headwater.base.export import export_module

ON_DEMAND = ("contrib.losses", "contrib.losses.metric_learning")

export_module("contrib.slim.losses", sys.modules[__name__])
