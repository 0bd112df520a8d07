"""Elementwise maximum and minimum, and clipping."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base.typing import Array, ArrayModule, TensorLike
from headwater.graph import (
    IndexedSlices,
    Operation,
    Sample,
    Tensor,
    build,
    convert_to_tensor,
    export,
    name_scope,
    register_op,
    shape_tensor,
    shapes,
    zeros_of,
)
from headwater.ops.math.elementwise import FLOATS, binary_kernel

_TYPES = f"{FLOATS}, int32, int64"


@binary_kernel
def kernel_maximum(xp: ArrayModule, x: Array, y: Array) -> Array:
    # Where one of two floats is NaN, the first is taken.
    return xp.maximum(x, y) if x.dtype.kind in "iu" else xp.where(x < y, y, x)


@binary_kernel
def kernel_minimum(xp: ArrayModule, x: Array, y: Array) -> Array:
    return xp.minimum(x, y) if x.dtype.kind in "iu" else xp.where(y < x, y, x)


def reference_maximum(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(x) | ~(x < y), x, y)


def reference_minimum(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(x) | ~(y < x), x, y)


def kernel_clip(xp: ArrayModule, t: Array, low: Array, high: Array) -> Array:
    return xp.maximum(xp.minimum(t, high), low)


def _gradient(op: Operation, grad: Tensor, comparison: Callable[..., Any]) -> tuple[Tensor, ...]:
    """The gradient goes to the input that is passed on; to the first if both are equal."""
    x, y = op.inputs
    shape_x, shape_y = shape_tensor(x), shape_tensor(y)
    zeros = zeros_of(shape_tensor(grad), grad.dtype)
    first = comparison(x, y)
    axes_x, axes_y = build.BroadcastGradientArgs(shape_x, shape_y)
    part_x = build.Sum(build.Select(first, grad, zeros), axes_x)
    grad_x = build.Reshape(part_x, shape_x)
    part_y = build.Sum(build.Select(first, zeros, grad), axes_y)
    return grad_x, build.Reshape(part_y, shape_y)


def gradient_maximum(op: Operation, grad: Tensor) -> tuple[Tensor, ...]:
    return _gradient(op, grad, build.GreaterEqual)


def gradient_minimum(op: Operation, grad: Tensor) -> tuple[Tensor, ...]:
    return _gradient(op, grad, build.LessEqual)


def samples_pair() -> Iterator[Sample]:
    x = np.array([[1.5, -2.0, 3.0], [0.25, 5.0, -6.5]], np.float32)
    yield Sample(x, np.array([2.0, -1.0, 0.5], np.float32))
    yield Sample(x, np.float32(0.5))
    yield Sample(x.astype(np.float64), x[:, 1:2].astype(np.float64) + 0.1)
    yield Sample(np.array([1, -7], np.int32), np.array([[3], [-4]], np.int32))
    yield Sample(
        np.array([np.nan, 1.0], np.float32), np.array([1.0, np.nan], np.float32), gradient=()
    )


def samples_clip() -> Iterator[Sample]:
    x = np.array([[1.5, -2.0, 3.0], [0.25, 5.0, -6.5]], np.float32)
    yield Sample(x, np.float32(-1), np.float32(2), gradient=())
    yield Sample(x, x - 1, np.float32(9), gradient=())


def _register_extremum(
    name: str,
    kernel: Callable[..., Any],
    gradient_function: Callable[..., Any],
    reference: Callable[..., Any],
) -> None:
    register_op(
        name,
        inputs="x: T, y: T",
        outputs="z: T",
        attrs=f"T: {{{_TYPES}}}",
        shape=shapes.broadcast,
        kernel=kernel,
        gradient=gradient_function,
        reference=reference,
        samples=samples_pair,
    )


_register_extremum("Maximum", kernel_maximum, gradient_maximum, reference_maximum)
_register_extremum("Minimum", kernel_minimum, gradient_minimum, reference_minimum)
register_op(
    "ClipByValue",
    inputs="t: T, clip_value_min: T, clip_value_max: T",
    outputs="output: T",
    attrs="T: numbertype",
    shape=shapes.like_first,
    kernel=kernel_clip,
    reference=np.clip,
    samples=samples_clip,
)


@export("maximum", "math.maximum")
def maximum(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Returns the larger one of x and y, element by element.

    Args:
        x: a tensor.
        y: a tensor of the same type, of a shape that fits (with broadcasting).
        name: the name of the node.

    Returns:
        A tensor of the broadcast shape.

    Example:
        >>> print(tf.maximum([1, 5], [3, 2]).eval())
        [3 5]
    """
    return build.Maximum(x, y, name=name)


@export("minimum", "math.minimum")
def minimum(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Returns the smaller one of x and y, element by element.

    Args:
        x: a tensor.
        y: a tensor of the same type, of a shape that fits (with broadcasting).
        name: the name of the node.

    Returns:
        A tensor of the broadcast shape.

    Example:
        >>> print(tf.minimum([1, 5], [3, 2]).eval())
        [1 2]
    """
    return build.Minimum(x, y, name=name)


@export("clip_by_value")
def clip_by_value(
    t: Any, clip_value_min: TensorLike, clip_value_max: TensorLike, name: str | None = None
) -> Any:
    """Clips elements to the range between two bounds.

    Args:
        t: a Tensor or IndexedSlices.
        clip_value_min: the lower bound, of a shape that broadcasts to that of `t`.
        clip_value_max: the upper bound.
        name: the name of the node.

    Returns:
        What `t` is, of the same shape.

    Raises:
        ValueError: if a bound has more elements than `t`.

    Example:
        >>> print(tf.clip_by_value([-5, 2, 9], 0, 5).eval())
        [0 2 5]
    """
    with name_scope(name, "clip_by_value", [t, clip_value_min, clip_value_max]) as scope:
        values = convert_to_tensor(t.values if isinstance(t, IndexedSlices) else t, name="t")
        below = build.Minimum(values, clip_value_max)
        values.get_shape().merge_with(below.get_shape())
        clipped = build.Maximum(below, clip_value_min, name=scope)
        values.get_shape().merge_with(clipped.get_shape())
        if isinstance(t, IndexedSlices):
            return IndexedSlices(clipped, t.indices, t.dense_shape)
        return clipped
