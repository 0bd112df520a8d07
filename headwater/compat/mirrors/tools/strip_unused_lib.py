"""tensorflow.python.tools.strip_unused_lib."""

from __future__ import annotations

from headwater.serving.graph_tools.strip_unused import strip_unused, strip_unused_from_files

__all__ = ["strip_unused", "strip_unused_from_files"]
