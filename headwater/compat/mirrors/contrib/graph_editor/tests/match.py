"""tensorflow.contrib.graph_editor.tests.match: where later releases have the matcher."""

from __future__ import annotations

from headwater.contrib.graph_editor.match import OpMatcher, op_type

__all__ = ["OpMatcher", "op_type"]
