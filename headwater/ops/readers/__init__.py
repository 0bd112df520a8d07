"""Readers of files: the ops that make and use them, and the readers themselves."""
