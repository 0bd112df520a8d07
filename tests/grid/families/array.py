"""Ops that move elements."""

import numpy as np

import cases as grid
from cases import (
    Call, Case, Cast, Ref, Var, extreme, f32, family, filled, i32, i64, numbers, special, strings,
    types_of,
)  # fmt: skip

# One dtype of each class: ops that only move elements treat all dtypes alike.
SOME = ("float32", "float64", "float16", "int32", "int64", "uint8", "bool", "complex64", "string")


def some(op, attr="T"):
    return [d for d in types_of(op, attr) if d in SOME]


@family("array", "Concat ConcatV2")
def concat(op):
    def case(axis, values, kind="ordinary"):
        if op == "Concat":
            return Case(op, axis, values, kind=kind)
        return Case(op, values, axis, kind=kind)

    for dtype in types_of(op, "T"):
        x = numbers(op, 2, 3, dtype=dtype)
        y = numbers(op, 2, 1, dtype=dtype, seed=1)
        yield case(i32(1), [x, y])
        yield case(i32(0), [x, x[:1], x[:0]], "empty")
        yield case(i32(-1), [x, y], "negative axis")
        yield case(i32(0), [x, y], "mismatch")
        yield case(i32(0), [x[0], y[0]])
        yield case(i32(2), [x, x], "bad axis")
        yield case(i32(0), [x[0, 0], x[0, 0]], "scalar")
        yield case(i32([0]), [x, x], "bad axis")


@family("array", "ConcatOffset")
def concat_offset(op):
    yield Case(op, i32(1), [i32([2, 3]), i32([2, 4]), i32([2, 5])])
    yield Case(op, i32(0), [i32([2, 3]), i32([1, 3])])
    yield Case(op, i32(0), [i32([2, 3]), i32([1, 4])], kind="mismatch")
    yield Case(op, i32(3), [i32([2, 3]), i32([1, 4])], kind="bad axis")


@family("array", "Split")
def split(op):
    for dtype in some(op):
        x = numbers(op, 4, 6, dtype=dtype)
        for axis, n in ((0, 2), (1, 3), (-1, 2), (0, 1)):
            yield Case(op, i32(axis), x, num_split=n)
        yield Case(op, i32(0), x[:0], num_split=2, kind="empty")
        yield Case(op, i32(0), x, num_split=3, kind="uneven")
        yield Case(op, i32(2), x, num_split=2, kind="bad axis")


@family("array", "SplitV")
def split_v(op):
    for dtype in some(op):
        x = numbers(op, 4, 6, dtype=dtype)
        for sizes, axis in (([1, 3], 0), ([2, 2, 2], 1), ([1, -1, 2], -1), ([4], 0), ([0, 4], 0)):
            yield Case(op, x, i32(sizes), i32(axis), num_split=len(sizes))
        yield Case(op, x, i64([1, 3]), i32(0), num_split=2)
        yield Case(op, x, i32([1, 2]), i32(0), num_split=2, kind="uneven")
        yield Case(op, x, i32([-1, -1]), i32(0), num_split=2, kind="uneven")
        yield Case(op, x, i32([2, 2]), i32(2), num_split=2, kind="bad axis")


@family("array", "Pack")
def pack(op):
    for dtype in types_of(op):
        x = [numbers(op, 2, 3, dtype=dtype, seed=i) for i in range(3)]
        for axis in (0, 1, 2, -1, -3):
            yield Case(op, x, axis=axis)
        yield Case(op, [v[0, 0] for v in x], kind="scalar")
        yield Case(op, [v[:0] for v in x], kind="empty")
        yield Case(op, x, axis=3, kind="bad axis")
        yield Case(op, [x[0], x[1][:1]], kind="mismatch")


@family("array", "Unpack")
def unpack(op):
    for dtype in types_of(op):
        x = numbers(op, 2, 3, dtype=dtype)
        yield Case(op, x, num=2)
        yield Case(op, x, num=3, axis=1)
        yield Case(op, x, num=3, axis=-1)
        yield Case(op, x[0], num=3, kind="scalar")
        yield Case(op, x[:0], num=0, kind="empty")
        yield Case(op, x, num=3, kind="mismatch")
        yield Case(op, x, num=2, axis=2, kind="bad axis")


@family("array", "ParallelConcat")
def parallel_concat(op):
    for dtype in some(op):
        x = [numbers(op, 1, 3, dtype=dtype, seed=i) for i in range(3)]
        yield Case(op, x, shape=[3, 3])


@family("array", "Reshape")
def reshape(op):
    for dtype in types_of(op, "T"):
        x = numbers(op, 2, 6, dtype=dtype)
        for shape in ([3, 4], [-1], [2, -1, 3], [12], [1, 12, 1]):
            yield Case(op, x, i32(shape))
        yield Case(op, x, i64([4, -1]))
        yield Case(op, x[:1, :1], i32([]), kind="scalar")
        yield Case(op, x[:0], i32([0, 3]), kind="empty")
        yield Case(op, x[:0], i32([-1, 3]), kind="empty")
        yield Case(op, x[:0], i32([-1, 0]), kind="empty")
        yield Case(op, x, i32([5, 2]), kind="mismatch")
        yield Case(op, x, i32([-1, 5]), kind="mismatch")
        yield Case(op, x, i32([-1, -1]), kind="mismatch")
        yield Case(op, x, i32([-2, 6]), kind="mismatch")


