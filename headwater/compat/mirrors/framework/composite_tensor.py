"""tensorflow.python.framework.composite_tensor."""

from __future__ import annotations

from headwater.graph.composite_specs import CompositeTensor, replace_composites_with_components

__all__ = ["CompositeTensor", "replace_composites_with_components"]
