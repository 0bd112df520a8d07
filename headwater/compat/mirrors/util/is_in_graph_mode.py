"""tensorflow.python.util.is_in_graph_mode."""

from __future__ import annotations


def IS_IN_GRAPH_MODE() -> bool:
    """Tells whether ops become nodes of a graph; they always do."""
    return True