@family("array", "ExpandDims Squeeze")
def expand(op):
    for dtype in types_of(op, "T"):
        x = numbers(op, 2, 1, 3, dtype=dtype)
        if op == "ExpandDims":
            for axis in (i32(0), i32(3), i32(-1), i32(-4), i64(1), i32([1])):
                yield Case(op, x, axis)
            yield Case(op, x[0, 0, 0], i32(0), kind="scalar")
            yield Case(op, x, i32(4), kind="bad axis")
            yield Case(op, x, i32(-5), kind="bad axis")
        else:
            for axes in ([], [1], [-2]):
                yield Case(op, x, squeeze_dims=axes)
            yield Case(op, x[:0], kind="empty")
            yield Case(op, x[0, 0, 0], kind="scalar")
            yield Case(op, x, squeeze_dims=[0], kind="bad axis")
            yield Case(op, x, squeeze_dims=[3], kind="bad axis")
            yield Case(op, x[:1, :, :1], squeeze_dims=[0, 2])


@family("array", "Transpose ConjugateTranspose")
def transpose(op):
    for dtype in types_of(op, "T"):
        x = numbers(op, 2, 3, 4, dtype=dtype)
        for order in ([0, 1, 2], [2, 1, 0], [1, 2, 0]):
            yield Case(op, x, i32(order))
        yield Case(op, x, i64([0, 2, 1]))
        if op == "Transpose":  # the other one ends the process
            yield Case(op, x[0, 0, 0], i32([]), kind="scalar")
        yield Case(op, x[:0], i32([2, 0, 1]), kind="empty")
        yield Case(op, x, i32([0, 1]), kind="mismatch")
        yield Case(op, x, i32([0, 1, 1]), kind="bad order")
        yield Case(op, x, i32([0, 1, 3]), kind="bad order")


@family("array", "InvertPermutation")
def invert(op):
    for index in (i32, i64):
        yield Case(op, index([2, 0, 1, 3]))
        yield Case(op, index([]), kind="empty")
        yield Case(op, index([0, 0]), kind="bad order")
        yield Case(op, index([0, 2]), kind="bad order")
        yield Case(op, index([[0, 1]]), kind="bad rank")


@family("array", "Tile")
def tile(op):
    for dtype in some(op):
        x = numbers(op, 2, 3, dtype=dtype)
        for times in ([1, 1], [2, 1], [2, 3], [0, 2]):
            yield Case(op, x, i32(times))
        yield Case(op, x, i64([1, 2]))
        yield Case(op, x[0, 0], i32([]), kind="scalar")
        yield Case(op, x[:0], i32([2, 2]), kind="empty")
        yield Case(op, x, i32([2]), kind="mismatch")
        yield Case(op, x, i32([-1, 2]), kind="negative")


@family("array", "Pad PadV2")
def pad(op):
    for dtype in some(op):
        if dtype == "string":
            continue
        x = numbers(op, 2, 3, dtype=dtype)
        more = [filled(1, dtype)] if op == "PadV2" else []
        yield Case(op, x, i32([[1, 0], [2, 3]]), *more)
        yield Case(op, x, i64([[0, 0], [0, 1]]), *more)
        yield Case(op, x[:0], i32([[1, 1], [0, 0]]), *more, kind="empty")
        yield Case(op, x[0, 0], i32(np.zeros((0, 2))), *more, kind="scalar")
        yield Case(op, x, i32([[1, 0]]), *more, kind="mismatch")
        yield Case(op, x, i32([[1, 0], [-1, 0]]), *more, kind="negative")


@family("array", "MirrorPad")
def mirror_pad(op):
    for dtype in some(op):
        x = numbers(op, 3, 3, dtype=dtype)
        for mode in ("REFLECT", "SYMMETRIC"):
            yield Case(op, x, i32([[1, 0], [2, 2]]), mode=mode)
            yield Case(op, x, i64([[0, 2], [0, 1]]), mode=mode)
            yield Case(op, x[0], i32([[1, 1]]), mode=mode)
            yield Case(op, x, i32([[3, 3], [0, 0]]), mode=mode, kind="large")
            yield Case(op, x, i32([[4, 0], [0, 0]]), mode=mode, kind="large")
            yield Case(op, x, i32([[-1, 0], [0, 0]]), mode=mode, kind="negative")
            yield Case(op, x, i32([[1, 0]]), mode=mode, kind="mismatch")


@family("array", "MirrorPadGrad")
def mirror_pad_gradient(op):
    for dtype in ("float32", "float64", "int32"):
        x = numbers(op, 5, 5, dtype=dtype)
        for mode in ("REFLECT", "SYMMETRIC"):
            yield Case(op, x, i32([[1, 1], [2, 0]]), mode=mode)
            yield Case(op, x[0], i32([[1, 1]]), mode=mode)
            yield Case(op, x, i32([[1, 1]]), mode=mode, kind="mismatch")


