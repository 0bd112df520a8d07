"""Loops: a frame of the graph as one step, run by iterations or as one program."""
