"""Blocks of space moved to the batch and back: SpaceToBatchND, BatchToSpaceND, 2-D forms."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base.checks import fail
from headwater.base.signatures import signature
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    Operation,
    Sample,
    Tensor,
    build,
    constant_value,
    convert_to_tensor,
    export,
    name_scope,
    register_op,
    shapes,
)
from headwater.graph.repeated_values import zeros

# Static shapes


def _spatial(c: shapes.ShapeContext, borders: str) -> Any:
    """The input shape, the block sizes and the borders, None where they are not known.

    The last value is the number of dimensions of space.
    """
    if "block_shape" in (arg.name for arg in c.record.schema.inputs):
        if c.shape("block_shape") is None:
            c.fail("block_shape must have rank 1.")
        rank = c.with_rank("block_shape", 1)[0]
        if rank is None:
            c.fail("block_shape must have known size.")
        rows, columns = c.with_rank(borders, 2)
        if columns not in (None, 2):
            c.fail(f"Dimension must be 2 but is {columns}")
        if rows not in (None, rank):
            c.fail(f"Dimensions must be equal, but are {rank} and {rows}")
        shape = c.with_rank_at_least("input", rank + 1)
        block = c.value("block_shape")
        return shape, None if block is None else block.tolist(), c.value(borders), rank
    shape = None if c.shape("input") is None else c.with_rank("input", 4)
    size = c.attr("block_size")
    c.merge(c.shape(borders), (2, 2))
    return shape or (None,) * 4, [size, size], c.value(borders), 2


def _known_block(c: shapes.ShapeContext, block: list[int]) -> int:
    if any(size < 1 for size in block):
        c.fail("block_shape must be positive")
    return math.prod(block)


def _check_borders(c: shapes.ShapeContext, name: str, borders: np.ndarray | None) -> None:
    if borders is not None and np.any(borders < 0):
        c.fail(f"{name} cannot be negative")


def shape_space_to_batch(c: shapes.ShapeContext) -> Shape:
    shape, block, paddings, rank = _spatial(c, "paddings")
    _check_borders(c, "paddings", paddings)
    if shape is None:
        return None
    if block is None:
        return (None,) * (1 + rank) + shape[1 + rank :]
    batch = _known_block(c, block)
    sizes: list[int | None] = []
    for i, size in enumerate(block):
        whole = shape[1 + i]
        if whole is None or paddings is None:
            sizes.append(None)
            continue
        padded = whole + int(paddings[i].sum())
        if padded % size:
            c.fail(f"Dimension size must be evenly divisible by {size} but is {padded}")
        sizes.append(padded // size)
    rest = shape[1 + rank :]
    return (None if shape[0] is None else shape[0] * batch, *sizes, *rest)


def shape_batch_to_space(c: shapes.ShapeContext) -> Shape:
    shape, block, crops, rank = _spatial(c, "crops")
    _check_borders(c, "crops", crops)
    if shape is None:
        return None
    if block is None:
        return (None,) * (1 + rank) + shape[1 + rank :]
    _known_block(c, block)
    batch = shape[0]
    for size in block:
        if batch is not None and batch % size:
            c.fail(f"Dimension size must be evenly divisible by {size} but is {batch}")
        batch = None if batch is None else batch // size
    sizes: list[int | None] = []
    for i, size in enumerate(block):
        whole = shape[1 + i]
        if whole is None or crops is None:
            sizes.append(None)
            continue
        left = whole * size
        for crop in (int(crop) for crop in crops[i]):
            if crop > left:
                c.fail(f"Negative dimension size caused by subtracting {crop} from {left}")
            left -= crop
        sizes.append(left)
    return (batch, *sizes, *shape[1 + rank :])


# Kernels


def _check(block: list[int], name: str, pairs: np.ndarray) -> None:
    for i, size in enumerate(block):
        if size < 1:
            fail(f"block_shape[{i}] = {size} must be >= 1")
    if np.any(pairs < 0):
        fail(f"{name} must be non-negative")


def kernel_space_to_batch_nd(
    xp: ArrayModule, x: Array, block_shape: TensorLike, paddings: np.ndarray
) -> Array:
    block, pairs = block_shape.tolist(), paddings.tolist()
    _check(block, "paddings", paddings)
    rank = len(block)
    widths = [(0, 0), *map(tuple, pairs), *[(0, 0)] * (len(x.shape) - rank - 1)]
    x = xp.pad(x, widths)
    split = [x.shape[0]]
    for i, (whole, size) in enumerate(zip(x.shape[1:], block)):
        if whole % size:
            fail(f"padded_shape[{i}]={whole} is not divisible by block_shape[{i}]={size}")
        split += [whole // size, size]
    rest = x.shape[1 + rank :]
    x = x.reshape(*split, *rest)
    blocks = [2 + 2 * i for i in range(rank)]
    places = [1 + 2 * i for i in range(rank)]
    x = xp.transpose(x, (*blocks, 0, *places, *range(2 * rank + 1, len(x.shape))))
    return x.reshape(-1 if x.size else _count(x, rank), *x.shape[rank + 1 :])


def _count(x: Array, rank: int) -> int:
    return math.prod(x.shape[: rank + 1])


def kernel_batch_to_space_nd(
    xp: ArrayModule, x: Array, block_shape: TensorLike, crops: np.ndarray
) -> Array:
    block, pairs = block_shape.tolist(), crops.tolist()
    _check(block, "crops", crops)
    rank, count = len(block), math.prod(block)
    if x.shape[0] % count:
        fail(
            f"Input batch dimension ({x.shape[0]}) is not divisible by product of block sizes "
            f"({count})"
        )
    batch = x.shape[0] // count
    rest = x.shape[1 + rank :]
    x = x.reshape(*block, batch, *x.shape[1:])
    order = [rank]
    for i in range(rank):
        order += [rank + 1 + i, i]
    x = xp.transpose(x, (*order, *range(2 * rank + 1, len(x.shape))))
    sizes = [x.shape[1 + 2 * i] * x.shape[2 + 2 * i] for i in range(rank)]
    for size, pair in zip(sizes, pairs):
        if sum(pair) > size:
            fail(f"cropped_shape is negative: {size - sum(pair)}")
    x = x.reshape(batch, *sizes, *rest)
    return x[(slice(None), *(slice(b, n - e) for n, (b, e) in zip(sizes, pairs)))]


def _of_size(kernel: Callable[..., Any], name: str) -> Callable[..., Any]:
    """The kernel of the form with one block size for two dimensions."""

    def sized(xp: ArrayModule, x: Array, borders: np.ndarray, *, block_size: int) -> Array:
        if borders.shape != (2, 2):
            fail(f"{name} should have shape [2, 2] instead of {shapes.show(borders.shape)}")
        if x.ndim != 4:
            fail(f"Input rank should be: 4instead of: {x.ndim}")
        return kernel(xp, x, np.array([block_size, block_size]), borders)

    return sized


# Gradients


def gradient_space_to_batch_nd(op: Operation, grad: Tensor) -> tuple[Tensor | None, ...]:
    return build.BatchToSpaceND(grad, op.inputs[1], op.inputs[2]), None, None


def gradient_batch_to_space_nd(op: Operation, grad: Tensor) -> tuple[Tensor | None, ...]:
    return build.SpaceToBatchND(grad, op.inputs[1], op.inputs[2]), None, None


def gradient_space_to_batch(op: Operation, grad: Tensor) -> tuple[Tensor, Any]:
    return build.BatchToSpace(grad, op.inputs[1], block_size=op._attrs["block_size"]), None


def gradient_batch_to_space(op: Operation, grad: Tensor) -> tuple[Tensor, Any]:
    return build.SpaceToBatch(grad, op.inputs[1], block_size=op._attrs["block_size"]), None


# Samples


def _cases() -> Iterator[Any]:
    """Space, block shape and borders."""
    x = np.arange(48, dtype=np.float32)
    yield x.reshape(1, 4, 6, 2), [2, 3], [[0, 0], [0, 0]]
    yield x.reshape(2, 4, 6, 1), [2, 2], [[1, 1], [0, 2]]
    yield x.reshape(2, 6, 4), [3], [[1, 2]]
    yield x[:0].reshape(0, 4, 2), [2], [[0, 0]]


def samples_space_to_batch_nd() -> Iterator[Sample]:
    for x, block, borders in _cases():
        yield Sample(x, np.array(block, np.int32), np.array(borders, np.int64))


def samples_batch_to_space_nd() -> Iterator[Sample]:
    for x, block, borders in _cases():
        space, i32 = reference_space_to_batch_nd(x, block, borders), np.int32
        yield Sample(space, np.array(block, i32), np.array(borders, i32))


def samples_space_to_batch() -> Iterator[Sample]:
    x = np.arange(24, dtype=np.float32).reshape(1, 4, 3, 2)
    yield Sample(x, np.array([[0, 0], [1, 0]], np.int32), block_size=2)


def samples_batch_to_space() -> Iterator[Sample]:
    x = np.arange(48, dtype=np.float32).reshape(4, 2, 3, 2)
    yield Sample(x, np.array([[0, 1], [1, 0]], np.int32), block_size=2)


def reference_space_to_batch_nd(x: Array, block_shape: TensorLike, paddings: Array) -> np.ndarray:
    widths = [(0, 0), *map(tuple, paddings), *[(0, 0)] * (x.ndim - len(block_shape) - 1)]
    x = np.pad(x, widths)
    parts = [
        x[(slice(None), *(slice(o, None, b) for o, b in zip(offset, block_shape)))]
        for offset in np.ndindex(*block_shape)
    ]
    return np.concatenate(parts)


def reference_batch_to_space_nd(x: Array, block_shape: TensorLike, crops: Array) -> np.ndarray:
    batch = len(x) // math.prod(block_shape)
    sizes = [n * b for n, b in zip(x.shape[1:], block_shape)]
    whole = np.zeros((batch, *sizes, *x.shape[1 + len(block_shape) :]), x.dtype)
    for i, offset in enumerate(np.ndindex(*block_shape)):
        place = tuple(slice(o, None, b) for o, b in zip(offset, block_shape))
        whole[(slice(None), *place)] = x[i * batch : (i + 1) * batch]
    return whole[(slice(None), *(slice(b, n - e) for n, (b, e) in zip(sizes, crops)))]


def _reference_of_size(reference: Callable[..., Any]) -> Callable[..., Any]:
    def sized(x: np.ndarray, borders: np.ndarray, *, block_size: int) -> np.ndarray:
        return reference(x, [block_size, block_size], borders)

    return sized


_ND = "T: type, Tblock_shape: {{int32, int64}} = int32, {}: {{int32, int64}} = int32"
register_op(
    "SpaceToBatchND",
    inputs="input: T, block_shape: Tblock_shape, paddings: Tpaddings",
    outputs="output: T",
    attrs=_ND.format("Tpaddings"),
    shape=shape_space_to_batch,
    kernel=kernel_space_to_batch_nd,
    gradient=gradient_space_to_batch_nd,
    concrete=("block_shape", "paddings"),
    reference=reference_space_to_batch_nd,
    samples=samples_space_to_batch_nd,
)
register_op(
    "BatchToSpaceND",
    inputs="input: T, block_shape: Tblock_shape, crops: Tcrops",
    outputs="output: T",
    attrs=_ND.format("Tcrops"),
    shape=shape_batch_to_space,
    kernel=kernel_batch_to_space_nd,
    gradient=gradient_batch_to_space_nd,
    concrete=("block_shape", "crops"),
    reference=reference_batch_to_space_nd,
    samples=samples_batch_to_space_nd,
)
register_op(
    "SpaceToBatch",
    inputs="input: T, paddings: Tpaddings",
    outputs="output: T",
    attrs="T: type, Tpaddings: {int32, int64} = int32, block_size: int >= 2",
    shape=shape_space_to_batch,
    kernel=_of_size(kernel_space_to_batch_nd, "paddings"),
    gradient=gradient_space_to_batch,
    concrete=("paddings",),
    reference=_reference_of_size(reference_space_to_batch_nd),
    samples=samples_space_to_batch,
)
register_op(
    "BatchToSpace",
    inputs="input: T, crops: Tidx",
    outputs="output: T",
    attrs="T: type, block_size: int >= 2, Tidx: {int32, int64} = int32",
    shape=shape_batch_to_space,
    kernel=_of_size(kernel_batch_to_space_nd, "crops"),
    gradient=gradient_batch_to_space,
    concrete=("crops",),
    reference=_reference_of_size(reference_batch_to_space_nd),
    samples=samples_batch_to_space,
)


# Public functions


@export("space_to_batch_nd", "manip.space_to_batch_nd")
def space_to_batch_nd(
    input: TensorLike, block_shape: TensorLike, paddings: TensorLike, name: str | None = None
) -> Tensor:
    """Cuts space into blocks and moves the places within a block to the batch.

    Args:
        input: a tensor of shape [batch, space..., rest...].
        block_shape: the size of the blocks, one integer per dimension of space.
        paddings: integers of shape [dimensions of space, 2]: zeros put around the space first.
        name: the name of the node.

    Returns:
        A tensor of the same type.

    Raises:
        ValueError: if the blocks do not fit.
    """
    return build.SpaceToBatchND(input, block_shape, paddings, name=name)


@export("batch_to_space_nd", "manip.batch_to_space_nd")
def batch_to_space_nd(
    input: TensorLike, block_shape: TensorLike, crops: TensorLike, name: str | None = None
) -> Tensor:
    """Undoes `tf.space_to_batch_nd`.

    Args:
        input: a tensor of shape [batch, space..., rest...].
        block_shape: the size of the blocks, one integer per dimension of space.
        crops: integers of shape [dimensions of space, 2]: what is cut off at the end.
        name: the name of the node.

    Returns:
        A tensor of the same type.

    Raises:
        ValueError: if the blocks do not fit.
    """
    return build.BatchToSpaceND(input, block_shape, crops, name=name)


@export("space_to_batch", "nn.space_to_batch")
def space_to_batch(
    input: TensorLike,
    paddings: TensorLike,
    block_size: int | None = None,
    name: str | None = None,
    block_shape: TensorLike | None = None,
) -> Tensor:
    """`tf.space_to_batch_nd` for images, with one block size for both dimensions.

    Args:
        input: a tensor of shape [batch, height, width, depth].
        paddings: integers of shape [2, 2].
        block_size: the size of the blocks.
        name: the name of the node.
        block_shape: the newer name of `block_size`.

    Returns:
        A tensor of the same type.
    """
    size = block_size if block_shape is None else block_shape
    return _restored(build.SpaceToBatchND(input, [size, size], paddings, name=name))


@export("batch_to_space")
@signature("input, crops, block_size, name=None, block_shape=None")
def batch_to_space(
    input: TensorLike,
    crops: TensorLike,
    block_size: int | None = None,
    name: str | None = None,
    block_shape: TensorLike | None = None,
) -> Tensor:
    """`tf.batch_to_space_nd` for images, with one block size for both dimensions.

    Args:
        input: a tensor of shape [batch, height, width, depth].
        crops: integers of shape [2, 2].
        block_size: the size of the blocks.
        name: the name of the node.
        block_shape: the newer name of `block_size`.

    Returns:
        A tensor of the same type.
    """
    size = block_size if block_shape is None else block_shape
    return _restored(build.BatchToSpaceND(input, [size, size], crops, name=name))


def _restored(result: Tensor) -> Tensor:
    result.set_shape(result.get_shape().with_rank(4))
    return result


@export("required_space_to_batch_paddings")
def required_space_to_batch_paddings(
    input_shape: TensorLike,
    block_shape: TensorLike,
    base_paddings: TensorLike | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Computes the paddings that make blocks fit, and the crops that undo them.

    Args:
        input_shape: the sizes of space, an integer vector.
        block_shape: the sizes of the blocks, an integer vector.
        base_paddings: integers of shape [dimensions, 2]: paddings that are wanted anyway.
        name: the name scope.

    Returns:
        A tuple `(paddings, crops)` of integers of shape [dimensions, 2].
    """
    with name_scope(name, "required_space_to_batch_paddings", [input_shape, block_shape]):
        sizes = convert_to_tensor(input_shape, dtype="int32", name="input_shape")
        block = convert_to_tensor(block_shape, dtype="int32", name="block_shape")
        count = (block._shape or (None,))[0]
        if count == 0:
            empty = zeros([0, 2], "int32")
            return empty, empty
        if base_paddings is None:
            base = zeros([count, 2], "int32")
        else:
            base = convert_to_tensor(base_paddings, dtype="int32", name="base_paddings")
        known = [constant_value(t) for t in (sizes, block, base)]
        if all(value is not None for value in known):
            sizes, block, base = known  # type: ignore[assignment]
        before, after = base[:, 0], base[:, 1]
        padded = sizes + before + after
        extra = (block - padded % block) % block
        ends = after + extra
        numbers = range(count)  # type: ignore[arg-type]
        pairs = [[before[i], ends[i]] for i in numbers]
        paddings = convert_to_tensor(pairs, name="paddings")
        crops = convert_to_tensor([[0, extra[i]] for i in numbers], name="crops")
        return paddings, crops