@family("array", "Reverse ReverseV2")
def reverse(op):
    for dtype in types_of(op, "T"):
        x = numbers(op, 2, 3, 2, dtype=dtype)
        if op == "ReverseV2":
            for axes in (i32([0]), i32([1, 2]), i32([-1]), i32([]), i64([0, -2])):
                yield Case(op, x, axes)
            yield Case(op, x, i32([3]), kind="bad axis")
            yield Case(op, x, i32([0, 0]), kind="bad axis")
            yield Case(op, x[0, 0, 0], i32([]), kind="scalar")
        else:
            yield Case(op, x, np.array([True, False, True]))
            yield Case(op, x[0], np.array([False, True]))
            yield Case(op, x, np.array([True]), kind="mismatch")


@family("array", "ReverseSequence")
def reverse_sequence(op):
    for dtype in some(op):
        x = numbers(op, 3, 4, 2, dtype=dtype)
        for lengths in (i32([0, 2, 4]), i64([1, 3, 4])):
            yield Case(op, x, lengths, seq_dim=1)
        yield Case(op, x, i32([2, 0, 3, 1]), seq_dim=0, batch_dim=1)
        yield Case(op, x, i32([0, 2, 5]), seq_dim=1, kind="bad length")
        yield Case(op, x, i32([0, -2, 3]), seq_dim=1, kind="bad length")
        yield Case(op, x, i32([0, 2]), seq_dim=1, kind="mismatch")
        yield Case(op, x, i32([0, 2, 1]), seq_dim=0, kind="bad axis")
        yield Case(op, x, i32([0, 2, 1]), seq_dim=3, kind="bad axis")


@family("array", "Roll")
def roll(op):
    for dtype in some(op):
        x = numbers(op, 3, 4, dtype=dtype)
        yield Case(op, x, i32(1), i32(0))
        yield Case(op, x, i32([1, -2]), i32([0, 1]))
        yield Case(op, x, i64([7, 2]), i64([1, 1]))
        yield Case(op, x, i32(-1), i32(-1))
        yield Case(op, x[:0], i32(1), i32(0), kind="empty")
        yield Case(op, x, i32(1), i32(2), kind="bad axis")
        yield Case(op, x, i32([1]), i32([0, 1]), kind="mismatch")
        yield Case(op, x[0, 0], i32(1), i32(0), kind="bad rank")


@family("array", "Slice")
def slice_(op):
    for dtype in some(op):
        x = numbers(op, 3, 4, dtype=dtype)
        for begin, size in (
            ([0, 1], [2, 2]),
            ([1, 0], [-1, -1]),
            ([3, 4], [0, 0]),
            ([0, 0], [3, 4]),
        ):
            yield Case(op, x, i32(begin), i32(size))
        yield Case(op, x, i64([1, 1]), i64([1, -1]))
        yield Case(op, x[0, 0], i32([]), i32([]), kind="scalar")
        yield Case(op, x, i32([2, 0]), i32([2, 1]), kind="out of range")
        yield Case(op, x, i32([-1, 0]), i32([1, 1]), kind="out of range")
        yield Case(op, x, i32([0, 5]), i32([1, -1]), kind="out of range")
        yield Case(op, x, i32([0]), i32([1]), kind="mismatch")
        yield Case(op, x, i32([0, 0]), i32([-2, 1]), kind="out of range")


SLICES = [
    # begin, end, strides and the masks begin, end, ellipsis, new axis, shrink axis
    ([0, 0], [2, 3], [1, 1], {}),
    ([0, 1], [3, 4], [2, 2], {}),
    ([2, 3], [0, 0], [-1, -2], {}),
    ([1, 1], [2, 3], [1, 1], {"begin_mask": 1, "end_mask": 2}),
    ([1], [2], [1], {"shrink_axis_mask": 1}),
    ([-1, -2], [0, 0], [1, 1], {"shrink_axis_mask": 3}),
    ([0, 0, 1], [0, 0, 2], [1, 1, 1], {"ellipsis_mask": 1, "new_axis_mask": 2}),
    ([0, 0], [0, 2], [1, 1], {"ellipsis_mask": 1}),
    ([0, 0], [-100, 100], [-1, 1], {"begin_mask": 1}),
    ([1, 5], [1, 9], [1, 1], {}),
    ([-9, 0], [9, 1], [1, 1], {}),
]
BAD_SLICES = [
    ([0], [1], [0], {}),
    ([5], [6], [1], {"shrink_axis_mask": 1}),
    ([0, 0, 0], [1, 1, 1], [1, 1, 1], {}),
    ([0, 0], [0, 0], [1, 1], {"ellipsis_mask": 3}),
    ([0], [1, 2], [1, 1], {}),
    ([1], [2], [-1], {"shrink_axis_mask": 1}),
]


@family("array", "StridedSlice")
def strided_slice(op):
    for dtype in some(op):
        x = numbers(op, 3, 4, dtype=dtype)
        for begin, end, strides, masks in SLICES:
            yield Case(op, x, i32(begin), i32(end), i32(strides), **masks)
        begin, end, strides, masks = SLICES[1]
        yield Case(op, x, i64(begin), i64(end), i64(strides), **masks)
    for begin, end, strides, masks in BAD_SLICES:
        yield Case(op, x, i32(begin), i32(end), i32(strides), kind="bad slice", **masks)


