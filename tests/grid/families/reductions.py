"""Ops that make one number of many: reductions, scans, arg extrema, counts."""

import numpy as np

import cases as grid
from cases import Case, extreme, f32, family, i32, i64, numbers, special, types_of


@family("reductions", "Sum Mean Prod Max Min EuclideanNorm")
def reduce(op):
    for dtype in types_of(op):
        x = numbers(op, 2, 3, 4, dtype=dtype, low=-2, high=3)
        for axis in (i32(1), i32(-1), i32([0, 2]), i32([0, 1, 2]), i32([]), i64(0)):
            yield Case(op, x, axis)
        yield Case(op, x, i32(-2), keep_dims=True, kind="attr")
        yield Case(op, x, i32([0, 1, 2]), keep_dims=True, kind="attr")
        yield Case(op, x[0, 0, 0], i32([]), kind="scalar")
        yield Case(op, x[:, :0], i32(1), kind="empty")
        yield Case(op, x[:, :0], i32(0), kind="empty")
        yield Case(op, x, i32(3), kind="bad axis")
        yield Case(op, x, i32(-4), kind="bad axis")
        yield Case(op, x, i32([1, 1]), kind="repeated axis")
        if dtype in grid.FLOATS:
            for v in (np.nan, np.inf, -np.inf):
                y = x[0].copy()
                y[1, 1] = v
                yield Case(op, y, i32(0), kind="special")
                yield Case(op, y, i32(1), kind="special")
            yield Case(op, special(dtype)[1:3], i32(0), kind="special")
        if dtype in grid.INTEGERS:
            yield Case(op, extreme(dtype), i32(0), kind="extreme")


@family("reductions", "All Any")
def reduce_bool(op):
    x = numbers(op, 2, 3, 4, dtype="bool")
    for axis in (i32(1), i32(-1), i32([0, 2]), i32([0, 1, 2]), i32([]), i64(0)):
        yield Case(op, x, axis)
        yield Case(op, x, axis, keep_dims=True, kind="attr")
    yield Case(op, np.array(True), i32([]), kind="scalar")
    yield Case(op, x[:, :0], i32(1), kind="empty")
    yield Case(op, x, i32(3), kind="bad axis")


@family("reductions", "ArgMax ArgMin")
def arg_extrema(op):
    for dtype in types_of(op):
        x = numbers(op, 3, 4, 2, dtype=dtype, low=-2, high=3)
        for axis in (i32(0), i32(1), i32(-1), i64(-2)):
            yield Case(op, x, axis)
        yield Case(op, x, i32(1), output_type="int32", kind="attr")
        yield Case(op, x, i32(3), kind="bad axis")
        yield Case(op, x[:, :0], i32(0), kind="empty")
        yield Case(op, x[:, :0], i32(1), kind="empty")
        if dtype in grid.FLOATS:
            for values in (
                [np.nan, 1, 2, 0], [1, np.nan, 2, 0], [2, 1, 0, np.nan], [np.nan] * 3,
                [np.nan, -np.inf, np.inf], [-np.inf, -np.inf], [np.inf, np.inf], [0.0, -0.0],
            ):  # fmt: skip
                yield Case(op, np.array(values, dtype), i32(0), kind="special")
            long = np.zeros(37, dtype)
            long[[3, 20, 30]] = np.nan
            yield Case(op, long, i32(0), kind="special")
        else:
            if dtype not in grid.COMPLEX:
                yield Case(op, extreme(dtype), i32(0), kind="extreme")


