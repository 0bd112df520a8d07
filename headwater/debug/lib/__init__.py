"""Watches, dumps and the graphs in dumps, as tensorflow.python.debug.lib has them."""