@family(
    "array",
    "StridedSliceGrad StridedSliceAssign TensorStridedSliceUpdate ResourceStridedSliceAssign",
)
def strided_slice_update(op):
    for dtype in ("float32", "float64", "int32", "complex64"):
        x = numbers(op, 3, 4, dtype=dtype)
        for begin, end, strides, masks in SLICES:
            part = sliced(x, begin, end, strides, masks)
            value = numbers(op, *part.shape, dtype=dtype, seed=1)
            where = [i32(begin), i32(end), i32(strides)]
            if op == "StridedSliceGrad":
                yield Case(op, i32([3, 4]), *where, value, **masks)
                continue
            first = {"StridedSliceAssign": Ref, "ResourceStridedSliceAssign": Var}.get(op)
            first = first(x) if first else x
            kind = "scalar" if part.ndim == 0 else "empty" if part.size == 0 else "ordinary"
            yield Case(op, first, *where, value, kind=kind, **masks)
        bad = [i32([0, 0]), i32([2, 2]), i32([1, 1]), numbers(op, 3, 3, dtype=dtype)]
        first = i32([3, 4]) if op == "StridedSliceGrad" else x
        first = {"StridedSliceAssign": Ref, "ResourceStridedSliceAssign": Var}.get(op, lambda v: v)(
            first
        )
        yield Case(op, first, *bad, kind="mismatch")


def sliced(x, begin, end, strides, masks):
    """NumPy's form of a strided slice."""
    index = []
    for i, (b, e, s) in enumerate(zip(begin, end, strides)):
        bit = 1 << i
        if masks.get("ellipsis_mask", 0) & bit:
            index.append(Ellipsis)
        elif masks.get("new_axis_mask", 0) & bit:
            index.append(None)
        elif masks.get("shrink_axis_mask", 0) & bit:
            index.append(b)
        else:
            first = None if masks.get("begin_mask", 0) & bit else b
            last = None if masks.get("end_mask", 0) & bit else e
            index.append(slice(first, last, s))
    return x[tuple(index)]


@family("array", "Gather GatherV2")
def gather(op):
    def case(x, indices, axis=0, kind="ordinary", **attrs):
        if op == "GatherV2":
            return Case(op, x, indices, i32(axis), kind=kind, **attrs)
        return Case(op, x, indices, kind=kind, **attrs)

    for dtype in types_of(op, "Tparams"):
        x = numbers(op, 4, 3, 2, dtype=dtype)
        for index in (i32, i64):
            yield case(x, index([3, 0, 3]))
        yield case(x, i32(2), kind="scalar")
        yield case(x, i32([[0, 1], [2, 3]]))
        yield case(x, i32([]), kind="empty")
        yield case(x[:0], i32([]), kind="empty")
        yield case(x, i32([0, 4]), kind="out of range")
        yield case(x, i32([-1]), kind="out of range")
        yield case(x[0, 0, 0], i32([0]), kind="bad rank")
        if op == "GatherV2":
            yield case(x, i32([2, 0]), 1)
            yield case(x, i32([[1, 0]]), -1)
            yield case(x, i32([0]), 3, "bad axis")
            yield case(x, i32([[0, 2], [1, 1], [0, 0], [2, 2]]), 1, "attr", batch_dims=1)


@family("array", "GatherNd")
def gather_nd(op):
    for dtype in types_of(op, "Tparams"):
        x = numbers(op, 4, 3, 2, dtype=dtype)
        yield Case(op, x, i32([[3], [0]]))
        yield Case(op, x, i64([[3, 1], [0, 2]]))
        yield Case(op, x, i32([3, 2, 1]), kind="scalar")
        yield Case(op, x, i32([[[0, 0, 0]], [[1, 1, 1]]]))
        yield Case(op, x, i32(np.zeros((0, 2))), kind="empty")
        yield Case(op, x, i32(np.zeros((2, 0))), kind="empty")
        yield Case(op, x, i32([[4, 0]]), kind="out of range")
        yield Case(op, x, i32([[0, -1]]), kind="out of range")
        yield Case(op, x, i32([[0, 0, 0, 0]]), kind="mismatch")


@family("array", "Fill")
def fill(op):
    for dtype in types_of(op, "T"):
        value = numbers(op, dtype=dtype)
        for shape in (i32([2, 3]), i32([]), i32([0, 2]), i64([4])):
            yield Case(op, shape, value)
        yield Case(op, i32([-1]), value, kind="negative")
        yield Case(op, i32([2]), numbers(op, 1, dtype=dtype), kind="bad rank")
        yield Case(op, i32(2), value, kind="bad rank")


@family("array", "BroadcastTo")
def broadcast_to(op):
    for dtype in some(op, "T"):
        x = numbers(op, 2, 1, dtype=dtype)
        for shape in ([2, 3], [4, 2, 1], [2, 1]):
            yield Case(op, x, i32(shape))
        yield Case(op, x, i64([2, 2]))
        yield Case(op, x[0, 0], i32([2, 2]), kind="scalar")
        yield Case(op, x[0, 0], i32([]), kind="scalar")
        yield Case(op, x[0], i32([0]), kind="empty")
        yield Case(op, x, i32([3, 3]), kind="mismatch")
        yield Case(op, x, i32([2]), kind="mismatch")


