"""`tf.contrib.learn`: estimators of the first kind, with their data, heads, monitors and tools."""

ON_DEMAND = ("contrib.learn",)
