"""Feature columns of the first era: `tf.contrib.layers.sparse_column_with_keys` and its like."""
