"""The bands of matrices around their diagonals: MatrixBandPart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import Operation, Sample, Tensor, build, export, register_op, shapes
from headwater.ops.linalg.compositions import invalid


def kernel_band_part(xp: ArrayModule, x: Array, num_lower: Array, num_upper: Array) -> Array:
    if x.ndim < 2:
        raise invalid(f"input must be at least 2-dim, received shape: {shapes.show(x.shape)}")
    for name, value in (("num_lower", num_lower), ("num_upper", num_upper)):
        if value.ndim:
            raise invalid(f"{name} must be scalar, got shape {shapes.show(value.shape)}")
    rows, columns = x.shape[-2:]
    lower, upper = int(num_lower), int(num_upper)
    if lower > rows:
        raise invalid(
            f"num_lower must be negative or less or equal to number of rows ({rows}) got: {lower}"
        )
    if upper > columns:
        raise invalid(
            "num_upper must be negative or less or equal to number of columns "
            f"({columns}) got: {upper}"
        )
    offset = np.arange(rows)[:, None] - np.arange(columns)
    inside = np.ones((rows, columns), bool)
    if lower >= 0:
        inside &= offset <= lower
    if upper >= 0:
        inside &= -offset <= upper
    return xp.where(inside, x, np.zeros((), x.dtype))


def reference_band_part(x: Array, num_lower: Array, num_upper: Array) -> Array:
    rows, columns = x.shape[-2:]
    lower = rows if num_lower < 0 else int(num_lower)
    upper = columns if num_upper < 0 else int(num_upper)
    return np.triu(np.tril(x, upper), -lower)


def shape_band_part(c: shapes.ShapeContext) -> Shape:
    c.with_rank("num_lower", 0)
    c.with_rank("num_upper", 0)
    return c.shape("input")


def gradient_band_part(op: Operation, grad: Tensor) -> tuple[Tensor, Any, Any]:
    return build.MatrixBandPart(grad, op.inputs[1], op.inputs[2]), None, None


def samples_band_part() -> Iterator[Sample]:
    x = np.arange(1, 13, dtype=np.float32).reshape(3, 4)
    yield Sample(x, np.int64(1), np.int64(0))
    yield Sample(x, np.int32(-1), np.int32(1))
    yield Sample(x.reshape(2, 2, 3).astype(np.float64), np.int64(0), np.int64(-1))


register_op(
    "MatrixBandPart",
    inputs="input: T, num_lower: Tindex, num_upper: Tindex",
    outputs="band: T",
    attrs="T: type, Tindex: {int32, int64} = int64",
    shape=shape_band_part,
    kernel=kernel_band_part,
    gradient=gradient_band_part,
    reference=reference_band_part,
    samples=samples_band_part,
    concrete=("num_lower", "num_upper"),
)
register_op(
    "BatchMatrixBandPart",
    inputs="input: T, num_lower: int64, num_upper: int64",
    outputs="band: T",
    attrs="T: type",
    shape=shape_band_part,
    kernel=kernel_band_part,
    reference=reference_band_part,
    concrete=("num_lower", "num_upper"),
)


@export("matrix_band_part", "linalg.band_part", "batch_matrix_band_part")
def matrix_band_part(
    input: TensorLike, num_lower: TensorLike, num_upper: TensorLike, name: str | None = None
) -> Tensor:
    """Sets everything outside of a band around the diagonals of matrices to zero.

    Args:
        input: a tensor of shape [..., rows, columns].
        num_lower: how many diagonals below the main one stay; negative keeps all.
        num_upper: how many diagonals above the main one stay; negative keeps all.
        name: the name of the node.

    Returns:
        A tensor of the same type and shape.
    """
    return build.MatrixBandPart(input, num_lower, num_upper, name=name)
