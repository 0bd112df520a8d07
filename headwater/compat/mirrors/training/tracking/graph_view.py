"""tensorflow.python.training.tracking.graph_view: the objects below a root."""

from __future__ import annotations

from headwater.train.objects.graph_view import ObjectGraphView, escaped

__all__ = ["ObjectGraphView", "_escape_local_name"]

_escape_local_name = escaped
