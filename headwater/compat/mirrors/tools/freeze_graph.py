"""tensorflow.python.tools.freeze_graph."""

from __future__ import annotations

from headwater.serving.graph_tools.freeze_graph import freeze_graph, freeze_graph_with_def_protos

__all__ = ["freeze_graph", "freeze_graph_with_def_protos"]
