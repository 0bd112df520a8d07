"""Mirrors of modules of tensorflow.python.platform."""
