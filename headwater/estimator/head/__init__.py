"""Heads: the loss, the metrics and the predictions of a model."""
