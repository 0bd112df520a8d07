"""Checkpoints: savers, meta graphs, and variables that start from a checkpoint."""
