"""`tf.contrib.data`: what is not in `tf.data`."""
