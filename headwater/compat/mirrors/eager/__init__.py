"""Mirrors of modules of tensorflow.python.eager."""
