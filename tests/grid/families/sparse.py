"""Sparse tensors and sets."""

import numpy as np

import cases as grid
from cases import Call, Case, family, i32, i64, numbers, strings, types_of

INDICES = i64([[0, 1], [1, 0], [1, 2], [3, 3]])
SHAPE = i64([4, 5])
OTHER = i64([[0, 1], [1, 1], [3, 3], [3, 4]])


@family("sparse", "SparseAdd SparseSparseMaximum SparseSparseMinimum")
def add(op):
    for dtype in types_of(op, "T"):
        if dtype in grid.COMPLEX and op != "SparseAdd":
            continue
        x, y = numbers(op, 4, dtype=dtype), numbers(op, 4, dtype=dtype, seed=1)
        more = []
        if op == "SparseAdd":
            real = {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)
            more = [np.array(0, real)]
        yield Case(op, INDICES, x, SHAPE, OTHER, y, SHAPE, *more)
        yield Case(op, INDICES, x, SHAPE, INDICES, y, SHAPE, *more)
        yield Case(op, INDICES[:0], x[:0], SHAPE, OTHER, y, SHAPE, *more, kind="empty")
        yield Case(op, INDICES, x, SHAPE, OTHER, y, i64([5, 5]), *more, kind="mismatch")
        yield Case(op, INDICES, x[:2], SHAPE, OTHER, y, SHAPE, *more, kind="mismatch")
        if more:
            yield Case(op, INDICES, x, SHAPE, INDICES, -x, SHAPE, np.array(1, more[0].dtype))


@family("sparse", "SparseAddGrad")
def add_gradient(op):
    for dtype in ("float32", "float64", "int32"):
        union = i64([[0, 1], [1, 0], [1, 1], [1, 2], [3, 3], [3, 4]])
        yield Case(op, numbers(op, 6, dtype=dtype), INDICES, OTHER, union)
        yield Case(op, numbers(op, 5, dtype=dtype), INDICES, OTHER, union, kind="mismatch")


@family("sparse", "SparseConcat")
def concat(op):
    for dtype in ("float32", "int32", "string", "bool"):
        x, y = numbers(op, 4, dtype=dtype), numbers(op, 4, dtype=dtype, seed=1)
        for axis in (0, 1, -1):
            yield Case(op, [INDICES, OTHER], [x, y], [SHAPE, SHAPE], concat_dim=axis)
        yield Case(
            op, [INDICES, OTHER], [x, y], [SHAPE, i64([4, 6])], concat_dim=0, kind="mismatch"
        )
        yield Case(op, [INDICES, OTHER], [x, y], [SHAPE, SHAPE], concat_dim=2, kind="bad axis")


@family("sparse", "SparseSplit")
def split(op):
    for dtype in ("float32", "int32", "string"):
        x = numbers(op, 4, dtype=dtype)
        yield Case(op, i64(0), INDICES, x, SHAPE, num_split=2)
        yield Case(op, i64(1), INDICES, x, SHAPE, num_split=2, kind="uneven")
        yield Case(op, i64(2), INDICES, x, SHAPE, num_split=2, kind="bad axis")
        yield Case(op, i64(0), INDICES, x, SHAPE, num_split=5, kind="too many")


@family("sparse", "SparseSlice")
def slice_(op):
    for dtype in ("float32", "int32", "string"):
        x = numbers(op, 4, dtype=dtype)
        yield Case(op, INDICES, x, SHAPE, i64([0, 0]), i64([2, 2]))
        yield Case(op, INDICES, x, SHAPE, i64([1, 1]), i64([9, 9]))
        yield Case(op, INDICES, x, SHAPE, i64([1, 0]), i64([0, 0]))
        yield Case(op, INDICES, x, SHAPE, i64([1]), i64([1]), kind="mismatch")


@family("sparse", "SparseSliceGrad")
def slice_gradient(op):
    for dtype in ("float32", "int32"):
        kept = i64([[0, 1], [1, 0]])
        yield Case(op, numbers(op, 2, dtype=dtype), INDICES, i64([0, 0]), kept)
        yield Case(op, numbers(op, 3, dtype=dtype), INDICES, i64([0, 0]), kept, kind="mismatch")


@family("sparse", "SparseDenseCwiseAdd SparseDenseCwiseDiv SparseDenseCwiseMul")
def dense_cwise(op):
    for dtype in types_of(op):
        x = numbers(op, 4, dtype=dtype)
        for dims in ((4, 5), (5,), (4, 1), ()):
            yield Case(op, INDICES, x, SHAPE, numbers(op, *dims, dtype=dtype, low=1, seed=1))
        yield Case(op, INDICES, x, SHAPE, numbers(op, 3, dtype=dtype, low=1), kind="mismatch")
        yield Case(op, INDICES, x, SHAPE, numbers(op, 2, 4, 5, dtype=dtype, low=1), kind="mismatch")


