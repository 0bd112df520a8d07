"""`tf.contrib.bayesflow`: Monte Carlo estimates of expectations."""

ON_DEMAND = ("contrib.bayesflow",)
