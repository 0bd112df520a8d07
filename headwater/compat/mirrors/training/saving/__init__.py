"""Mirrors of modules of tensorflow.python.training.saving."""
