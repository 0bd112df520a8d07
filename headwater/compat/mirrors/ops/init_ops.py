"""tensorflow.python.ops.init_ops: what is not public of it."""

from __future__ import annotations

from headwater.model.random_initializers import fans as _compute_fans

__all__ = ["_compute_fans"]
