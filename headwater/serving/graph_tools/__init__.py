"""Tools that prepare GraphDefs for inference, and one that prints checkpoints.

They are TensorFlow's tensorflow.python.tools.
"""

ON_DEMAND = ()  # for programs that import them, and for commands
