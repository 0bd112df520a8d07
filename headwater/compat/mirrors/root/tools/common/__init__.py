"""tensorflow.tools.common."""
