"""tf.data: datasets, their iterators, and what goes with them."""
