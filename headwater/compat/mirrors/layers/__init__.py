"""Mirrors of modules of tensorflow.python.layers."""
