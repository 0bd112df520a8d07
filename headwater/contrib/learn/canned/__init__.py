"""Estimators with a model of their own."""
