"""`tf.contrib.factorization`: clusters of points, and products of matrices close to a given one."""

ON_DEMAND = ("contrib.factorization",)
