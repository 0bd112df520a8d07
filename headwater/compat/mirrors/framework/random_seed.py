"""tensorflow.python.framework.random_seed."""

from headwater.graph.seeds import DEFAULT_GRAPH_SEED

__all__ = ["DEFAULT_GRAPH_SEED"]
