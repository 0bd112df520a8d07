"""Mirrors of modules of tensorflow.python.util.protobuf."""
