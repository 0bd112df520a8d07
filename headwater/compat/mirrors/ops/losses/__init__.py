"""Modules of tensorflow.python.ops.losses."""