@family("reductions", "Cumsum Cumprod CumulativeLogsumexp")
def scan(op):
    for dtype in types_of(op):
        x = numbers(op, 3, 4, dtype=dtype, low=-2, high=3)
        for exclusive in (False, True):
            for reverse in (False, True):
                for axis in (i32(0), i32(-1), i64(1)):
                    yield Case(op, x, axis, exclusive=exclusive, reverse=reverse)
        yield Case(op, x[:0], i32(0), kind="empty")
        yield Case(op, x[0, 0], i32(0), kind="bad axis")
        yield Case(op, x, i32(2), kind="bad axis")
        yield Case(op, x, i32(-3), kind="bad axis")
        if dtype in grid.FLOATS:
            for v in (np.nan, np.inf, -np.inf):
                y = x[0].copy()
                y[1] = v
                yield Case(op, y, i32(0), kind="special")
                yield Case(op, y, i32(0), reverse=True, exclusive=True, kind="special")
        if dtype in grid.INTEGERS:
            yield Case(op, extreme(dtype), i32(0), kind="extreme")


@family("reductions", "L2Loss")
def l2_loss(op):
    for dtype in types_of(op):
        for shape in ((2, 3), (), (0,), (50,)):
            yield Case(op, numbers(op, *shape, dtype=dtype))
        yield Case(op, special(dtype), kind="special")


SEGMENT = "SegmentMax SegmentMean SegmentMin SegmentProd SegmentSum"


@family("reductions", SEGMENT)
def segment(op):
    for dtype in types_of(op, "T"):
        x = numbers(op, 5, 2, dtype=dtype)
        for index in (i32, i64):
            yield Case(op, x, index([0, 0, 1, 3, 3]))
        yield Case(op, x[:, 0], i32([0, 0, 0, 0, 0]))
        yield Case(op, x[:, 0], i32([2, 2, 2, 4, 4]), kind="gaps")
        yield Case(op, x[:0], i32([]), kind="empty")
        yield Case(op, x, i32([0, 1, 0, 1, 2]), kind="bad ids")
        yield Case(op, x, i32([0, 1, 2]), kind="mismatch")
        yield Case(op, x, i32([-1, 0, 0, 1, 1]), kind="bad ids")
        if dtype in grid.FLOATS:
            yield Case(op, special(dtype), i32([0, 0, 1, 1, 2, 2, 3]), kind="special")


@family(
    "reductions",
    "UnsortedSegmentMax UnsortedSegmentMin UnsortedSegmentProd UnsortedSegmentSum",
)
def unsorted_segment(op):
    for dtype in types_of(op, "T"):
        x = numbers(op, 5, 2, dtype=dtype)
        for index in (i32, i64):
            yield Case(op, x, index([2, 0, 1, 0, 2]), i32(4))
        yield Case(op, x, i64([2, 0, 1, 0, 2]), i64(3))
        yield Case(op, x, i32([-1, 0, 1, -1, 2]), i32(4), kind="negative ids")
        yield Case(op, x, i32([[2, 0], [1, 1], [0, 0], [1, 2], [2, 2]]), i32(3))
        yield Case(op, x[:0], i32([]), i32(2), kind="empty")
        yield Case(op, x, i32([0, 0, 0, 0, 0]), i32(0), kind="empty")
        yield Case(op, x, i32([0, 0, 0, 0, 7]), i32(3), kind="bad ids")
        yield Case(op, x, i32([0, 1]), i32(3), kind="mismatch")
        yield Case(op, x, i32([0, 0, 0, 0, 0]), i32(-1), kind="bad number")
        yield Case(op, x[0, 0], i32(1), i32(3), kind="scalar")


SPARSE_SEGMENT = "SparseSegmentMean SparseSegmentSqrtN SparseSegmentSum"


@family("reductions", SPARSE_SEGMENT)
def sparse_segment(op):
    for dtype in types_of(op, "T"):
        x = numbers(op, 5, 2, dtype=dtype)
        for index in (i32, i64):
            yield Case(op, x, index([4, 0, 1, 0]), i32([0, 0, 1, 3]))
        yield Case(op, x, i32([]), i32([]), kind="empty")
        yield Case(op, x, i32([0, 1, 9]), i32([0, 0, 1]), kind="bad index")
        yield Case(op, x, i32([0, -1, 1]), i32([0, 0, 1]), kind="bad index")
        yield Case(op, x, i32([0, 1, 2]), i32([1, 0, 1]), kind="bad ids")
        yield Case(op, x, i32([0, 1, 2]), i32([0, 1]), kind="mismatch")
        yield Case(op, x, i32([0, 1, 2]), i32([-1, 0, 1]), kind="bad ids")


