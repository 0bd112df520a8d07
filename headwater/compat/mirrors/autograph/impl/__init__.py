"""tensorflow.python.autograph.impl."""
