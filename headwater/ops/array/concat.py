"""Joining tensors along a dimension: ConcatV2, Concat, ConcatOffset."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.checks import fail
from headwater.base.signatures import signature
from headwater.base.typing import Array, ArrayModule, AxisLike, NestedTensors, Shape, TensorLike
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    IndexedSlices,
    Operation,
    Sample,
    Tensor,
    build,
    constant_node,
    constant_value,
    convert_to_tensor,
    export,
    name_scope,
    rank_tensor,
    register_op,
    shape_tensor,
    shapes,
)
from headwater.graph.control_flow.util import output_context
from headwater.ops.array.concat_shape import shape_concat
from headwater.ops.array.concatenation import concatenated

# With more inputs than this, the gradient splits instead of slicing, as TensorFlow does.
_MOST_SLICES = 16


def kernel_concat_v2(xp: ArrayModule, values: list[Any], axis: np.ndarray) -> Array:
    if axis.ndim:
        fail(f"axis tensor should be a scalar integer, but got shape {shapes.show(axis.shape)}")
    rank, dim, first = len(values[0].shape), int(axis), values[0].shape
    if not -rank <= dim < rank:
        fail(
            f"ConcatOp : Expected concatenating dimensions in the range [{-rank}, {rank}), "
            f"but got {dim}"
        )
    dim %= rank
    if xp is np:
        with suppress(ValueError):
            return np.concatenate(values, dim)
    for i, value in enumerate(values):
        shape = value.shape
        pair = f"shape[0] = {shapes.show(first)} vs. shape[{i}] = {shapes.show(shape)}"
        if len(shape) != rank:
            fail(f"ConcatOp : Ranks of all input tensors should match: {pair}")
        if any(x != y for j, (x, y) in enumerate(zip(first, shape)) if j != dim):
            fail(f"ConcatOp : Dimensions of inputs should match: {pair}")
    return concatenated(xp, values, dim)


def gradient_concat_v2(op: Operation, grad: TensorLike) -> list[Tensor | IndexedSlices | None]:
    return [*_gradients(grad, op.inputs[:-1], op.inputs[-1]), None]


def gradient_concat(op: Operation, grad: TensorLike) -> list[Tensor | None]:
    return [None, *_gradients(grad, op.inputs[1:], op.inputs[0])]


def _gradients(grad: TensorLike, values: Sequence[Tensor], axis: Tensor) -> list[Any]:
    if len(values) == 1:
        return [grad]
    if (
        isinstance(grad, Tensor)
        and axis.op.type == "Const"
        and output_context(grad.op) is not output_context(axis.op)
    ):
        # In a gradient loop, a new constant avoids an Enter of the axis from outside.
        axis = constant_node(constant_value(axis), axis.dtype)
    if axis.dtype is not dtypes.int32:
        axis = build.Cast(axis, DstT=dtypes.int32)
    given = constant_value(axis) if isinstance(grad, IndexedSlices) else None
    axis = build.FloorMod(axis, rank_tensor(values[0]), name="mod")
    if isinstance(grad, IndexedSlices):
        return _sparse_gradients(grad, values, axis, given)
    sizes = _input_shapes(values)
    if len(values) > _MOST_SLICES:
        along = build.Slice(build.Pack(sizes, axis=1, name="stack"), [axis, 0], [1, -1])
        lengths = build.Squeeze(along)
        return build.SplitV(grad, lengths, axis, num_split=len(values), name="split")
    offsets = build.ConcatOffset(axis, sizes)
    return [build.Slice(grad, begin, size) for begin, size in zip(offsets, sizes)]


def _input_shapes(values: Sequence[Tensor]) -> list[Tensor]:
    """The shapes as constants if all are known, else as outputs of one ShapeN node."""
    found = []
    for value in values:
        found.append(shape_tensor(value))
        if found[-1].op.type != "Const":
            return build.ShapeN(list(values))
    return found


def _sparse_gradients(
    grad: IndexedSlices, values: Sequence[Tensor], axis: Tensor, given: Array | None
) -> list[IndexedSlices]:
    """The parts of a sparse gradient; `given` is the axis before normalization."""
    if given is None:
        raise ValueError("Can only compute IndexedSlices gradient with statically-known concat_dim")
    if given < 0:
        given = constant_value(axis)
        if given is None:
            raise ValueError(
                "Can only compute IndexedSlices gradient with negative concat_dim when first "
                "value rank is statically-known."
            )
    if given:
        return _column_parts(grad, values, axis)
    sizes = [shape_tensor(value) for value in values]
    start = constant_node(0, grad.indices.dtype)
    result = []
    for size in sizes:
        rows = build.GatherV2(size, axis, 0)
        if rows.dtype is not grad.indices.dtype:
            rows = build.Cast(rows, DstT=grad.indices.dtype)
        end = build.AddV2(start, rows, name="add")
        inside = build.LogicalAnd(
            build.GreaterEqual(grad.indices, start), build.Less(grad.indices, end)
        )
        chosen = build.Squeeze(build.Where(inside), squeeze_dims=[1])
        indices = build.Sub(build.GatherV2(grad.indices, chosen, 0), start, name="sub")
        result.append(IndexedSlices(build.GatherV2(grad.values, chosen, 0), indices, size))
        start = end
    return result


def _column_parts(
    grad: IndexedSlices, values: Sequence[Tensor], axis: Tensor
) -> list[IndexedSlices]:
    """The parts of a sparse gradient that was joined along an inner dimension."""
    sizes = [shape_tensor(value) for value in values]
    rank = shape_tensor(sizes[0])
    zeros_before = build.Fill(build.ExpandDims(axis, 0), 0)
    left = build.Sub(build.Sub(rank, axis, name="sub"), 1, name="sub")
    mask = build.ConcatV2([zeros_before, [1], build.Fill(left, 0)], 0, name="concat")
    begin = build.Fill(rank, 0)
    result = []
    for size in sizes:
        # The values hold only some of the rows, so all of them are taken.
        rest = build.Slice(size, [1], [-1])
        extent = build.ConcatV2([[-1], rest], 0, name="concat")
        part = build.Slice(grad.values, begin, extent)
        begin = build.Add(begin, build.Mul(size, mask, name="mul"))
        result.append(IndexedSlices(part, grad.indices, size))
    return result


def samples_concat_v2() -> Iterator[Sample]:
    for _, values, axis in _samples():
        yield Sample(values, axis)


def samples_concat() -> Iterator[Sample]:
    for _, values, axis in _samples():
        yield Sample(np.int32(axis), values)


def _samples() -> Iterator[Any]:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    yield 0, [x, x[:1] + 10], np.int32(0)
    yield 1, [x, x[:, :1], x[:, :0]], np.int32(1)
    yield 2, [x, x * 2], np.int32(-1)
    yield 3, [np.array([1, 2], np.int64), np.array([3], np.int64)], np.int32(0)


register_op(
    "ConcatV2",
    inputs="values: N * T, axis: Tidx",
    outputs="output: T",
    attrs="N: int >= 2, T: type, Tidx: {int32, int64} = int32",
    shape=lambda c: shape_concat(c, "axis"),
    kernel=kernel_concat_v2,
    gradient=gradient_concat_v2,
    concrete=("axis",),
    reference=lambda values, axis: np.concatenate(values, int(axis)),
    samples=samples_concat_v2,
)
register_op(
    "Concat",
    inputs="concat_dim: int32, values: N * T",
    outputs="output: T",
    attrs="N: int >= 2, T: type",
    shape=lambda c: shape_concat(c, "concat_dim"),
    kernel=lambda xp, concat_dim, values: kernel_concat_v2(xp, values, concat_dim),
    gradient=gradient_concat,
    concrete=("concat_dim",),
    reference=lambda concat_dim, values: np.concatenate(values, int(concat_dim)),
    samples=samples_concat,
)


def shape_concat_offset(c: shapes.ShapeContext) -> list[Shape]:
    c.with_rank("concat_dim", 0)
    return c.shape("shape")


def kernel_concat_offset(
    xp: ArrayModule, concat_dim: np.ndarray, shape: list[np.ndarray]
) -> list[Array]:
    if concat_dim.ndim != 0:
        fail(
            "Concat dim tensor should be a scalar integer, but got shape "
            f"{shapes.show(concat_dim.shape)}"
        )
    for i, sizes in enumerate(shape):
        if sizes.ndim != 1:
            fail(f"input {i + 1} should be a vector, but got shape {shapes.show(sizes.shape)}")
    rank, axis = len(shape[0]), int(concat_dim)
    if not -rank <= axis < rank:
        fail(f"Concat dim is out of range: {axis} vs. {rank}")
    axis %= rank
    offset = np.zeros(rank, np.int32)
    result = []
    for i, sizes in enumerate(shape):
        if len(sizes) != rank:
            fail(f"input {i} should contain {rank} elements, but got {len(sizes)}")
        if any(x != y for j, (x, y) in enumerate(zip(shape[0], sizes)) if j != axis):
            first, other = (" ".join(map(str, s)) for s in (shape[0], sizes))
            fail(
                f"All dimensions except {axis} must match. Input {i} has shape [{other}] and "
                f"doesn't match input 0 with shape [{first}]."
            )
        result.append(offset)
        offset = offset.copy()
        offset[axis] += sizes[axis]
    return result


def samples_concat_offset() -> Iterator[Sample]:
    sizes = [np.array(s, np.int32) for s in ([2, 2], [2, 3], [2, 5])]
    yield Sample(np.int32(1), sizes)
    yield Sample(np.int32(-1), sizes[:2])


def reference_concat_offset(concat_dim: np.ndarray, shape: list[np.ndarray]) -> list[np.ndarray]:
    table = np.zeros((len(shape), len(shape[0])), np.int32)
    table[1:, int(concat_dim)] = np.cumsum([s[int(concat_dim)] for s in shape])[:-1]
    return list(table)


register_op(
    "ConcatOffset",
    inputs="concat_dim: int32, shape: N * int32",
    outputs="offset: N * int32",
    attrs="N: int >= 2",
    shape=shape_concat_offset,
    kernel=kernel_concat_offset,
    gradient=NOT_DIFFERENTIABLE,
    concrete=("concat_dim", "shape"),
    reference=reference_concat_offset,
    samples=samples_concat_offset,
)


@export("concat", "concat_v2")
@signature("values, axis, name='concat'")
def concat(
    values: NestedTensors,
    axis: AxisLike | None = None,
    name: str = "concat",
    concat_dim: AxisLike | None = None,
) -> Tensor:
    """Joins tensors along a dimension; `concat(axis, values)` of older programs works too.

    Args:
        values: a list of tensors of one type that differ in one dimension only.
        axis: that dimension.
        name: the name of the node.
        concat_dim: the older name of `axis`.

    Returns:
        A tensor of the same type.

    Raises:
        ValueError: if the static shapes do not fit.

    Example:
        >>> print(tf.concat([[[1, 2]], [[3, 4]]], axis=1).eval())
        [[1 2 3 4]]
    """
    if concat_dim is not None:
        axis = concat_dim
    elif _is_axis(values) and not _is_axis(axis):
        values, axis = axis, values
    if not isinstance(values, (list, tuple)):
        values = [values]
    if len(values) == 1:
        with name_scope(name):
            shape = convert_to_tensor(axis, name="concat_dim", dtype="int32").get_shape()
            shape.assert_is_compatible_with([])
            return build.Identity(values[0], name=name)
    return build.ConcatV2(values, axis, name=name)


def _is_axis(value: NestedTensors) -> bool:
    """Whether an argument is an axis (an integer scalar) and not a list of tensors."""
    if isinstance(value, Tensor):
        return value._shape == () and value.dtype.is_integer
    return isinstance(value, (int, np.integer)) or (
        isinstance(value, np.ndarray) and value.ndim == 0
    )
