"""Rules for ops that move numbers, and for reductions and products."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.graph.builders import build
from headwater.graph.row_functions.row_op import (
    NotRowWise,
    RowOp,
    Value,
    after_rows,
    prepended,
    row_rule,
    stacked_results,
)

# Shapes


@row_rule("Shape")
def shape(op: RowOp) -> list[Value]:
    whole = build.Shape(op.stacked(0), out_type=op.attr("out_type"))
    dtype = op.attr("out_type").numpy_dtype
    begin, size = np.array([1], dtype), np.array([op.rank(0)], dtype)
    return [Value(build.Slice(whole, begin, size), False)]


@row_rule("Size")
def size(op: RowOp) -> list[Value]:
    parts = shape(op)[0].tensor
    return [Value(build.Prod(parts, np.int32(0)), False)]


@row_rule("Rank")
def rank(op: RowOp) -> list[Value]:
    return [Value(build.Const(value=np.int32(op.rank(0)), dtype=np.int32), False)]


@row_rule("Reshape")
def reshape(op: RowOp) -> list[Value]:
    return op.again([op.stacked(0), prepended(op.size(), op.shared(1))])


@row_rule("ExpandDims")
def expand_dims(op: RowOp) -> list[Value]:
    axis = after_rows(int(op.constant(1).item()))
    return op.again([op.stacked(0), _int32(axis)], Tdim=np.int32)


@row_rule("Squeeze")
def squeeze(op: RowOp) -> list[Value]:
    axes = op.attr("squeeze_dims")
    if not axes:
        sizes = op.shape(0)
        if None in sizes:
            raise NotRowWise
        axes = [i for i, length in enumerate(sizes) if length == 1]
        if not axes:
            return [Value(op.stacked(0), True)]
    return op.again([op.stacked(0)], squeeze_dims=[after_rows(axis) for axis in axes])


@row_rule("Transpose")
def transpose(op: RowOp) -> list[Value]:
    order = op.constant(1) + 1
    return op.again([op.stacked(0), _vector([0, *order])], Tperm=np.int32)


@row_rule("EnsureShape")
def ensure_shape(op: RowOp) -> list[Value]:
    wanted = op.attr("shape")
    return op.again([op.stacked(0)], shape=None if wanted is None else (None, *wanted))


# Joining and taking apart


@row_rule("Pack")
def pack(op: RowOp) -> list[Value]:
    parts = [op.stacked(i) for i in range(len(op.inputs))]
    return op.again(parts, axis=after_rows(op.attr("axis")))


@row_rule("Unpack")
def unpack(op: RowOp) -> list[Value]:
    return op.again([op.stacked(0)], axis=after_rows(op.attr("axis")))


@row_rule("ConcatV2")
def concat_v2(op: RowOp) -> list[Value]:
    last = len(op.inputs) - 1
    axis = after_rows(int(op.constant(last).item()))
    return op.again([*(op.stacked(i) for i in range(last)), _int32(axis)], Tidx=np.int32)


@row_rule("Concat")
def concat(op: RowOp) -> list[Value]:
    axis = after_rows(int(op.constant(0).item()))
    return op.again([_int32(axis), *(op.stacked(i) for i in range(1, len(op.inputs)))])


@row_rule("Split")
def split(op: RowOp) -> list[Value]:
    return op.again([_int32(after_rows(int(op.constant(0).item()))), op.stacked(1)])


@row_rule("SplitV")
def split_v(op: RowOp) -> list[Value]:
    axis = after_rows(int(op.constant(2).item()))
    return op.again([op.stacked(0), op.shared(1), _int32(axis)])


@row_rule("Slice")
def slice_(op: RowOp) -> list[Value]:
    if op.inputs[1].stacked:
        return op.in_rows([op.stacked(0), op.stacked(1), op.shared(2)])
    begin = prepended(np.array([0]), op.shared(1))
    return op.again([op.stacked(0), begin, prepended(np.array([-1]), op.shared(2))])


@row_rule("StridedSlice")
def strided_slice(op: RowOp) -> list[Value]:
    bounds = [prepended(np.array([n]), op.shared(i)) for i, n in ((1, 0), (2, 0), (3, 1))]
    masks = {
        "begin_mask": op.attr("begin_mask") << 1 | 1,
        "end_mask": op.attr("end_mask") << 1 | 1,
        "ellipsis_mask": op.attr("ellipsis_mask") << 1,
        "new_axis_mask": op.attr("new_axis_mask") << 1,
        "shrink_axis_mask": op.attr("shrink_axis_mask") << 1,
    }
    return op.again([op.stacked(0), *bounds], **masks)


@row_rule("Pad", "PadV2", "MirrorPad")
def pad(op: RowOp) -> list[Value]:
    paddings = prepended(np.zeros((1, 2), np.int64), op.shared(1))
    rest = [op.shared(i) for i in range(2, len(op.inputs))]
    return op.again([op.stacked(0), paddings, *rest])


@row_rule("Tile")
def tile(op: RowOp) -> list[Value]:
    return op.again([op.stacked(0), prepended(np.array([1]), op.shared(1))])


@row_rule("OneHot")
def one_hot(op: RowOp) -> list[Value]:
    settings = [op.shared(i) for i in (1, 2, 3)]
    return op.again([op.stacked(0), *settings], axis=after_rows(op.attr("axis")))


@row_rule("Gather")
def gather(op: RowOp) -> list[Value]:
    return op.again([op.shared(0), op.stacked(1)])


@row_rule("GatherV2")
def gather_v2(op: RowOp) -> list[Value]:
    axis = int(op.constant(2).item())
    if op.attr("batch_dims"):
        raise NotRowWise
    if not op.inputs[0].stacked:
        if axis:
            raise NotRowWise
        return op.again([op.shared(0), op.stacked(1), op.shared(2)])
    moved = _int32(after_rows(axis))
    return op.again([op.stacked(0), op.shared(1), moved], Taxis=np.int32)


@row_rule("ReverseV2")
def reverse(op: RowOp) -> list[Value]:
    axes = [after_rows(int(axis)) for axis in op.constant(1)]
    return op.again([op.stacked(0), _vector(axes)], Tidx=np.int32)


# Reductions


@row_rule("Sum", "Prod", "Max", "Min", "Mean", "All", "Any")
def reduction(op: RowOp) -> list[Value]:
    axes = np.atleast_1d(op.constant(1))
    if not len(axes):
        return op.again([op.stacked(0), _vector([])], Tidx=np.int32)
    count = op.rank(0)
    chosen = sorted({int(axis) % count + 1 for axis in axes}) if count else []
    if len(chosen) > 1 and op.op._outputs[0]._dtype.is_floating:
        return _of_all_numbers(op, len(chosen))
    return op.again([op.stacked(0), _vector(chosen)], Tidx=np.int32)


def _of_all_numbers(op: RowOp, axes: int) -> list[Value]:
    """A reduction of all numbers of an element: in the order in which NumPy takes them."""
    if axes != op.rank(0):
        raise NotRowWise
    flat = build.Reshape(op.stacked(0), build.ConcatV2([op.size(), _vector([-1])], np.int32(0)))
    reduced = op.again([flat, _vector([1])], Tidx=np.int32, keep_dims=False)
    tensor = reduced[0].tensor
    for _ in range(axes if op.attr("keep_dims") else 0):
        tensor = build.ExpandDims(tensor, np.int32(-1))
    return [Value(tensor, True)]


@row_rule("ArgMax", "ArgMin")
def arg_reduction(op: RowOp) -> list[Value]:
    axis = after_rows(int(op.constant(1).item()))
    return op.again([op.stacked(0), _int32(axis)], Tidx=np.int32)


@row_rule("Cumsum", "Cumprod")
def cumulative(op: RowOp) -> list[Value]:
    axis = after_rows(int(op.constant(1).item()))
    return op.again([op.stacked(0), _int32(axis)], Tidx=np.int32)


@row_rule("Softmax", "LogSoftmax", "TopKV2")
def along_last_axis(op: RowOp) -> list[Value]:
    return op.again([op.stacked(0), *(op.shared(i) for i in range(1, len(op.inputs)))])


# Products


@row_rule("MatMul")
def matmul(op: RowOp) -> list[Value]:
    if op.attr("T").is_complex:
        raise NotRowWise
    first, second = op.inputs[0].tensor, op.inputs[1].tensor
    adjoints = {"adj_x": op.attr("transpose_a"), "adj_y": op.attr("transpose_b")}
    return stacked_results(build.BatchMatMulV2(first, second, **adjoints))


@row_rule("BatchMatMulV2")
def batch_matmul(op: RowOp) -> list[Value]:
    count = max(op.rank(0), op.rank(1))
    return op.again([op.lifted(0, count), op.lifted(1, count)])


def _int32(value: int) -> Any:
    return build.Const(value=np.int32(value), dtype=np.int32)


def _vector(values: Any) -> Any:
    return build.Const(value=np.array(values, np.int32).reshape(-1), dtype=np.int32)
