"""Recurrent networks: cells, and the loops that apply them to sequences."""
