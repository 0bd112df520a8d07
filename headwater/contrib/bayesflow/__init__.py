"""`tf.contrib.bayesflow`: Monte Carlo estimates, stochastic tensors."""

ON_DEMAND = ("contrib.bayesflow",)
