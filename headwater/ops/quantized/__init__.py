"""Ops on integers of few bits that stand for numbers of a range."""
