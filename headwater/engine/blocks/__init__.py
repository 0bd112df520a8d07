"""Blocks: nodes that share one list of values, and the steps that they run in."""
