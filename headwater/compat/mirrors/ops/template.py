"""tensorflow.python.ops.template: what is not public of it."""

from __future__ import annotations

from headwater.model.template import Template

__all__ = ["Template"]
