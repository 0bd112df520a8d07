"""`tf.contrib.cluster_resolver`: what the cluster of a program is."""

ON_DEMAND = ("distribute.cluster_resolver", "contrib.cluster_resolver")
