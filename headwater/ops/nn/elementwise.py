"""Shared by the gradients of elementwise activations."""

from __future__ import annotations

import numpy as np

from headwater.base import errors
from headwater.base.typing import Array
from headwater.graph import Tensor, shape_tensor, shapes, zeros_of


def require_same_shape(op_type: str, op_name: str, a: Array, b: Array) -> None:
    """Checks that both inputs of a gradient op have the same shape.

    Raises:
        InvalidArgumentError: if they have not.
    """
    if a.shape != b.shape:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Inputs to operation {op_name} of type {op_type} must have the same size and shape.  "
            f"Input 0: {shapes.show(a.shape)} != input 1: {shapes.show(b.shape)}",
        )


def in_single(x: Array) -> Array:
    """Half-precision numbers as float32, in which a kernel computes; others as they are."""
    return x.astype(np.float32) if x.dtype.itemsize == 2 else x


def zeros_of_shape(x: Tensor) -> Tensor:
    """Zeros of the type and shape of `x`, made of a shape and a Fill as by tf.zeros."""
    return zeros_of(shape_tensor(x), x.dtype)
