"""tensorflow.tools.graph_transforms."""

from __future__ import annotations

from headwater.serving.graph_tools.transforms.transform_graph import TransformGraph

__all__ = ["TransformGraph"]
