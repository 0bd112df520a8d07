"""Estimators, their configuration, and what model functions return."""
