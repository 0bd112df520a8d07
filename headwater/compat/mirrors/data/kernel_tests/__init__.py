"""Mirrors of tensorflow.python.data.kernel_tests."""
