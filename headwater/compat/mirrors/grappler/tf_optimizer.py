"""tensorflow.python.grappler.tf_optimizer."""

from __future__ import annotations

from headwater.serving.graph_tools.optimize_graph import OptimizeGraph

__all__ = ["OptimizeGraph"]
