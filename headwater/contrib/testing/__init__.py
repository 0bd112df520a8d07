"""`tf.contrib.testing`: what tests of programs ask of summaries."""

ON_DEMAND = ("contrib.testing",)
