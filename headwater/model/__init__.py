"""Compositions of ops: variables, layers, losses, metrics."""
