"""Runs of compilable ops, and the XLA programs that they become."""
