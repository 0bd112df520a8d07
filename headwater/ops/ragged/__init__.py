"""Ops on ragged tensors, which are given by their splits and values."""
