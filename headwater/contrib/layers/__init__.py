"""`tf.contrib.layers`: layers, embeddings and feature functions of the contributed library."""

ON_DEMAND = ("contrib.layers", "contrib.slim")
