"""`tf.contrib.sparsemax`: a softmax with exact zeros, and its loss."""

ON_DEMAND = ("contrib.sparsemax",)
