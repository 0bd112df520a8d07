"""Datasets, which make elements, and iterators, which hand them to runs."""
