"""tensorflow.python.ops.weights_broadcast_ops."""

from __future__ import annotations

from headwater.model.weights_broadcast import assert_broadcastable, broadcast_weights

__all__ = ["assert_broadcastable", "broadcast_weights"]
