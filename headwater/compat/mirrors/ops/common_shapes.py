"""tensorflow.python.ops.common_shapes: where releases before 0.12 had the module."""

from __future__ import annotations

from headwater.compat.mirrors.framework.common_shapes import (
    broadcast_shape,
    has_fully_defined_shape,
    is_broadcast_compatible,
    rank,
    scalar_shape,
    unknown_shape,
)

__all__ = [
    "broadcast_shape",
    "has_fully_defined_shape",
    "is_broadcast_compatible",
    "rank",
    "scalar_shape",
    "unknown_shape",
]
