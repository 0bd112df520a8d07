"""`tf.contrib.linear_optimizer`: linear models trained by stochastic dual coordinate ascent."""

ON_DEMAND = ("contrib.linear_optimizer",)
