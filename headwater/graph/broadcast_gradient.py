"""Gradients of broadcast inputs: sums over the dimensions that broadcasting added or stretched."""

from __future__ import annotations

from collections.abc import Callable

from headwater.base.typing import Shape
from headwater.graph.basic_nodes import shape_tensor
from headwater.graph.builders import build
from headwater.graph.default_graph import get_default_graph
from headwater.graph.operation import Tensor
from headwater.graph.shapes import broadcast_shapes

Sizes = tuple[int | None, ...]
Reducer = Callable[[Tensor], Tensor]


def broadcast_reducers(x: Tensor, y: Tensor, static: bool = True) -> tuple[Reducer, Reducer]:
    """Functions that bring gradients of the broadcast shape back to the shapes of `x` and `y`.

    Args:
        x: the first input of a broadcasting op.
        y: its second input.
        static: whether sums that known shapes make unnecessary are left out, as TensorFlow does
            for sums and products.

    Returns:
        One function from gradient to gradient for each input.
    """
    x_shape, y_shape = x._shape, y._shape
    known = x_shape is not None and y_shape is not None and None not in (*x_shape, *y_shape)
    if static and known:
        return _static_reducers(x_shape or (), y_shape or ())
    sx = shape_tensor(x, optimize=not static)
    sy = shape_tensor(y, optimize=not static)
    rx, ry = build.BroadcastGradientArgs(sx, sy)
    return _dynamic_reducer(sx, rx), _dynamic_reducer(sy, ry)


def _dynamic_reducer(shape: Tensor, axes: Tensor) -> Reducer:
    return lambda grad: build.Reshape(build.Sum(grad, axes), shape)


def _static_reducers(x: Sizes, y: Sizes) -> tuple[Reducer, Reducer]:
    # TensorFlow makes the node once per graph and pair of shapes.
    known_pairs = get_default_graph()._broadcast_pairs
    if (x, y) not in known_pairs:
        known_pairs.add((x, y))
        build.BroadcastGradientArgs(list(x), list(y))
    return _static_reducer(x, y), _static_reducer(y, x)


def _static_reducer(shape: Sizes, other: Sizes) -> Reducer:
    axes = broadcast_axes(shape, other)
    if not axes:
        return _unchanged
    return lambda grad: build.Reshape(build.Sum(grad, axes), list(shape))


def _unchanged(grad: Tensor) -> Tensor:
    return grad


def broadcast_axes(shape: Sizes, other: Sizes) -> list[int]:
    """The axes of the broadcast result over which the gradient of `shape` is summed."""
    if shape == broadcast_shapes(shape, other):
        return []
    missing = len(other) - len(shape)
    # Axes of length 1 in both shapes are summed as well; that changes nothing.
    ones = [i + max(missing, 0) for i, size in enumerate(shape) if size == 1]
    return [*range(missing), *ones]


def shapes_equal(*tensors: Tensor) -> bool:
    """Whether all static shapes are fully known and equal."""
    first: Shape = tensors[0]._shape
    if first is None or None in first:
        return False
    return all(isinstance(t, Tensor) and t._shape == first for t in tensors)
