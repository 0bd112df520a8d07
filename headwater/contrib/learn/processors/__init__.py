"""`tf.contrib.learn.preprocessing`: texts and categories as numbers."""
