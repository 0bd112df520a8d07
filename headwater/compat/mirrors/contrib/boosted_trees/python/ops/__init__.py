"""Mirrors of internal modules."""