@family("array", "BroadcastArgs BroadcastGradientArgs")
def broadcast_args(op):
    for index in (i32, i64):
        for x, y in (([2, 3], [2, 3]), ([2, 1, 3], [4, 1]), ([], [3]), ([0], [1]), ([1], [1, 1])):
            yield Case(op, index(x), index(y))
        yield Case(op, index([2]), index([3]), kind="mismatch")


@family("array", "Shape Size Rank ShapeN")
def shape(op):
    for dtype in types_of(op):
        for dims in ((2, 3), (), (0, 4), (1, 2, 3, 4)):
            x = numbers(op, *dims, dtype=dtype)
            x = [x, x] if op == "ShapeN" else x
            yield Case(op, x)
            if op != "Rank":
                yield Case(op, x, out_type="int64", kind="attr")


@family("array", "EnsureShape")
def ensure_shape(op):
    for dtype in types_of(op):
        x = numbers(op, 2, 3, dtype=dtype)
        for dims in ([2, 3], [None, 3], None):
            yield Case(op, x, shape=dims)
        yield Case(op, x, shape=[3, 2], kind="mismatch")
        yield Case(op, x, shape=[None], kind="mismatch")


@family("array", "OneHot")
def one_hot(op):
    for dtype in types_of(op, "T"):
        on, off = filled(1, dtype), filled(0, dtype)
        if dtype == "string":
            on, off = np.array(b"on", object), np.array(b"off", object)
        for index in (i32, i64, lambda v: np.abs(i32(v)).astype(np.uint8)):
            yield Case(op, index([0, 2, -1, 5]), i32(3), on, off)
        yield Case(op, i32([[0, 1], [2, 3]]), i32(4), on, off, axis=1, kind="attr")
        yield Case(op, i32([[0, 1], [2, 3]]), i32(4), on, off, axis=0, kind="attr")
        yield Case(op, i32(1), i32(3), on, off, kind="scalar")
        yield Case(op, i32([]), i32(3), on, off, kind="empty")
        yield Case(op, i32([0, 1]), i32(0), on, off, kind="empty")
        yield Case(op, i32([0]), i32(-1), on, off, kind="negative")
        yield Case(op, i32([0]), i32(3), on, off, axis=2, kind="bad axis")


@family("array", "Bitcast")
def bitcast(op):
    x = numbers(op, 2, 4, dtype="float32")
    for target in ("int32", "uint8", "int16", "float16", "quint8"):
        yield Case(op, x, type=target)
    yield Case(op, numbers(op, 3, 2, dtype="int32"), type="float64")
    yield Case(op, numbers(op, 3, 2, dtype="int32"), type="complex64")
    yield Case(op, numbers(op, 3, 4, dtype="uint8"), type="int32")
    yield Case(op, numbers(op, 3, 3, dtype="uint8"), type="int32", kind="mismatch")
    yield Case(op, numbers(op, dtype="int64"), type="float64", kind="scalar")
    yield Case(op, numbers(op, dtype="uint8"), type="int32", kind="mismatch")
    yield Case(op, x[:0], type="int32", kind="empty")


@family("array", "DynamicPartition")
def dynamic_partition(op):
    for dtype in some(op):
        x = numbers(op, 5, 2, dtype=dtype)
        yield Case(op, x, i32([0, 2, 0, 1, 2]), num_partitions=3)
        yield Case(op, x, i32([0, 0, 0, 0, 0]), num_partitions=2)
        yield Case(op, x, i32([[0, 1], [1, 0], [0, 0], [1, 1], [0, 1]]), num_partitions=2)
        yield Case(op, x[0, 0], i32(1), num_partitions=2, kind="scalar")
        yield Case(op, x[:0], i32([]), num_partitions=2, kind="empty")
        yield Case(op, x, i32([0, 2, 0, 1, 3]), num_partitions=3, kind="bad index")
        yield Case(op, x, i32([0, -1, 0, 1, 3]), num_partitions=4, kind="bad index")
        yield Case(op, x, i32([0, 1]), num_partitions=2, kind="mismatch")


@family("array", "DynamicStitch ParallelDynamicStitch")
def dynamic_stitch(op):
    for dtype in some(op):
        x = numbers(op, 2, 3, dtype=dtype)
        y = numbers(op, 3, 3, dtype=dtype, seed=1)
        yield Case(op, [i32([0, 2]), i32([1, 4, 3])], [x, y])
        yield Case(op, [i32(1), i32([0, 2, 3])], [x[0], y])
        yield Case(op, [i32([[0], [1]]), i32([2, 3, 4])], [x[:, None], y])
        yield Case(op, [i32([])], [x[:0]], kind="empty")
        yield Case(op, [i32([0, 1]), i32([2, 3])], [x, y], kind="mismatch")
        yield Case(op, [i32([0, -1])], [x], kind="negative")
        if op == "DynamicStitch":
            yield Case(op, [i32([0, 1]), i32([1, 0, 1])], [x, y], kind="repeated")


