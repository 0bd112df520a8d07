"""Graphs drawn for people: an interactive page, inline in a notebook or in a file."""
