"""`tf.contrib.nearest_neighbor`: hashing of near points into the same buckets."""

ON_DEMAND = ("contrib.nearest_neighbor",)