@family("array", "EditDistance")
def edit_distance(op):
    for dtype in ("int32", "int64", "string", "float32"):
        h = numbers(op, 4, dtype=dtype)
        t = numbers(op, 5, dtype=dtype, seed=1)
        hi = i64([[0, 0], [0, 1], [1, 0], [2, 2]])
        ti = i64([[0, 0], [0, 1], [1, 0], [1, 1], [3, 0]])
        for normalize in (True, False):
            yield Case(op, hi, h, i64([4, 3]), ti, t, i64([4, 3]), normalize=normalize)
        yield Case(op, hi, h, i64([4, 3]), ti, t, i64([2, 3]), kind="mismatch")
        yield Case(op, hi[:0], h[:0], i64([4, 3]), ti, t, i64([4, 3]), kind="empty")
        yield Case(op, hi[:, 0], h, i64([4, 3]), ti, t, i64([4, 3]), kind="bad rank")


@family("array", "ExtractImagePatches ExtractVolumePatches")
def extract_patches(op):
    for dtype in types_of(op):
        if dtype not in SOME or op == "ExtractVolumePatches" and dtype[-2:] not in ("32", "16"):
            continue
        if op == "ExtractImagePatches":
            x = numbers(op, 1, 5, 6, 2, dtype=dtype)
            for padding in ("SAME", "VALID"):
                for size, step, rate in ((2, 1, 1), (3, 2, 1), (2, 2, 2)):
                    yield Case(
                        op, x, ksizes=[1, size, size, 1], strides=[1, step, 1, 1],
                        rates=[1, rate, 1, 1], padding=padding,
                    )  # fmt: skip
            yield Case(
                op, x[0], ksizes=[1, 2, 2, 1], strides=[1, 1, 1, 1], rates=[1, 1, 1, 1],
                padding="SAME", kind="bad rank",
            )  # fmt: skip
        else:
            x = numbers(op, 1, 4, 4, 4, 2, dtype=dtype)
            for padding in ("SAME", "VALID"):
                yield Case(op, x, ksizes=[1, 2, 3, 2, 1], strides=[1, 2, 2, 1, 1], padding=padding)


@family("array", "SpaceToBatch BatchToSpace")
def space_to_batch(op):
    for dtype in some(op):
        x = numbers(op, 4, 4, 2, 1, dtype=dtype)
        crops = [[0, 0], [0, 0]] if op == "SpaceToBatch" else [[1, 0], [0, 1]]
        yield Case(op, x, i32([[0, 0], [0, 0]]), block_size=2)
        yield Case(op, x, i64(crops), block_size=2)
        yield Case(op, x, i32([[1, 1], [2, 0]]), block_size=2)
        yield Case(op, x[:3, :3], i32([[0, 0], [0, 0]]), block_size=2, kind="mismatch")
        yield Case(op, x, i32([[0, 0]]), block_size=2, kind="mismatch")
        yield Case(op, x[0], i32([[0, 0], [0, 0]]), block_size=2, kind="bad rank")


@family("array", "SpaceToBatchND BatchToSpaceND")
def space_to_batch_nd(op):
    for dtype in some(op):
        x = numbers(op, 4, 4, 6, 2, dtype=dtype)
        yield Case(op, x, i32([2, 2]), i32([[0, 0], [0, 0]]))
        yield Case(op, x, i64([2]), i64([[1, 1]]))
        yield Case(op, x, i32([1, 2]), i32([[0, 0], [2, 0]]))
        yield Case(op, x, i32(np.zeros(0)), i32(np.zeros((0, 2))))
        yield Case(op, x, i32([3]), i32([[0, 0]]), kind="mismatch")
        yield Case(op, x, i32([0]), i32([[0, 0]]), kind="bad size")
        yield Case(op, x, i32([2]), i32([[-1, 0]]), kind="negative")


@family("array", "SpaceToDepth DepthToSpace")
def space_to_depth(op):
    for dtype in some(op):
        x = numbers(op, 2, 4, 2, 8, dtype=dtype)
        yield Case(op, x, block_size=2)
        yield Case(op, x[:, :, :, :4], block_size=2)
        yield Case(op, x, block_size=3, kind="mismatch")
        yield Case(op, x, block_size=1, kind="bad size")
        yield Case(op, x[0], block_size=2, kind="bad rank")
        if dtype == "float32":
            yield Case(op, x, block_size=2, data_format="NCHW", kind="attr")


@family("array", "Unique UniqueV2 UniqueWithCounts UniqueWithCountsV2")
def unique(op):
    for dtype in types_of(op, "T"):
        more = [i32([])] if op.endswith("V2") else []
        if more and dtype not in ("float32", "string"):
            continue
        x = numbers(op, 9, dtype=dtype, low=-1, high=2)
        yield Case(op, x, *more)
        yield Case(op, x, *more, out_idx="int64", kind="attr")
        yield Case(op, x[:0], *more, kind="empty")
        y = numbers(op, 4, 2, dtype=dtype, low=0, high=1)
        yield Case(op, y, *more, kind="rank 2")
        if more:
            yield Case(op, y, i32([0]))
            yield Case(op, y, i64([1]))
            yield Case(op, y, i32([2]), kind="bad axis")
        if dtype in ("float32", "float64"):
            yield Case(op, np.array([0.0, -0.0, np.inf, np.inf, 1], dtype), *more, kind="special")


@family("array", "ListDiff")
def list_diff(op):
    for dtype in types_of(op):
        x, y = numbers(op, 9, dtype=dtype), numbers(op, 4, dtype=dtype, seed=1)
        yield Case(op, x, y)
        yield Case(op, x, y, out_idx="int64", kind="attr")
        yield Case(op, x[:0], y, kind="empty")
        yield Case(op, x, y[:0], kind="empty")
        yield Case(op, x.reshape(3, 3), y, kind="bad rank")


