"""Tensors of one repeated value, as tf.zeros and tf.ones make them."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.dtypes import DType, as_dtype
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, TensorLike
from headwater.graph.basic_nodes import LARGEST_CONSTANT, filled
from headwater.graph.builders import build
from headwater.graph.convert import constant_node, to_tensor
from headwater.graph.default_graph import name_scope
from headwater.graph.operation import Tensor


def repeated(shape: TensorLike, dtype: DTypeLike, value: Any, scope: str) -> Tensor:
    """A constant of the given shape, or a Fill node if that is large or not known.

    Args:
        shape: integers, a TensorShape, or an integer vector as a tensor.
        dtype: the type of the elements.
        value: the element.
        scope: the full name of the node, with a slash at its end.
    """
    dtype = as_dtype(dtype).base_dtype
    if not isinstance(shape, Tensor):
        if dtype is not dtypes.string or value == b"":
            small = _small_shape(shape)
            if small is not None:
                return filled(small, dtype, value, scope)
        shape = _shape_node(shape)
    if not shape._shape:
        shape = build.Reshape(shape, [-1])
    tensor: Tensor = build.Fill(shape, constant_node(value, dtype), name=scope)
    return tensor


def _small_shape(shape: Any) -> tuple[int, ...] | None:
    """The shape if it is known and describes a small constant."""
    if isinstance(shape, (int, np.integer)):
        return None
    sizes: Any = shape
    if isinstance(shape, TensorShape) and shape.ndims is not None:
        sizes = shape.as_list()
    try:
        count: Any = 1
        for i, size in enumerate(sizes):
            # Sizes that are tensors make nodes here, as they do in TensorFlow.
            count = size if i == 0 else count * size
        known = bool(count < LARGEST_CONSTANT)
        plain = tuple(int(size) for size in sizes)
    except (TypeError, ValueError, OverflowError):
        return None
    return plain if known and all(size >= 0 for size in plain) else None


def _shape_node(shape: TensorLike) -> Tensor:
    """The shape as a tensor."""
    try:
        known = TensorShape(shape)
    except (TypeError, ValueError):
        return to_tensor(shape, dtypes.int32)
    if known.is_fully_defined() or isinstance(shape, TensorShape):
        return to_tensor(known)
    return to_tensor(shape, dtypes.int32)


def ones(shape: TensorLike, dtype: DType) -> Tensor:
    """Ones of a shape; see `tf.ones`."""
    with name_scope(None, "ones", [shape]) as scope:
        return repeated(shape, dtype, True if dtype is dtypes.bool_ else 1, scope)


def zeros(shape: TensorLike, dtype: DTypeLike) -> Tensor:
    """Zeros of a shape; see `tf.zeros`."""
    dtype = as_dtype(dtype).base_dtype
    with name_scope(None, "zeros", [shape]) as scope:
        value: Any = b"" if dtype is dtypes.string else False if dtype is dtypes.bool_ else 0
        return repeated(shape, dtype, value, scope)
