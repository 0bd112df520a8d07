"""tensorflow.python.tools.import_pb_to_tensorboard."""

from __future__ import annotations

from headwater.serving.graph_tools.graph_events import import_to_tensorboard

__all__ = ["import_to_tensorboard"]