@family("array", "UnravelIndex")
def unravel(op):
    for index in (i32, i64):
        yield Case(op, index([0, 5, 11]), index([3, 4]))
        yield Case(op, index(7), index([3, 4]), kind="scalar")
        yield Case(op, index([12]), index([3, 4]), kind="out of range")
        yield Case(op, index([]), index([3, 4]), kind="empty")
        yield Case(op, index([1]), index(5), kind="scalar")


@family("array", "LowerBound UpperBound")
def bounds(op):
    for dtype in some(op):
        x = np.sort(numbers(op, 2, 6, dtype=dtype), axis=1)
        y = numbers(op, 2, 4, dtype=dtype, seed=1)
        yield Case(op, x, y)
        yield Case(op, x, y, out_type="int64", kind="attr")
        yield Case(op, x, y[:, :0], kind="empty")
        yield Case(op, x, y[:1], kind="mismatch")
        yield Case(op, x[0], y[0], kind="bad rank")


@family("array", "InplaceAdd InplaceSub InplaceUpdate")
def inplace(op):
    for dtype in ("float32", "int32", "float64", "bool"):
        x = numbers(op, 4, 2, dtype=dtype)
        yield Case(op, x, i32([3, 1]), numbers(op, 2, 2, dtype=dtype, seed=1))
        yield Case(op, x, i32([3, 1]), numbers(op, 3, 2, dtype=dtype), kind="mismatch")


@family("array", "Empty")
def empty(op):
    for dtype in ("float32", "int32", "float64", "complex64", "bool", "string"):
        for dims in ([2, 3], [], [0]):
            yield Case(op, i32(dims), dtype=dtype, init=True)
    yield Case(op, i32([-1]), dtype="float32", init=True, kind="negative")


@family("array", "IdentityN")
def identity_n(op):
    x = [numbers(op, 2, 3), numbers(op, 4, dtype="int32"), numbers(op, dtype="string")]
    yield Case(op, x)
    yield Case(op, x[:1])


@family("array", "Const")
def const(op):
    for dtype in grid.DTYPES:
        for dims in ((), (2, 3), (0, 2)):
            yield Case(op, value=numbers(op, *dims, dtype=dtype), dtype=dtype)
    yield Case(op, value=numbers(op, 2), dtype="int32", kind="mismatch")


@family("array", "Placeholder PlaceholderV2 PlaceholderWithDefault")
def placeholder(op):
    for dtype in ("float32", "int32", "string", "bool"):
        if op == "PlaceholderWithDefault":
            x = numbers(op, 2, 3, dtype=dtype)
            for dims in ([2, 3], [None, 3], None):
                yield Case(op, x, shape=dims)
            yield Case(op, x, shape=[3, 3], kind="mismatch")
        else:
            for dims in ([2, 3], [None, 3], None, []):
                yield Case(op, dtype=dtype, shape=dims, kind="not fed")


@family("array", "QuantizeAndDequantizeV2 QuantizeAndDequantizeV3")
def quantize_and_dequantize(op):
    for dtype in types_of(op):
        x = numbers(op, 3, 4, dtype=dtype)
        low, high = np.array(-3, dtype), np.array(5, dtype)
        more = [i32(8)] if op.endswith("V3") else []
        yield Case(op, x, low, high, *more)
        yield Case(op, x, low, high, *more, range_given=True)
        yield Case(op, np.abs(x), low, high, *more, signed_input=False)
        yield Case(op, x[0, 0], low, high, *more, kind="scalar")
        yield Case(op, x[:0], low, high, *more, range_given=True, kind="empty")
        yield Case(op, x, high, low, *more, range_given=True, kind="bad range")
        if not more:
            yield Case(op, x, low, high, num_bits=4, kind="attr")
            yield Case(op, x, low, high, num_bits=4, range_given=True, kind="attr")
            for mode in ("HALF_TO_EVEN", "HALF_UP"):
                yield Case(op, x, low, high, round_mode=mode, kind="attr")
        else:
            yield Case(op, x, low, high, i32(4), kind="attr")


@family("array", "QuantizeV2")
def quantize(op):
    x = f32([-6, -3, -0.5, 0, 0.25, 0.5, 3, 6, 100])
    for target in ("quint8", "qint8", "quint16", "qint16", "qint32"):
        for mode in ("MIN_COMBINED", "MIN_FIRST", "SCALED"):
            yield Case(op, x, f32(-3), f32(5), T=target, mode=mode)
            yield Case(op, x, f32(0), f32(6), T=target, mode=mode)
    yield Case(op, x, f32(3), f32(3), T="quint8", kind="bad range")
    yield Case(op, x, f32(5), f32(3), T="quint8", kind="bad range")
    yield Case(
        op, x, f32(-3), f32(5), T="qint8", mode="SCALED", round_mode="HALF_TO_EVEN", kind="attr"
    )


