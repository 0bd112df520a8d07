"""tensorflow.python.ops.confusion_matrix: what is not public of it."""

from __future__ import annotations

from headwater.model.squeezing import remove_squeezable_dimensions

__all__ = ["remove_squeezable_dimensions"]
