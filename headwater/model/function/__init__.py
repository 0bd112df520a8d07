"""`tf.function`: Python functions that become functions of a graph's library, one per signature."""
