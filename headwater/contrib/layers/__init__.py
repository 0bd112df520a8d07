"""`tf.contrib.layers`: layers, embeddings and feature functions of the contributed library."""
