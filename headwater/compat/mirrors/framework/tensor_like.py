"""tensorflow.python.framework.tensor_like."""

from __future__ import annotations


class _TensorLike:
    """A base class for objects that stand for tensors, without an effect of its own."""
