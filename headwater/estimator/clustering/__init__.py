"""Clusters of points: k-means as a graph and as an estimator, and hooks of training."""
