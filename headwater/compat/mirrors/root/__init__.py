"""Mirrors of internal modules outside tensorflow.python and tensorflow.contrib."""