@family("reductions", " ".join(name + "WithNumSegments" for name in SPARSE_SEGMENT.split()))
def sparse_segment_counted(op):
    for dtype in types_of(op, "T"):
        x = numbers(op, 5, 2, dtype=dtype)
        yield Case(op, x, i32([4, 0, 1, 0]), i32([0, 0, 1, 3]), i32(6))
        yield Case(op, x, i64([4, 0, 1, 0]), i32([0, 0, 1, 3]), i64(4))
        yield Case(op, x, i32([]), i32([]), i32(3), kind="empty")
        yield Case(op, x, i32([0, 1, 2]), i32([0, 1, 4]), i32(3), kind="bad ids")
        yield Case(op, x, i32([0, 1, 9]), i32([0, 1, 1]), i32(3), kind="bad index")


@family("reductions", "SparseSegmentMeanGrad SparseSegmentSqrtNGrad")
def sparse_segment_gradient(op):
    for dtype in types_of(op, "T"):
        x = numbers(op, 4, 2, dtype=dtype)
        yield Case(op, x, i32([4, 0, 1, 0]), i32([0, 0, 1, 3]), i32(5))
        yield Case(op, x, i64([4, 0, 1, 0]), i32([0, 0, 1, 3]), i32(6))
        yield Case(op, x, i32([4, 0]), i32([0, 9]), i32(5), kind="bad ids")
        yield Case(op, x, i32([9, 0]), i32([0, 1]), i32(5), kind="bad index")


@family("reductions", "Bincount")
def bincount(op):
    for dtype in types_of(op):
        weights = numbers(op, 5, dtype=dtype)
        yield Case(op, i32([0, 3, 3, 1, 0]), i32(5), weights)
        yield Case(op, i32([0, 3, 3, 1, 0]), i32(2), weights)
        yield Case(op, i32([0, 3, 3, 1, 0]), i32(5), weights[:0])
        yield Case(op, i32([]), i32(3), weights[:0], kind="empty")
        yield Case(op, i32([[0, 1], [1, 1]]), i32(3), weights[:0])
        yield Case(op, i32([0, -1]), i32(3), weights[:0], kind="negative")
        yield Case(op, i32([0, 1]), i32(-3), weights[:0], kind="bad size")
        yield Case(op, i32([0, 1]), i32(3), weights, kind="mismatch")


@family("reductions", "HistogramFixedWidth")
def histogram(op):
    for dtype in types_of(op, "T"):
        x = numbers(op, 3, 5, dtype=dtype, low=-2, high=12)
        for bins in (1, 4, 5):
            yield Case(op, x, np.array([0, 8], dtype), i32(bins))
        yield Case(op, x, np.array([0, 8], dtype), i32(4), dtype="int64", kind="attr")
        yield Case(op, x[:0], np.array([0, 8], dtype), i32(4), kind="empty")
        yield Case(op, x, np.array([8, 8], dtype), i32(4), kind="bad range")
        yield Case(op, x, np.array([0, 8], dtype), i32(0), kind="bad size")


@family("reductions", "Bucketize")
def bucketize(op):
    for dtype in types_of(op):
        x = numbers(op, 3, 4, dtype=dtype)
        yield Case(op, x, boundaries=[-1.0, 0.0, 2.5])
        yield Case(op, x, boundaries=[])
        yield Case(op, x[0, 0], boundaries=[1.0], kind="scalar")
        yield Case(op, x[:0], boundaries=[1.0], kind="empty")
        yield Case(op, x, boundaries=[3.0, 1.0], kind="unsorted")
        if dtype in grid.FLOATS:
            yield Case(op, special(dtype), boundaries=[0.0, 1.0], kind="special")


