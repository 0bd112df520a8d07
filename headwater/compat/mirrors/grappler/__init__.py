"""tensorflow.python.grappler."""
