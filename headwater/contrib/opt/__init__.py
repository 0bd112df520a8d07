"""Optimizers of tf.contrib.opt that work outside of the graph, and their helpers."""
