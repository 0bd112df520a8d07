"""tensorflow.python.autograph.pyct."""
