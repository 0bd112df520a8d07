"""Signals: windows and transforms made of other ops."""
