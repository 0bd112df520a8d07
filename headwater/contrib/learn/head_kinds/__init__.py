"""Heads: what turns the logits of a model into loss, predictions and metrics."""