@family("sparse", "SparseReduceSum SparseReduceSumSparse SparseReduceMax SparseReduceMaxSparse")
def reduce(op):
    for dtype in types_of(op):
        x = numbers(op, 4, dtype=dtype)
        for axis in (i32(0), i32(1), i32([0, 1]), i32(-1), i32([])):
            yield Case(op, INDICES, x, SHAPE, axis)
        yield Case(op, INDICES, x, SHAPE, i32(0), keep_dims=True, kind="attr")
        yield Case(op, INDICES, x, SHAPE, i32(2), kind="bad axis")
        yield Case(op, INDICES[:0], x[:0], SHAPE, i32(0), kind="empty")


@family("sparse", "SparseReorder")
def reorder(op):
    for dtype in ("float32", "int32", "string", "bool"):
        order = [2, 0, 3, 1]
        yield Case(op, INDICES[order], numbers(op, 4, dtype=dtype), SHAPE)
        yield Case(op, INDICES[:0], numbers(op, 0, dtype=dtype), SHAPE, kind="empty")
        yield Case(op, INDICES, numbers(op, 3, dtype=dtype), SHAPE, kind="mismatch")


@family("sparse", "SparseReshape")
def reshape(op):
    for shape in ([20], [2, 10], [-1, 2], [5, 4], [2, 2, 5]):
        yield Case(op, INDICES, SHAPE, i64(shape))
    yield Case(op, INDICES[:0], SHAPE, i64([-1]), kind="empty")
    yield Case(op, INDICES, SHAPE, i64([21]), kind="mismatch")
    yield Case(op, INDICES, SHAPE, i64([-1, 3]), kind="mismatch")
    yield Case(op, INDICES, SHAPE, i64([-1, -1]), kind="mismatch")


@family("sparse", "SparseSoftmax")
def softmax(op):
    for dtype in types_of(op):
        yield Case(op, INDICES, numbers(op, 4, dtype=dtype), SHAPE)
        yield Case(op, INDICES[:0], numbers(op, 0, dtype=dtype), SHAPE, kind="empty")
        yield Case(op, INDICES[:, :1], numbers(op, 4, dtype=dtype), i64([4]), kind="bad rank")


@family("sparse", "SparseToDense")
def to_dense(op):
    for dtype in ("float32", "int32", "int64", "bool", "string", "float64"):
        x, default = numbers(op, 4, dtype=dtype), numbers(op, dtype=dtype, seed=2)
        yield Case(op, INDICES, SHAPE, x, default)
        yield Case(op, INDICES.astype(np.int32), SHAPE.astype(np.int32), x, default)
        yield Case(op, INDICES, SHAPE, x[0], default, kind="scalar")
        yield Case(op, i64([1, 3]), i64([5]), x[:2], default)
        yield Case(op, i64(1), i64([5]), x[0], default, kind="scalar")
        yield Case(op, INDICES[::-1].copy(), SHAPE, x, default, kind="unsorted")
        yield Case(op, INDICES[::-1].copy(), SHAPE, x, default, validate_indices=False, kind="attr")
        yield Case(op, INDICES, i64([4, 3]), x, default, kind="out of range")
        yield Case(op, INDICES[[0, 0]], SHAPE, x[:2], default, kind="repeated")
        yield Case(op, INDICES, SHAPE, x[:2], default, kind="mismatch")


@family("sparse", "SparseTensorDenseAdd")
def dense_add(op):
    for dtype in ("float32", "float64", "int32", "complex64"):
        x = numbers(op, 4, dtype=dtype)
        for index in (np.int32, np.int64):
            y = numbers(op, 4, 5, dtype=dtype, seed=1)
            yield Case(op, INDICES.astype(index), x, SHAPE.astype(index), y)
        yield Case(op, INDICES, x, SHAPE, numbers(op, 4, 4, dtype=dtype), kind="mismatch")
        yield Case(op, INDICES + 4, x, SHAPE, y, kind="out of range")


@family("sparse", "SparseTensorDenseMatMul")
def matmul(op):
    for dtype in ("float32", "float64", "int32", "complex64"):
        x = numbers(op, 4, dtype=dtype)
        y = numbers(op, 5, 3, dtype=dtype, seed=1)
        z = numbers(op, 4, 3, dtype=dtype, seed=2)
        yield Case(op, INDICES, x, SHAPE, y)
        yield Case(op, INDICES.astype(np.int32), x, SHAPE, y)
        yield Case(op, INDICES, x, SHAPE, z, adjoint_a=True)
        yield Case(op, INDICES, x, SHAPE, y.T.copy(), adjoint_b=True)
        yield Case(op, INDICES[:0], x[:0], SHAPE, y, kind="empty")
        yield Case(op, INDICES, x, SHAPE, z, kind="mismatch")
        yield Case(op, INDICES + 9, x, SHAPE, y, kind="out of range")


