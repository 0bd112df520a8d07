"""Optimizers of tf.contrib.opt that work outside of the graph, and their helpers."""

ON_DEMAND = ("contrib.opt",)
