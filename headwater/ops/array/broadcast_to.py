"""Repetition along dimensions of size 1: BroadcastTo."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    Operation,
    Sample,
    Tensor,
    build,
    export,
    register_op,
    shape_tensor,
    shapes,
)


def shape_broadcast_to(c: shapes.ShapeContext) -> Shape:
    c.with_rank("shape", 1)
    source, wanted = c.shape("input"), c.value_as_shape("shape")
    if source is None or wanted is None:
        return wanted
    if len(source) > len(wanted):
        c._asked.clear()
        c.fail(f"Shape must be at most rank {len(wanted)} but is rank {len(source)}")
    try:
        return shapes.broadcast_shapes(source, wanted)
    except ValueError as error:
        c.fail(f"Dimensions must be equal, but are {error}")


def kernel_broadcast_to(xp: ArrayModule, x: Array, shape: np.ndarray) -> Array:
    if shape.ndim != 1:
        fail(f"shape must be a vector of {{int32,int64}}, got shape {shapes.show(shape.shape)}")
    sizes = tuple(int(n) for n in shape)
    padded = (1,) * (len(sizes) - len(x.shape)) + tuple(x.shape)
    if len(padded) != len(sizes) or any(a not in (1, b) for a, b in zip(padded, sizes)):
        raise errors.InvalidArgumentError(
            None, None, f"Incompatible shapes: {shapes.show(x.shape)} vs. {shapes.show(sizes)}"
        )
    return xp.broadcast_to(x, sizes)


def gradient_broadcast_to(op: Operation, grad: Tensor) -> tuple[Tensor, Any]:
    x, shape = op.inputs
    own = shape_tensor(x, out_type=shape.dtype)
    axes = build.BroadcastGradientArgs(shape, own)[1]
    return build.Reshape(build.Sum(grad, axes, keep_dims=True), own), None


def samples_broadcast_to() -> Iterator[Sample]:
    x = np.array([[1.0], [2.0]], np.float32)
    yield Sample(x, np.array([2, 3], np.int32))
    yield Sample(x, np.array([4, 2, 1], np.int64), gradient=())
    yield Sample(np.int32(5), np.array([2], np.int32))
    yield Sample(x, np.array([2, 0], np.int32))


register_op(
    "BroadcastTo",
    inputs="input: T, shape: Tidx",
    outputs="output: T",
    attrs="T: type, Tidx: {int32, int64} = int32",
    shape=shape_broadcast_to,
    kernel=kernel_broadcast_to,
    gradient=gradient_broadcast_to,
    concrete=("shape",),
    reference=lambda x, shape: x * np.ones(tuple(shape), x.dtype),
    samples=samples_broadcast_to,
)


@export("broadcast_to")
def broadcast_to(input: TensorLike, shape: TensorLike, name: str | None = None) -> Tensor:
    """Repeats a tensor along dimensions of size 1 and new first dimensions.

    Args:
        input: a tensor.
        shape: the shape of the result, an integer vector.
        name: the name of the node.

    Returns:
        A tensor of this shape.

    Raises:
        ValueError: if the static shapes do not fit.
    """
    return build.BroadcastTo(input, shape, name=name)
