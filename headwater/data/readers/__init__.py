"""Readers of files that a queue names, as programs see them."""
