"""tensorflow.python.tools.inspect_checkpoint."""

from __future__ import annotations

from headwater.serving.graph_tools.inspect_checkpoint import print_tensors_in_checkpoint_file

__all__ = ["print_tensors_in_checkpoint_file"]