@family("sparse", "SparseFillEmptyRows")
def fill_rows(op):
    for dtype in ("float32", "int32", "string", "bool"):
        x = numbers(op, 4, dtype=dtype)
        yield Case(op, INDICES, x, SHAPE, numbers(op, dtype=dtype, seed=2))
        yield Case(op, INDICES[:0], x[:0], SHAPE, numbers(op, dtype=dtype), kind="empty")
        yield Case(op, INDICES, x, i64([0, 5]), numbers(op, dtype=dtype), kind="mismatch")
        yield Case(op, INDICES + 5, x, SHAPE, numbers(op, dtype=dtype), kind="out of range")


@family("sparse", "SparseFillEmptyRowsGrad")
def fill_rows_gradient(op):
    for dtype in ("float32", "int32"):
        yield Case(op, i64([0, 1, 3]), numbers(op, 5, dtype=dtype))
        yield Case(op, i64([0, 9]), numbers(op, 5, dtype=dtype), kind="out of range")


@family("sparse", "SerializeSparse SerializeManySparse DeserializeSparse DeserializeManySparse")
def serialize(op):
    for dtype in ("float32", "int32", "string", "bool"):
        x = numbers(op, 4, dtype=dtype)
        if op.startswith("Serialize"):
            yield Case(op, INDICES, x, SHAPE)
            yield Case(op, INDICES[:0], x[:0], SHAPE, kind="empty")
            yield Case(op, INDICES[:, 0].copy(), x, SHAPE, kind="bad rank")
            continue
        many = Call("SerializeManySparse", INDICES, x, SHAPE)
        yield Case(op, many, attrs={"dtype": dtype})
        other = "int32" if dtype != "int32" else "float32"
        yield Case(op, many, attrs={"dtype": other}, kind="mismatch")
    if not op.startswith("Serialize"):
        yield Case(op, strings([[b"a", b"b", b"c"]]), attrs={"dtype": "int32"}, kind="bad data")
        yield Case(op, strings([b"a", b"b"]), attrs={"dtype": "int32"}, kind="mismatch")


@family("sparse", "SparseCross")
def cross(op):
    base = {
        "num_buckets": 100,
        "hash_key": 956888297470,
        "out_type": "int64",
        "internal_type": "string",
    }
    words = strings(b"a", b"b", b"c", b"d")
    for hashed in (True, False):
        attrs = dict(base, hashed_output=hashed)
        if not hashed:
            attrs["out_type"] = "string"
        yield Case(
            op,
            [INDICES],
            [words],
            [SHAPE],
            [strings([[b"x"], [b"y"], [b"z"], [b"w"]])],
            attrs=attrs,
        )
    ints = dict(base, internal_type="int64", hashed_output=True)
    yield Case(op, [INDICES], [i64([1, 2, 3, 4])], [SHAPE], [i64([[7], [8], [9], [1]])], attrs=ints)
    yield Case(
        op, [INDICES], [words], [SHAPE], [strings([[b"x"]])], attrs=dict(attrs), kind="mismatch"
    )


def set_values(op, dtype, seed):
    return numbers(op, 4, dtype=dtype, low=0, high=3, seed=seed)


@family("sparse", "DenseToDenseSetOperation DenseToSparseSetOperation SparseToSparseSetOperation")
def set_operation(op):
    sparse = i64([[0, 0], [0, 1], [1, 0], [2, 0]])
    for dtype in ("int32", "int64", "uint8", "string"):
        dense = numbers(op, 3, 4, dtype=dtype, low=0, high=3)
        other = numbers(op, 3, 2, dtype=dtype, low=0, high=3, seed=1)
        x, y = set_values(op, dtype, 2), set_values(op, dtype, 3)
        for operation in ("intersection", "union", "a-b", "b-a"):
            attrs = {"set_operation": operation}
            shape = i64([3, 4])
            if op.startswith("DenseToDense"):
                yield Case(op, dense, other, attrs=attrs)
            elif op.startswith("DenseToSparse"):
                yield Case(op, dense, sparse, x, shape, attrs=attrs)
            else:
                yield Case(op, sparse, x, shape, sparse[::-1][::-1].copy(), y, shape, attrs=attrs)
        bad = {"set_operation": "xor"}
        if op.startswith("DenseToDense"):
            yield Case(op, dense, other, attrs=bad, kind="bad attr")
            yield Case(op, dense, other[:2], set_operation="union", kind="mismatch")
        elif op.startswith("DenseToSparse"):
            yield Case(op, dense, sparse, x, i64([2, 4]), set_operation="union", kind="mismatch")


@family("sparse", "SetSize")
def set_size(op):
    sparse = i64([[0, 0], [0, 1], [1, 0], [2, 0]])
    for dtype in types_of(op):
        x = numbers(op, 4, dtype=dtype, low=0, high=2)
        yield Case(op, sparse, x, i64([4, 2]))
        yield Case(op, sparse, x, i64([2, 2]), kind="out of range")
