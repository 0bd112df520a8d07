"""Packages of `tf.contrib`."""
