"""Repetition of whole tensors: Tile, and TileGrad of the first releases."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from headwater.base import errors
from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    IndexedSlices,
    Operation,
    Sample,
    Tensor,
    build,
    convert_to_tensor,
    export,
    register_op,
    shape_tensor,
    shapes,
)


def shape_tile(c: shapes.ShapeContext) -> Shape:
    c.with_rank("multiples", 1)
    source = c.shape("input")
    multiples = c.value_as_shape("multiples")
    if source is None and multiples is None:
        return None
    if multiples is not None and source is not None and len(multiples) != len(source):
        c._asked.clear()
        c.fail(f"Shape must be rank {len(source)} but is rank {len(multiples)}")
    if multiples is None or source is None:
        return (None,) * len(multiples or source or ())
    return tuple(map(_product, source, multiples))


def _product(size: int | None, multiple: int | None) -> int | None:
    if size == 0 or multiple == 0:
        return 0
    if size == 1:
        return multiple
    if multiple == 1:
        return size
    return None if size is None or multiple is None else size * multiple


def kernel_tile(xp: ArrayModule, x: Array, multiples: np.ndarray) -> Array:
    if multiples.ndim != 1:
        fail(f"Expected multiples to be 1-D, but got shape {shapes.show(multiples.shape)}")
    if multiples.shape != (len(x.shape),):
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Expected multiples argument to be a vector of length {len(x.shape)} but got length "
            f"{multiples.size}",
        )
    for i, multiple in enumerate(multiples):
        if multiple < 0:
            raise errors.InvalidArgumentError(
                None, None, f"Expected multiples[{i}] >= 0, but got {multiple}"
            )
    return xp.tile(x, tuple(int(m) for m in multiples))


def gradient_tile(op: Operation, grad: Tensor | IndexedSlices) -> tuple[Tensor | None, ...]:
    """Sums over the copies, for which each dimension is split into copies and elements."""
    x, multiples = op.inputs
    shape = shape_tensor(x, out_type=multiples.dtype)
    pairs = convert_to_tensor([multiples, shape], name="stack")
    split = build.Reshape(build.Transpose(pairs, [1, 0], name="transpose"), [-1])
    axes = build.Range(0, _size(split), 2, name="range")
    if isinstance(grad, IndexedSlices):
        rows = shape[0]
        grad = build.UnsortedSegmentSum(grad.values, build.FloorMod(grad.indices, rows), rows)
        split = build.ConcatV2([[1], split[1:]], 0, name="concat")
    total = build.Sum(build.Reshape(grad, split), axes)
    total.set_shape(x.get_shape())
    return total, None


def _size(x: Tensor) -> Tensor:
    count = shapes.number_of_elements(x._shape)
    return build.Size(x) if count is None else convert_to_tensor(count, name="Size")


def samples_tile() -> Iterator[Sample]:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    yield Sample(x, np.array([2, 1], np.int32))
    yield Sample(x, np.array([3, 2], np.int64))
    yield Sample(x, np.array([0, 2], np.int32))
    yield Sample(np.int32(4), np.array([], np.int32))


def reference_tile(x: np.ndarray, multiples: np.ndarray) -> np.ndarray:
    for axis, multiple in enumerate(multiples):
        x = np.concatenate([x] * multiple, axis) if multiple else np.take(x, [], axis)
    return x


register_op(
    "Tile",
    inputs="input: T, multiples: Tmultiples",
    outputs="output: T",
    attrs="T: type, Tmultiples: {int32, int64} = int32",
    shape=shape_tile,
    kernel=kernel_tile,
    gradient=gradient_tile,
    concrete=("multiples",),
    reference=reference_tile,
    samples=samples_tile,
)


def kernel_tile_grad(xp: ArrayModule, x: Array, multiples: np.ndarray) -> Array:
    """Sums over the copies."""
    shape = [n for size, m in zip(x.shape, multiples.tolist()) for n in (m, size // max(m, 1))]
    total = xp.reshape(x, shape).sum(tuple(range(0, len(shape), 2)), dtype=x.dtype)
    return xp.asarray(total)


def shape_tile_grad(c: shapes.ShapeContext) -> Shape:
    source, multiples = c.shape("input"), c.value_as_shape("multiples")
    if source is None or multiples is None:
        return None if source is None else (None,) * len(source)
    return tuple(
        None if size is None or not times else size // times
        for size, times in zip(source, multiples)
    )


def samples_tile_grad() -> Iterator[Sample]:
    x = np.arange(24, dtype=np.float32).reshape(4, 6)
    yield Sample(x, np.array([2, 3], np.int32))
    yield Sample(x, np.array([1, 6], np.int32))


register_op(
    "TileGrad",
    inputs="input: T, multiples: int32",
    outputs="output: T",
    attrs="T: type",
    shape=shape_tile_grad,
    kernel=kernel_tile_grad,
    concrete=("multiples",),
    samples=samples_tile_grad,
)


@export("tile", "manip.tile")
def tile(input: TensorLike, multiples: TensorLike, name: str | None = None) -> Tensor:
    """Repeats a tensor along its dimensions.

    Args:
        input: a tensor.
        multiples: an integer vector: how often each dimension is repeated.
        name: the name of the node.

    Returns:
        A tensor of the same rank and type.

    Raises:
        ValueError: if `multiples` is not as long as the rank.

    Example:
        >>> print(tf.tile([1, 2], [3]).eval())
        [1 2 1 2 1 2]
    """
    return build.Tile(input, multiples, name=name)