@family("reductions", "Range")
def range_(op):
    for dtype in types_of(op):
        for start, limit, delta in ((0, 5, 1), (3, 18, 3), (5, 0, -2), (0, 0, 1), (3, 1, -1)):
            yield Case(op, *[np.array(v, dtype) for v in (start, limit, delta)])
        if dtype in grid.FLOATS:
            yield Case(op, *[np.array(v, dtype) for v in (0, 1, 0.125)])
            yield Case(op, *[np.array(v, dtype) for v in (0.5, 2.3, 0.25)])
        for start, limit, delta in ((0, 5, 0), (5, 0, 1), (0, 5, -1)):
            yield Case(op, *[np.array(v, dtype) for v in (start, limit, delta)], kind="bad range")


@family("reductions", "LinSpace")
def lin_space(op):
    for dtype in types_of(op):
        for start, stop, count in ((0, 1, 5), (3, -3, 4), (2, 2, 3), (1, 9, 1)):
            yield Case(op, np.array(start, dtype), np.array(stop, dtype), i32(count))
        yield Case(op, np.array(0, dtype), np.array(1, dtype), i64(3))
        yield Case(op, np.array(0, dtype), np.array(1, dtype), i32(0), kind="bad number")
        yield Case(op, np.array([0], dtype), np.array(1, dtype), i32(3), kind="bad rank")


@family("reductions", "TopK TopKV2")
def top_k(op):
    for dtype in types_of(op):
        x = numbers(op, 2, 6, dtype=dtype, low=-2, high=3)
        rows = [x, x[0], numbers(op, 2, 1, 3, dtype=dtype)]
        if op == "TopKV2":
            for v in rows:
                for k in (0, 1, 3):
                    yield Case(op, v, i32(k))
            yield Case(op, x, i32(3), sorted=False, kind="attr", hidden=(0, 1))
            yield Case(op, x, i32(7), kind="bad k")
            yield Case(op, x, i32(-1), kind="bad k")
            yield Case(op, x[:0], i32(2), kind="empty")
            yield Case(op, x[0, 0], i32(1), kind="bad rank")
        else:
            for v in rows:
                yield Case(op, v, k=2)
            yield Case(op, x, k=7, kind="bad k")
        if dtype in grid.FLOATS and op == "TopKV2":
            for values in ([np.nan, 1, 2, 0], [1, np.nan, 2, np.inf], [0, -np.inf, np.nan, -0.0]):
                for k in (1, 2, 4):
                    yield Case(op, np.array(values, dtype), i32(k), kind="special")


@family("reductions", "NthElement")
def nth_element(op):
    for dtype in types_of(op):
        x = numbers(op, 2, 6, dtype=dtype)
        for n in (0, 2, 5):
            yield Case(op, x, i32(n))
            yield Case(op, x, i32(n), reverse=True, kind="attr")
        yield Case(op, x, i32(6), kind="bad n")
        yield Case(op, x[0, 0], i32(0), kind="bad rank")


@family("reductions", "InTopK InTopKV2")
def in_top_k(op):
    p = numbers(op, 4, 6)
    for targets in (i32([0, 3, 2, 5]), i64([1, 1, 1, 1])):
        for k in (1, 2, 6, 9):
            yield in_top(op, p, targets, k)
    yield in_top(op, p, i32([0, 1, 2, 6]), 2, "bad target")
    yield in_top(op, p, i32([0, -1, 2, 3]), 2, "bad target")
    yield in_top(op, p, i32([0, 1]), 2, "mismatch")
    for v in (np.nan, np.inf, -np.inf):
        q = p.copy()
        q[0, 0] = q[1, 2] = v
        yield in_top(op, q, i32([0, 3, 2, 5]), 2, "special")
    yield in_top(op, f32([[1, 1, 1, 0]]), i32([2]), 1, "ties")


def in_top(op, p, targets, k, kind="ordinary"):
    if op == "InTopKV2":
        return Case(op, p, targets, targets.dtype.type(k), kind=kind)
    return Case(op, p, targets, k=k, kind=kind)
