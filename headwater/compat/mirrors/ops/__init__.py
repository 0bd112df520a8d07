"""Mirrors of modules of tensorflow.python.ops."""
