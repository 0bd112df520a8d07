"""tensorflow.python.autograph.core."""
