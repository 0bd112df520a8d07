"""Circular shift along dimensions: Roll."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import Operation, Sample, Tensor, build, export, register_op, shapes


def shape_roll(c: shapes.ShapeContext) -> Shape:
    c.with_rank_at_least("input", 1)
    for name in ("shift", "axis"):
        shape = c.shape(name)
        if shape is not None and len(shape) > 1:
            c.fail(f"Shape must be at most rank 1 but is rank {len(shape)}")
    c.merge(c.shape("shift"), c.shape("axis"))
    return c.shape("input")


def kernel_roll(xp: ArrayModule, x: Array, shift: np.ndarray, axis: np.ndarray) -> Array:
    rank = len(x.shape)
    if rank == 0:
        fail("input must be 1-D or higher")
    for name, value in (("shift", shift), ("axis", axis)):
        if value.ndim > 1:
            fail(f"{name} must be a scalar or a 1-D vector. Found: {shapes.show(value.shape)}")
    if shift.shape != axis.shape:
        fail("shift and axis must have the same size")
    axes = tuple(int(a) for a in np.ravel(axis))
    for a in axes:
        if not -rank <= a < rank:
            fail(f"axis {a} is out of range")
    return xp.roll(x, tuple(int(s) for s in np.ravel(shift)), axes)


def gradient_roll(op: Operation, grad: Tensor) -> tuple[Tensor, Any, Any]:
    _, shift, axis = op.inputs
    return build.Roll(grad, build.Neg(shift), axis), None, None


def samples_roll() -> Iterator[Sample]:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    yield Sample(x, np.int32(1), np.int32(1))
    yield Sample(x, np.array([1, -2], np.int64), np.array([0, 1], np.int32))
    yield Sample(x, np.array([1, 1], np.int32), np.array([1, 1], np.int64))
    yield Sample(x, np.int32(-7), np.int32(-1))


def reference_roll(x: np.ndarray, shift: np.ndarray, axis: np.ndarray) -> np.ndarray:
    for s, a in zip(np.ravel(shift), np.ravel(axis)):
        x = np.take(x, (np.arange(x.shape[a]) - s) % x.shape[a], a)
    return x


register_op(
    "Roll",
    inputs="input: T, shift: Tshift, axis: Taxis",
    outputs="output: T",
    attrs="T: type, Tshift: {int32, int64}, Taxis: {int32, int64}",
    shape=shape_roll,
    kernel=kernel_roll,
    gradient=gradient_roll,
    concrete=("shift", "axis"),
    reference=reference_roll,
    samples=samples_roll,
)


@export("roll", "manip.roll")
def roll(input: TensorLike, shift: TensorLike, axis: TensorLike, name: str | None = None) -> Tensor:
    """Shifts the elements of a tensor circularly along some dimensions.

    Args:
        input: a tensor.
        shift: how far, an integer or one per entry of `axis`.
        axis: the dimension or dimensions.
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    return build.Roll(input, shift, axis, name=name)
