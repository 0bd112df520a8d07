"""`tf.contrib.framework`: default arguments of functions, and variables."""