@family("array", "Dequantize")
def dequantize(op):
    for bits, target in (
        ("uint8", "quint8"), ("int8", "qint8"), ("uint16", "quint16"), ("int16", "qint16"),
        ("int32", "qint32"),
    ):  # fmt: skip
        x = extreme(bits)
        for mode in ("MIN_COMBINED", "MIN_FIRST", "SCALED"):
            yield Case(op, Cast(x, target), f32(-3), f32(5), mode=mode)
            yield Case(op, Cast(x[:0], target), f32(-3), f32(5), mode=mode, kind="empty")


@family("array", "QuantizedConcat")
def quantized_concat(op):
    x = numbers(op, 2, 3, dtype="uint8", high=200)
    y = numbers(op, 2, 1, dtype="uint8", high=200, seed=1)
    for low, high in ((0, 1), (-1, 2)):
        values = [Cast(x, "quint8"), Cast(y, "quint8")]
        yield Case(op, i32(1), values, [f32(0), f32(low)], [f32(1), f32(high)])
    yield Case(
        op, i32(0), [Cast(x, "quint8"), Cast(y, "quint8")], [f32(0), f32(0)], [f32(1), f32(1)],
        kind="mismatch",
    )  # fmt: skip


@family(
    "array", "FakeQuantWithMinMaxArgs FakeQuantWithMinMaxVars FakeQuantWithMinMaxVarsPerChannel"
)
def fake_quant(op):
    x = numbers(op, 3, 4, low=-8, high=8)
    per = op.endswith("PerChannel")
    ranges = [(-6, 6), (0, 6), (-3, 2), (1, 4), (-5, -1)]
    for low, high in ranges:
        for attrs in ({}, {"num_bits": 4}, {"narrow_range": True}):
            if op == "FakeQuantWithMinMaxArgs":
                yield Case(op, x, min=float(low), max=float(high), attrs=dict(attrs))
            else:
                low_, high_ = (np.full(4, v, np.float32) if per else f32(v) for v in (low, high))
                yield Case(op, x, low_, high_, attrs=dict(attrs))
    if op == "FakeQuantWithMinMaxArgs":
        yield Case(op, x, min=3.0, max=2.0, kind="bad range")
        yield Case(op, x, num_bits=17, kind="bad bits")
        yield Case(op, special("float32"), kind="special")
    elif per:
        yield Case(op, x, np.zeros(3, np.float32), np.ones(3, np.float32), kind="mismatch")


GRADIENTS = "FakeQuantWithMinMax{}Gradient"


@family("array", " ".join(GRADIENTS.format(n) for n in ("Args", "Vars", "VarsPerChannel")))
def fake_quant_gradient(op):
    x = numbers(op, 3, 4, low=-8, high=8)
    g = numbers(op, 3, 4, seed=1)
    for low, high in ((-6, 6), (0, 6), (-3, 2)):
        for attrs in ({}, {"num_bits": 4}, {"narrow_range": True}):
            if "Args" in op:
                yield Case(op, g, x, min=float(low), max=float(high), attrs=dict(attrs))
            else:
                per = "PerChannel" in op
                low_, high_ = (np.full(4, v, np.float32) if per else f32(v) for v in (low, high))
                yield Case(op, g, x, low_, high_, attrs=dict(attrs))


@family("array", "NoOp ControlTrigger")
def nothing(op):
    yield Case(op)


@family("array", "Switch RefSwitch")
def switch(op):
    for dtype in ("float32", "int32", "string"):
        x = numbers(op, 2, 3, dtype=dtype)
        x = Ref(x) if op == "RefSwitch" else x
        for taken in (True, False):
            yield Case(op, x, np.array(taken), hidden=(0,) if taken else (1,))


@family("array", "Merge RefMerge")
def merge(op):
    for dtype in ("float32", "int32", "string"):
        for taken in (True, False):
            x = Call("Switch", numbers(op, 2, 3, dtype=dtype), np.array(taken))
            if op == "Merge":
                yield Case(op, [x[0], x[1]])
            else:
                y = Call("RefSwitch", Ref(numbers(op, 2, 3, dtype=dtype)), np.array(taken))
                yield Case(op, [y[0], y[1]])


@family("array", "RefSelect")
def ref_select(op):
    for i in (0, 2):
        yield Case(op, i32(i), [Ref(numbers(op, 2, 3, seed=s)) for s in range(3)])
    yield Case(op, i32(3), [Ref(numbers(op, 2, 3, seed=s)) for s in range(3)], kind="out of range")


@family("array", "LoopCond RefIdentity")
def loop_cond(op):
    if op == "LoopCond":
        yield Case(op, np.array(True))
        yield Case(op, np.array(False))
    else:
        for dtype in ("float32", "int32", "string"):
            yield Case(op, Ref(numbers(op, 2, dtype=dtype)))


@family("array", "Assert")
def assert_(op):
    for summarize in (1, 3):
        x = [numbers(op, 4), numbers(op, 2, dtype="int32"), strings(b"text")]
        yield Case(op, np.array(False), x, summarize=summarize, kind="false")
        yield Case(op, np.array(True), x, summarize=summarize)
    yield Case(op, np.array([True]), [f32(1)], kind="bad rank")


@family("array", "Print")
def print_(op):
    for dtype in ("float32", "int32", "bool", "complex64"):
        yield Case(op, numbers(op, 2, dtype=dtype), [i32(1)], message="")


@family("array", "Abort")
def abort(op):
    yield Case(op, exit_without_error=False, kind="ends the process")
