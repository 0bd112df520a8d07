"""Slices of a given begin and size: Slice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.checks import ValueNeeded, require
from headwater.base.lazy import lax
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    Operation,
    RunsOn,
    Sample,
    Tensor,
    build,
    constant_elements,
    convert_to_tensor,
    export,
    rank_tensor,
    register_op,
    shape_tensor,
    shapes,
)


def shape_slice(c: shapes.ShapeContext) -> Shape:
    begin_shape = c.with_rank("begin", 1)
    size_shape = c.with_rank("size", 1)
    count = c.merge(begin_shape, size_shape)[0]
    source = c.shape("input")
    if source is not None and count is not None and len(source) != count:
        c.fail(f"Shape must be rank {count} but is rank {len(source)}")
    if source is None and count is not None:
        source = (None,) * count
    if source is None:
        return None
    sizes = constant_elements(c.inputs[2])
    begins = constant_elements(c.inputs[1])
    c.value_as_shape("size")
    if sizes is None:
        return (None,) * len(source)
    begins = begins or [None] * len(source)
    if -1 in sizes:
        c.value_as_shape("begin")
    return tuple(_size(c, *one) for one in zip(source, begins, sizes))


def _size(
    c: shapes.ShapeContext, whole: int | None, begin: int | None, size: int | None
) -> int | None:
    if size is None or size >= 0:
        return size
    if whole is None or begin is None:
        return None
    if whole < begin:
        c.fail(f"Negative dimension size caused by subtracting {begin} from {whole}")
    return whole - begin


def kernel_slice(
    xp: ArrayModule, x: Array, begin: Array, size: np.ndarray, *, op: Operation | None = None
) -> Array:
    shape = x.shape
    if begin.shape != (len(shape),) or size.shape != (len(shape),):
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Expected begin and size arguments to be 1-D tensors of size {len(shape)}, but got "
            f"shapes {shapes.show(begin.shape)} and {shapes.show(size.shape)} instead.",
        )
    if isinstance(begin, np.ndarray):
        starts = begin.tolist()
        sizes = [n - b if s == -1 else s for n, b, s in zip(shape, starts, size.tolist())]
        for i, (whole, start, length) in enumerate(zip(shape, starts, sizes)):
            _check(i, whole, start, length)
        ends = [b + s for b, s in zip(starts, sizes)]
        if xp is np:
            return x[tuple(map(slice, starts, ends))]
        return lax.slice(x, starts, ends)
    return _slice_at_traced(xp, x, begin, size.tolist(), op)


def rows_of_slice(xp: ArrayModule, rows: Array, x: Array, begin: Array, size: Array) -> Array:
    """Slices of one size that begin elsewhere in each row."""
    spare = np.subtract(x.shape[1:], size)
    if (size < 0).any() or (begin < 0).any() or (begin > spare).any():
        raise errors.InvalidArgumentError(None, None, "A slice is out of range.")
    if not size.size:
        return x
    axes = tuple(range(1, x.ndim))
    windows = np.lib.stride_tricks.sliding_window_view(x, tuple(size.tolist()), axes)
    result: Array = windows[(np.arange(len(x)), *begin.T)]
    return result


def _check(axis: int, whole: int, start: int, length: int) -> None:
    if not 0 <= start <= whole:
        raise errors.InvalidArgumentError(
            None, None, f"Expected begin[{axis}] in [0, {whole}], but got {start}"
        )
    if not 0 <= start + length <= whole or length < 0:
        raise errors.InvalidArgumentError(
            None, None, f"Expected size[{axis}] in [0, {whole - start}], but got {length}"
        )


def _slice_at_traced(xp: ArrayModule, x: Array, begin: Array, sizes: list[int], op: Any) -> Array:
    """A slice with a dynamic begin."""
    known = constant_elements(op.inputs[1]) if op is not None else None
    known = known or [None] * len(sizes)
    for i, (whole, start) in enumerate(zip(x.shape, known)):
        if sizes[i] != -1:
            continue
        if start is None:
            raise ValueNeeded("begin")
        sizes[i] = whole - start
    limits = np.array([whole - size for whole, size in zip(x.shape, sizes)])
    require(
        xp,
        xp.logical_and(begin >= 0, begin <= limits),
        # Not reached: compiled programs fail on the host, where the begin is known.
        lambda: errors.InvalidArgumentError(None, None, "Expected begin and size in range"),
    )
    return lax.dynamic_slice(x, tuple(begin), sizes)


def gradient_slice(op: Operation, grad: Tensor) -> tuple[Tensor | None, ...]:
    x, begin = op.inputs[0], op.inputs[1]
    rank = rank_tensor(x)
    size = shape_tensor(op.outputs[0], out_type=begin.dtype)
    column = convert_to_tensor([rank, 1], name="stack")
    before = build.Reshape(begin, column)
    whole = shape_tensor(x, out_type=begin.dtype)
    after = build.Sub(build.Sub(whole, size, name="sub"), begin, name="sub")
    paddings = build.ConcatV2([before, build.Reshape(after, column)], 1, name="concat")
    return build.Pad(grad, paddings), None, None


def samples_slice() -> Iterator[Sample]:
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    for index in (np.int32, np.int64):
        yield Sample(x, np.array([0, 1, 2], index), np.array([2, 1, 2], index))
        yield Sample(x, np.array([1, 0, 4], index), np.array([-1, 2, 0], index))
    yield Sample(np.int32(7), np.array([], np.int32), np.array([], np.int32))


def reference_slice(x: np.ndarray, begin: np.ndarray, size: np.ndarray) -> np.ndarray:
    for axis, (start, length) in enumerate(zip(begin, size)):
        stop = x.shape[axis] if length == -1 else start + length
        x = np.take(x, np.arange(start, stop), axis)
    return x


register_op(
    "Slice",
    inputs="input: T, begin: Index, size: Index",
    outputs="output: T",
    attrs="T: type, Index: {int32, int64}",
    shape=shape_slice,
    kernel=kernel_slice,
    row_kernel=rows_of_slice,
    gradient=gradient_slice,
    concrete=("size",),
    runs_on=RunsOn.HOST_UNLESS_KNOWN,
    reference=reference_slice,
    samples=samples_slice,
    quick_on_host=True,
)


@export("slice")
def slice_(
    input_: TensorLike, begin: TensorLike, size: TensorLike, name: str | None = None
) -> Tensor:
    """Returns the part of a tensor that begins at `begin` and has the size `size`.

    Args:
        input_: a tensor.
        begin: an integer vector, one element per dimension.
        size: an integer vector; -1 means up to the end.
        name: the name of the node.

    Returns:
        A tensor of the same rank.

    Raises:
        InvalidArgumentError: from `Session.run` if the part does not lie inside.

    Example:
        >>> print(tf.slice([[1, 2, 3], [4, 5, 6]], [0, 1], [2, -1]).eval())
        [[2 3]
         [5 6]]
    """
    return build.Slice(input_, begin, size, name=name)
