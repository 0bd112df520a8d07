"""tensorflow.python.ops.distributions: what is not public of it."""
