"""Readers, parsing, input pipelines and the data sets of the tutorials."""
