"""Mirrors of modules of tensorflow.python.keras.engine."""
