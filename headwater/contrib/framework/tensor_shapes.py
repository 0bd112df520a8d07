"""Tensors whose shape is checked: with_shape and with_same_shape of tf.contrib.framework."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import (
    Tensor,
    build,
    control_dependencies,
    export,
    name_scope,
    shape_tensor,
)
from headwater.ops.array.constant import constant
from headwater.ops.array.shape import rank as rank_of
from headwater.ops.array.shape import size as size_of
from headwater.ops.control.assertion import assert_
from headwater.ops.math.reduce_functions import reduce_all


@export("contrib.framework.with_same_shape")
def with_same_shape(expected_tensor: TensorLike, tensor: TensorLike) -> Tensor:
    """A tensor, after a check that it has the shape of another one.

    Args:
        expected_tensor: the tensor whose shape is wanted.
        tensor: the tensor to check.

    Returns:
        `tensor` itself if its shape is known to be right, else a copy that is checked when it
        runs.

    Raises:
        ValueError: if the shapes are known to differ.
    """
    with name_scope(f"{tensor.op.name}/", values=[expected_tensor, tensor]):
        shape = expected_tensor.get_shape()
        if shape.is_fully_defined():
            return with_shape(shape.as_list(), tensor)
        return with_shape(shape_tensor(expected_tensor, name="expected_shape"), tensor)


@export("contrib.framework.with_shape")
def with_shape(expected_shape: TensorLike, tensor: TensorLike) -> Tensor:
    """A tensor, after a check that it has a shape.

    Args:
        expected_shape: the shape: a list of ints, an array or an integer tensor; -1 fits any
            length.
        tensor: the tensor to check.

    Returns:
        `tensor` itself if its shape is known to be right, else a copy that is checked when it
        runs.

    Raises:
        ValueError: if the shape is known to be wrong, or `expected_shape` is not a shape.
    """
    with name_scope(f"{tensor.op.name}/", values=[tensor]):
        shape = tensor.get_shape()
        if isinstance(expected_shape, Tensor):
            if expected_shape.dtype.base_dtype != dtypes.int32:
                _fail(f"Invalid dtype {expected_shape.dtype!r}", expected_shape, tensor)
            return _checked(expected_shape, tensor)
        expected = np.asarray(expected_shape, None if len(expected_shape) else np.int32)
        if not np.issubdtype(expected.dtype, np.integer):
            _fail(f"Invalid dtype {expected.dtype}", expected, tensor)
        if expected.ndim != 1:
            _fail(f"Invalid rank {expected.ndim}", expected, tensor)
        if not shape.is_compatible_with([None if n < 0 else int(n) for n in expected]):
            raise ValueError(
                f"Invalid shape for tensor {tensor.name}, expected {expected}, got {shape}."
            )
        if shape.is_fully_defined():
            return tensor
        checked = _checked(expected if not len(expected) else expected_shape, tensor)
        if not (expected < 0).any():
            checked.set_shape(expected.tolist())
        return checked


def _fail(problem: str, expected: Any, tensor: Tensor) -> NoReturn:
    raise ValueError(f"{problem} for shape {expected} expected of tensor {tensor.name}.")


def _checked(expected: TensorLike, tensor: Tensor) -> Tensor:
    with name_scope("assert_shape", values=[tensor]) as scope:
        actual = shape_tensor(tensor, name="actual")
        right = _is_shape(expected, tensor, actual)
        text = f"Wrong shape for {tensor.name} [expected] [actual]."
        check = assert_(right, [text, expected, actual], name=scope)
    with control_dependencies([check]):
        return build.Identity(tensor)


def _is_shape(expected: TensorLike, tensor: Tensor, actual: Tensor) -> Tensor:
    with name_scope("is_shape", values=[tensor]) as scope:
        count = size_of(expected)
        with name_scope("is_rank", values=[tensor]) as rank_scope:
            ndims = tensor.get_shape().ndims
            if ndims is None:
                rank = rank_of(tensor, name="actual")
            else:
                rank = constant(ndims, name="actual")
            right_rank = build.Equal(count, rank, name=rank_scope)
        with name_scope("shape_tensor_equal", values=[actual]) as equal_scope:
            any_length = build.Equal(expected, -1)
            same = build.Equal(expected, actual, name="equal")
            fits = build.LogicalOr(any_length, same, name="exclude_partial_shape")
            right_lengths = reduce_all(fits, name=equal_scope)
        return build.LogicalAnd(right_rank, right_lengths, name=scope)
