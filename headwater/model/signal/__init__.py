"""Signals: windows and transforms made of other ops."""

ON_DEMAND = ("signal", "spectral", "contrib.signal")
