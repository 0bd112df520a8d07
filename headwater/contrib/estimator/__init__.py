"""`tf.contrib.estimator`: more heads, and what makes new Estimators of others."""

ON_DEMAND = ("contrib.estimator",)
