"""Cutting tensors into pieces along a dimension: Split and SplitV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from headwater.base.checks import fail
from headwater.base.older_calls import inserted, renamed
from headwater.base.signatures import signature
from headwater.base.typing import Array, ArrayModule, AxisLike, NestedTensors, Shape, TensorLike
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
    shapes,
)


def _axis(c: shapes.ShapeContext, name: str, rank: int) -> int | None:
    """The axis that a scalar input gives; None if it is not known."""
    value = c.value(name)
    if value is None:
        return None
    axis = int(value)
    if not -rank <= axis < rank:
        c.fail(f"Dimension size, given by scalar input {axis} must be in range [-{rank}, {rank})")
    return axis % rank


def shape_split(c: shapes.ShapeContext) -> list[Shape]:
    shape, count = c.shape("value"), c.attr("num_split")
    c.with_rank("split_dim", 0)
    if shape is None:
        return [None] * count
    axis = _axis(c, "split_dim", len(shape))
    if axis is None:
        return [(None,) * len(shape)] * count
    size = shape[axis]
    if size is not None and size % count:
        c.fail(
            f"Dimension size must be evenly divisible by {count} but is {size}\n"
            "\tNumber of ways to split should evenly divide the split dimension"
        )
    part = None if size is None else size // count
    return [(*shape[:axis], part, *shape[axis + 1 :])] * count


def kernel_split(
    xp: ArrayModule, split_dim: np.ndarray, value: Array, *, num_split: int
) -> list[Array]:
    if split_dim.ndim:
        fail(f"split_dim must be a scalar but has rank {split_dim.ndim}")
    rank, axis = len(value.shape), int(split_dim)
    if not -rank <= axis < rank:
        fail(f"-input rank(-{rank}) <= split_dim < input rank ({rank}), but got {axis}")
    axis %= rank
    size = value.shape[axis]
    if size % num_split:
        fail(
            "Number of ways to split should evenly divide the split dimension, but got split_dim "
            f"{axis} (size = {size}) and num_split {num_split}"
        )
    return list(xp.split(value, num_split, axis))


def gradient_split(op: Operation, *grads: Tensor) -> tuple[Tensor | None, ...]:
    return None, _joined(grads, op.inputs[0])


def _joined(parts: Sequence[Tensor | IndexedSlices], axis: Tensor) -> Tensor:
    """The parts in one tensor again, with the nodes of tf.concat."""
    if len(parts) == 1:
        with name_scope("concat"):
            return build.Identity(parts[0], name="concat")
    return build.ConcatV2(list(parts), axis, name="concat")


def samples_split() -> Iterator[Sample]:
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    yield Sample(np.int32(1), x, num_split=2)
    yield Sample(np.int32(-2), x, num_split=3)
    yield Sample(np.int32(0), np.array([1, 2], np.int64), num_split=1)


register_op(
    "Split",
    inputs="split_dim: int32, value: T",
    outputs="output: num_split * T",
    attrs="num_split: int >= 1, T: type",
    shape=shape_split,
    kernel=kernel_split,
    gradient=gradient_split,
    concrete=("split_dim",),
    reference=lambda split_dim, value, *, num_split: np.split(value, num_split, int(split_dim)),
    samples=samples_split,
)


def shape_split_v(c: shapes.ShapeContext) -> list[Shape]:
    shape, count = c.shape("value"), c.attr("num_split")
    c.with_rank("split_dim", 0)
    if shape is None:
        return [None] * count
    sizes = c.value("size_splits")
    axis = _axis(c, "split_dim", len(shape))
    if axis is None:
        return [(None,) * len(shape)] * count
    if sizes is None:
        return [(*shape[:axis], None, *shape[axis + 1 :])] * count
    wanted: list[int | None] = [int(size) for size in sizes]
    if wanted.count(-1) > 1:
        c.fail("size_splits can only have one -1")
    size = shape[axis]
    total = sum(part for part in wanted if part != -1)  # type: ignore[misc]
    if size is not None and (total > size if -1 in wanted else total != size):
        pieces = ",".join(map(str, wanted))
        c.fail(f"can't split axis of size {size} into pieces of size [{pieces}]")
    rest = None if size is None else size - total
    parts = [rest if part == -1 else part for part in wanted]
    return [(*shape[:axis], part, *shape[axis + 1 :]) for part in parts]


def kernel_split_v(
    xp: ArrayModule, value: Array, size_splits: np.ndarray, split_dim: np.ndarray, *, num_split: int
) -> list[Array]:
    if split_dim.size != 1:
        fail("split_dim_tensor must have exactly one element.")
    rank, axis = len(value.shape), int(split_dim.item())
    if size_splits.ndim != 1 or len(size_splits) != num_split:
        fail(
            "size of the split_tensor must be 1-D and have the same elements as outputs got shape "
            f"{shapes.show(size_splits.shape)} and {num_split} outputs"
        )
    if not -rank <= axis < rank:
        fail(f"-input rank(-{rank}) <= split_dim < input rank ({rank}), but got {axis}")
    axis %= rank
    sizes, size = size_splits.tolist(), value.shape[axis]
    if sizes.count(-1) > 1:
        fail("There can only be one -1 in the input.")
    negative = next((i for i, part in enumerate(sizes) if part < -1), None)
    if negative is not None:
        fail(f"Split size at index {negative} must be >= 0. Got: {sizes[negative]}")
    total = sum(part for part in sizes if part != -1)
    if total > size if -1 in sizes else total != size:
        fail(
            "Determined shape must either match input shape along split_dim exactly if fully "
            "specified, or be less than the size of the input along split_dim if not fully "
            f"specified.  Got: {total}"
        )
    sizes = [size - total if part == -1 else part for part in sizes]
    return list(xp.split(value, np.cumsum(sizes)[:-1].tolist(), axis))


def gradient_split_v(op: Operation, *grads: Tensor) -> tuple[Tensor | None, ...]:
    return _joined(grads, op.inputs[2]), None, None


def samples_split_v() -> Iterator[Sample]:
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    yield Sample(x, np.array([1, 3], np.int32), np.int32(1), num_split=2)
    yield Sample(x, np.array([0, -1, 2], np.int64), np.int32(-1), num_split=3)
    yield Sample(x, np.array([3], np.int64), np.int32(0), num_split=1)


def reference_split_v(
    value: np.ndarray, size_splits: np.ndarray, split_dim: np.ndarray
) -> list[np.ndarray]:
    rest = value.shape[int(split_dim)] - size_splits[size_splits >= 0].sum()
    ends = np.cumsum(np.where(size_splits < 0, rest, size_splits))
    return np.split(value, ends[:-1], int(split_dim))


register_op(
    "SplitV",
    inputs="value: T, size_splits: Tlen, split_dim: int32",
    outputs="output: num_split * T",
    attrs="num_split: int >= 1, T: type, Tlen: {int32, int64} = int64",
    shape=shape_split_v,
    kernel=kernel_split_v,
    gradient=gradient_split_v,
    concrete=("size_splits", "split_dim"),
    reference=reference_split_v,
    samples=samples_split_v,
)


@export("split", "split_v")
@signature("value, num_or_size_splits, axis=0, num=None, name='split'")
@renamed(size_splits="num_or_size_splits")
@inserted(3, None)
def split(
    value: TensorLike | None = None,
    num_or_size_splits: NestedTensors | None = None,
    axis: AxisLike | None = None,
    num: int | None = None,
    name: str = "split",
    split_dim: AxisLike | None = None,
    num_split: int | None = None,
) -> list[Tensor]:
    """Cuts a tensor into pieces along a dimension.

    `split(split_dim, num_split, value)` of older programs works too.

    Args:
        value: a tensor.
        num_or_size_splits: the number of equal pieces, or the sizes of the pieces, one of which
            may be -1.
        axis: the dimension; the first if None.
        num: the number of pieces, where the sizes are a tensor of unknown length.
        name: the name of the node.
        split_dim: the older name of `axis`.
        num_split: the older name of `num_or_size_splits`.

    Returns:
        A list of tensors.

    Raises:
        ValueError: if the sizes do not fit, or their number is not known.

    Example:
        >>> first, second = tf.split([1, 2, 3, 4], 2)
        >>> print(session.run(second))
        [3 4]
    """
    if num_split is not None:
        num_or_size_splits = num_split
    if split_dim is not None:
        axis = split_dim
    elif _is_old_order(value, axis):
        value, axis = axis, value
    axis = 0 if axis is None else axis
    sizes = convert_to_tensor(num_or_size_splits)
    if sizes._shape == () and sizes.dtype.is_integer:
        return build.Split(axis, value, num_split=num_or_size_splits, name=name)
    if sizes._shape == ():
        raise ValueError(
            "Rank-0 tensors are not supported as the num_or_size_splits argument to split. "
            f"Argument provided: {num_or_size_splits}"
        )
    if num is None:
        length = sizes._shape
        if length is None or length[0] is None:
            raise ValueError(f"Cannot infer num from shape {num_or_size_splits}")
        num = length[0]
    return build.SplitV(value, sizes, axis, num_split=num, name=name)


def _is_old_order(first: TensorLike, third: TensorLike | None) -> bool:
    """Whether the arguments are (dimension, number, value): the dimension is a scalar."""
    return third is not None and _is_scalar(first) and not _is_scalar(third)


def _is_scalar(value: TensorLike) -> bool:
    if isinstance(value, Tensor):
        return value._shape == ()
    return isinstance(value, (int, np.integer)) or getattr(value, "shape", None) == ()
