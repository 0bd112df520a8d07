"""Ragged tensors: rows of different lengths as values and the splits between rows."""

ON_DEMAND = ("", "ragged", "strings", "data.experimental")
