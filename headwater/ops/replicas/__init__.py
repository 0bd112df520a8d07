"""Ops over the replicas of a program, and of the accelerators that run them."""
