"""Boosted trees: ensembles, their growth and predictions, and quantiles of features."""
