"""Mirrors of modules of tensorflow.python.framework."""
