"""Mirrors of modules of tensorflow.python.lib.io."""
