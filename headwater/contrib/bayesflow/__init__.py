"""`tf.contrib.bayesflow`: Monte Carlo estimates of expectations."""

ON_DEMAND = ("contrib.bayesflow", "contrib.bayesflow.monte_carlo")
