"""tensorflow.python.framework.tensor_like."""

from __future__ import annotations


class _TensorLike:
    """A base class that marks objects which can be converted to tensors."""
