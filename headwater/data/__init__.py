"""Readers, parsing, input pipelines and the datasets of the tutorials."""
