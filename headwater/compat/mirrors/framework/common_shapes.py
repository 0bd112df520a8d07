"""tensorflow.python.framework.common_shapes."""

from __future__ import annotations

from typing import Any

from headwater.base.tensor_shape import TensorShape, as_shape
from headwater.graph.shapes import broadcast_shapes


def scalar_shape(unused_op: Any) -> list[TensorShape]:
    """Returns the shape of a scalar, in a list."""
    return [TensorShape([])]


def unknown_shape(op: Any) -> list[TensorShape]:
    """Returns an unknown shape for each output of an op."""
    return [TensorShape(None) for _ in op.outputs]


def rank(tensor: Any) -> int | None:
    """Returns the rank of a tensor, if it is known, else None."""
    return tensor.shape.ndims


def has_fully_defined_shape(tensor: Any) -> bool:
    """Tells whether the shape of a tensor is known."""
    return tensor.shape.is_fully_defined()


def is_broadcast_compatible(shape_x: TensorShape, shape_y: TensorShape) -> bool:
    """Tells whether two shapes of known rank can be broadcast to each other."""
    if shape_x.ndims is None or shape_y.ndims is None:
        return False
    try:
        broadcast_shape(shape_x, shape_y)
    except ValueError:
        return False
    return True


def broadcast_shape(shape_x: TensorShape, shape_y: TensorShape) -> TensorShape:
    """Returns the shape that two shapes are broadcast to.

    Args:
      shape_x: a TensorShape.
      shape_y: a TensorShape.

    Returns:
      A TensorShape.

    Raises:
      ValueError: if they do not fit.
    """
    x, y = as_shape(shape_x), as_shape(shape_y)
    try:
        return TensorShape(broadcast_shapes(x.to_tuple(), y.to_tuple()))
    except ValueError:
        raise ValueError(f"Incompatible shapes for broadcasting: {x} and {y}") from None
