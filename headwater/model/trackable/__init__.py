"""Objects that a checkpoint saves as a graph: their dependencies and how they are restored."""
