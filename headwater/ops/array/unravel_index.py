"""Flat indices as index vectors: UnravelIndex."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import Sample, Tensor, build, export, register_op, shapes


def shape_unravel_index(c: shapes.ShapeContext) -> Shape:
    indices, dims = c.shape("indices"), c.with_rank("dims", 1)
    if indices is None:
        return None
    return (*dims, *indices) if len(indices) < 2 else (*dims, shapes.number_of_elements(indices))


def kernel_unravel_index(xp: ArrayModule, indices: Array, dims: Array) -> Array:
    ends = xp.cumprod(dims[::-1], dtype=dims.dtype)[::-1]
    column = (-1,) + (1,) * len(indices.shape)
    # An index out of range wraps around, as in TensorFlow.
    return indices % ends.reshape(column) // (ends // dims).reshape(column)


def samples_unravel_index() -> Iterator[Sample]:
    yield Sample(np.array([2, 5], np.int32), np.array([3, 2], np.int32))
    yield Sample(np.int64(7), np.array([2, 2, 2], np.int64))


def reference_unravel_index(indices: np.ndarray, dims: np.ndarray) -> np.ndarray:
    return np.array(np.unravel_index(indices, tuple(dims)), dims.dtype)


register_op(
    "UnravelIndex",
    inputs="indices: Tidx, dims: Tidx",
    outputs="output: Tidx",
    attrs="Tidx: {int32, int64} = int32",
    shape=shape_unravel_index,
    kernel=kernel_unravel_index,
    reference=reference_unravel_index,
    samples=samples_unravel_index,
)


@export("unravel_index")
def unravel_index(indices: TensorLike, dims: TensorLike, name: str | None = None) -> Tensor:
    """Turns indices into a flattened tensor into indices per dimension.

    Args:
        indices: integers, a scalar or vector.
        dims: the shape of the tensor, an integer vector.
        name: the name of the node.

    Returns:
        An integer tensor whose first dimension has an entry per dimension of the tensor.
    """
    return build.UnravelIndex(indices, dims, name=name)
