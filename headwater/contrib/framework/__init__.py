"""`tf.contrib.framework`: default arguments of functions, and variables."""

ON_DEMAND = ("contrib.framework", "contrib.framework.prettyprint_ops", "contrib.slim")
