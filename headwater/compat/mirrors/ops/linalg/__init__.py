"""Internal modules of tensorflow.python.ops.linalg."""
