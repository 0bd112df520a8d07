"""Matrix products, decompositions, solvers, transforms."""

import numpy as np

import cases as grid
from cases import Case, family, i32, i64, numbers, types_of

BATCHES = ((), (2,), (2, 1))


def positive(op, n, dtype, *batch):
    """Symmetric positive definite matrices."""
    a = numbers(op, *(batch + (n, n)), dtype=dtype, low=-2, high=2)
    b = np.matmul(a, np.conj(np.swapaxes(a, -1, -2)))
    return (b + n * np.eye(n)).astype(dtype)


def regular(op, n, dtype, *batch):
    """Matrices far from singular."""
    a = numbers(op, *(batch + (n, n)), dtype=dtype, low=-1, high=1)
    return (a + 2 * n * np.eye(n)).astype(dtype)


@family("linalg", "MatMul BatchMatMul BatchMatMulV2")
def matmul(op):
    names = ("transpose_a", "transpose_b") if op == "MatMul" else ("adj_x", "adj_y")
    for dtype in types_of(op):
        a, b = numbers(op, 2, 3, dtype=dtype), numbers(op, 3, 4, dtype=dtype, seed=1)
        for first in (False, True):
            for second in (False, True):
                yield Case(
                    op, a.T if first else a, b.T if second else b,
                    attrs={names[0]: first, names[1]: second},
                )  # fmt: skip
        yield Case(op, a[:0], b, kind="empty")
        yield Case(op, a[:, :0], b[:0], kind="empty")
        yield Case(op, a, b.T, kind="mismatch")
        yield Case(op, a[0], b, kind="bad rank")
        if op != "MatMul":
            x, y = numbers(op, 2, 2, 3, dtype=dtype), numbers(op, 2, 3, 1, dtype=dtype, seed=1)
            yield Case(op, x, y, kind="batch")
            yield Case(op, x, y[:1], kind="broadcasting")
            yield Case(op, x, b, kind="broadcasting")
            yield Case(op, x[:, None], y[None], kind="broadcasting")
            yield Case(op, x, np.concatenate([y, y[:1]]), kind="mismatch")
        if dtype in grid.FLOATS:
            c = a.copy()
            c[0, 0] = np.nan
            yield Case(op, c, b, kind="special")
            c[0, 0] = np.inf
            yield Case(op, c, b, kind="special")


@family("linalg", "SparseMatMul")
def sparse_matmul(op):
    a, b = numbers(op, 2, 3), numbers(op, 3, 4, seed=1)
    for first in (False, True):
        for second in (False, True):
            yield Case(
                op, a.T if first else a, b.T if second else b, transpose_a=first,
                transpose_b=second, a_is_sparse=first,
            )  # fmt: skip
    yield Case(op, a, b.T, kind="mismatch")


@family(
    "linalg",
    "Cholesky BatchCholesky MatrixInverse BatchMatrixInverse MatrixDeterminant "
    "BatchMatrixDeterminant LogMatrixDeterminant MatrixSquareRoot Lu",
)
def one_matrix(op):
    for dtype in types_of(op, "T"):
        for n in (1, 3):
            for batch in BATCHES:
                if "Cholesky" in op or op == "MatrixSquareRoot":
                    yield Case(op, positive(op, n, dtype, *batch))
                else:
                    yield Case(op, regular(op, n, dtype, *batch))
        yield Case(op, np.zeros((2, 0, 0), dtype), kind="empty")
        yield Case(op, np.zeros((0, 2, 2), dtype), kind="empty")
        yield Case(op, numbers(op, 2, 3, dtype=dtype), kind="not square")
        if op != "MatrixSquareRoot":
            singular = np.ones((2, 2), dtype)
            singular[1, 1] = -1 if "Cholesky" in op else 1
            yield Case(op, singular, kind="singular")
    if "Inverse" in op:
        yield Case(op, regular(op, 3, "float32"), adjoint=True, kind="attr")
        yield Case(op, regular(op, 3, "complex64"), adjoint=True, kind="attr")
    if op == "Lu":
        yield Case(op, regular(op, 3, "float32"), output_idx_type="int64", kind="attr")


@family("linalg", "CholeskyGrad BatchCholeskyGrad")
def cholesky_gradient(op):
    for dtype in types_of(op):
        if dtype == "float16":
            continue
        for batch in BATCHES[:2]:
            low = np.tril(regular(op, 3, dtype, *batch))
            yield Case(op, low, np.tril(numbers(op, *(batch + (3, 3)), dtype=dtype)))
        yield Case(op, np.eye(3, dtype=dtype), np.eye(2, dtype=dtype), kind="mismatch")


@family("linalg", "MatrixExponential MatrixLogarithm")
def matrix_functions(op):
    for dtype in types_of(op):
        if dtype not in grid.COMPLEX and op == "MatrixLogarithm":
            continue
        yield Case(op, (positive(op, 3, dtype) / 8).astype(dtype))


@family(
    "linalg",
    "Qr Svd SelfAdjointEig SelfAdjointEigV2 BatchSelfAdjointEig BatchSelfAdjointEigV2 BatchSvd",
)
def decompositions(op):
    vectors = op in ("Qr", "Svd", "BatchSvd")
    for dtype in types_of(op):
        if dtype == "float16":
            continue
        for batch in BATCHES:
            if not vectors:
                # The diagonal: the eigenvectors are the axes, up to their signs.
                x = positive(op, 3, dtype, *batch)
            else:
                x = regular(op, 3, dtype, *batch)
            if op == "Qr":
                hidden = (0, 1)
            elif "Svd" in op:
                hidden = (1, 2)
            else:
                hidden = (1,) if op.endswith("V2") else (0,)
            yield Case(op, x, hidden=hidden)
            if op.endswith("V2"):
                yield Case(op, x, compute_v=False, hidden=(1,), kind="attr")
            elif "Svd" in op:
                yield Case(op, x[..., :2], compute_uv=False, hidden=(1, 2), kind="attr")
                yield Case(op, x[..., :2, :], full_matrices=True, hidden=(1, 2), kind="attr")
            elif op == "Qr":
                yield Case(op, x[..., :2], full_matrices=True, hidden=(0, 1), kind="attr")
        yield Case(op, np.zeros((0, 3, 3), dtype), hidden=hidden, kind="empty")
        yield Case(op, np.zeros(3, dtype), hidden=hidden, kind="bad rank")
        # A diagonal matrix has but one decomposition, whatever the signs.
        diagonal = np.diag(np.array([1, 2, 4], dtype))
        yield Case(op, diagonal, hidden=hidden, kind="diagonal")
        if not vectors:
            yield Case(op, np.zeros((2, 3), dtype), hidden=hidden, kind="not square")


@family("linalg", "MatrixSolve BatchMatrixSolve MatrixTriangularSolve BatchMatrixTriangularSolve")
def solve(op):
    triangular = "Triangular" in op
    for dtype in types_of(op):
        if dtype == "float16":
            continue
        for batch in BATCHES:
            a = regular(op, 3, dtype, *batch)
            b = numbers(op, *(batch + (3, 2)), dtype=dtype)
            for adjoint in (False, True):
                if triangular:
                    for lower in (False, True):
                        yield Case(op, a, b, adjoint=adjoint, lower=lower)
                else:
                    yield Case(op, a, b, adjoint=adjoint)
        a = regular(op, 3, dtype)
        b = numbers(op, 3, 2, dtype=dtype)
        yield Case(op, a, b[:, :0], kind="empty")
        yield Case(op, a, b[:2], kind="mismatch")
        yield Case(op, np.zeros((3, 3), dtype), b, kind="singular")


@family("linalg", "MatrixSolveLs BatchMatrixSolveLs")
def least_squares(op):
    for dtype in types_of(op):
        for batch in BATCHES[:2]:
            a = regular(op, 3, dtype, *batch)
            b = numbers(op, *(batch + (3, 2)), dtype=dtype)
            for regularizer in (0.0, 0.5):
                r = np.float64(regularizer)
                yield Case(op, a[..., :2], b, r)
                yield Case(op, a[..., :2, :], b[..., :2, :], r)
            yield Case(op, a[..., :2], b, np.float64(0), fast=False)
        yield Case(op, a, b[..., :2, :], np.float64(0), kind="mismatch")


@family("linalg", "TridiagonalMatMul TridiagonalSolve")
def tridiagonal(op):
    for dtype in types_of(op):
        d = numbers(op, 3, 4, dtype=dtype, low=-1, high=1)
        d[1] += 4
        b = numbers(op, 4, 2, dtype=dtype)
        if op == "TridiagonalSolve":
            yield Case(op, d, b)
            yield Case(op, d, b, partial_pivoting=False, kind="attr")
            yield Case(op, d[:2], b, kind="mismatch")
        else:
            yield Case(op, d[:1], d[1:2], d[2:], b)


@family("linalg", "MatrixBandPart BatchMatrixBandPart")
def band_part(op):
    for dtype in ("float32", "float64", "int32", "int64", "bool", "complex64"):
        x = numbers(op, 2, 3, 4, dtype=dtype)
        for low, high in ((0, 0), (1, -1), (-1, 0), (2, 1), (-1, -1)):
            yield Case(op, x, i64(low), i64(high))
        yield Case(op, x[:0], i64(0), i64(1), kind="empty")
        yield Case(op, x, i64(5), i64(0), kind="out of range")
        yield Case(op, x[0, 0], i64(0), i64(0), kind="bad rank")


@family("linalg", "Diag DiagPart MatrixDiag MatrixDiagPart BatchMatrixDiag BatchMatrixDiagPart")
def diagonals(op):
    for dtype in ("float32", "float64", "int32", "int64", "complex64", "bool"):
        if op.endswith("Part"):
            yield Case(op, numbers(op, 3, 3, dtype=dtype))
            yield Case(op, numbers(op, 2, 3, 2, 3, dtype=dtype))
            yield Case(op, numbers(op, 2, 3, dtype=dtype), kind="not square")
            yield Case(op, numbers(op, 3, dtype=dtype), kind="bad rank")
            yield Case(op, numbers(op, 0, 0, dtype=dtype), kind="empty")
        else:
            yield Case(op, numbers(op, 3, dtype=dtype))
            yield Case(op, numbers(op, 2, 3, dtype=dtype))
            yield Case(op, numbers(op, 0, dtype=dtype), kind="empty")
            yield Case(op, numbers(op, dtype=dtype), kind="scalar")


@family("linalg", "MatrixSetDiag BatchMatrixSetDiag")
def set_diagonal(op):
    for dtype in ("float32", "float64", "int32", "int64", "complex64", "bool"):
        x = numbers(op, 2, 3, 4, dtype=dtype)
        yield Case(op, x, numbers(op, 2, 3, dtype=dtype, seed=1))
        yield Case(op, x[0], numbers(op, 3, dtype=dtype, seed=1))
        yield Case(op, x[:0], numbers(op, 0, 3, dtype=dtype), kind="empty")
        yield Case(op, x, numbers(op, 2, 4, dtype=dtype), kind="mismatch")
        yield Case(op, x, numbers(op, 3, dtype=dtype), kind="mismatch")


@family("linalg", "MatrixDiagV2 MatrixDiagPartV2 MatrixSetDiagV2")
def diagonal_bands(op):
    for dtype in ("float32", "int32", "complex64"):
        fill = np.array(7, dtype)
        for k, count in ((0, 1), (1, 1), (-1, 1), ([-1, 1], 3), ([0, 1], 2)):
            if op == "MatrixDiagV2":
                d = numbers(op, *((2, 3) if count == 1 else (2, count, 3)), dtype=dtype)
                yield Case(op, d, i32(k), i32(-1), i32(-1), fill)
            elif op == "MatrixDiagPartV2":
                yield Case(op, numbers(op, 2, 3, 4, dtype=dtype), i32(k), fill)
            else:
                d = numbers(op, *((2, 3) if count == 1 else (2, count, 3)), dtype=dtype)
                x = numbers(op, 2, 3, 4 if k in (1, [0, 1], [-1, 1], 0) else 3, dtype=dtype)
                yield Case(op, x, d, i32(k))
        bad = i32([1, -1])
        if op == "MatrixDiagPartV2":
            yield Case(op, numbers(op, 2, 3, 4, dtype=dtype), bad, fill, kind="bad band")
            yield Case(op, numbers(op, 2, 3, 4, dtype=dtype), i32(9), fill, kind="bad band")
        elif op == "MatrixDiagV2":
            d = numbers(op, 2, 3, dtype=dtype)
            yield Case(op, d, i32(0), i32(4), i32(3), fill, kind="attr")
            yield Case(op, d, i32(0), i32(1), i32(1), fill, kind="mismatch")


@family("linalg", "Cross")
def cross(op):
    for dtype in types_of(op):
        x, y = numbers(op, 2, 3, dtype=dtype), numbers(op, 2, 3, dtype=dtype, seed=1)
        yield Case(op, x, y)
        yield Case(op, x[0], y[0])
        yield Case(op, x[:0], y[:0], kind="empty")
        yield Case(op, x[:, :2], y[:, :2], kind="mismatch")
        yield Case(op, x, y[0], kind="mismatch")


COMPLEX = "FFT FFT2D FFT3D IFFT IFFT2D IFFT3D".split()


@family("linalg", " ".join(COMPLEX + ["Batch" + name for name in COMPLEX]))
def fft(op):
    rank = int(op[-2]) if op.endswith("D") else 1
    types = ("complex64",) if op.startswith("Batch") else types_of(op)
    for dtype in types:
        for dims in ((4, 3, 5), (1, 2, 1), (8, 1, 2)):
            yield Case(op, numbers(op, *dims[-rank:], dtype=dtype))
            yield Case(op, numbers(op, 2, *dims[-rank:], dtype=dtype), kind="batch")
        yield Case(op, numbers(op, 0, *dims[-rank:], dtype=dtype), kind="empty")
        yield Case(op, numbers(op, dtype=dtype), kind="bad rank")


@family("linalg", "RFFT RFFT2D RFFT3D IRFFT IRFFT2D IRFFT3D")
def real_fft(op):
    rank = int(op[-2]) if op.endswith("D") else 1
    dtype = "complex64" if op.startswith("I") else "float32"
    for dims in ((4, 3, 5), (2, 2, 4)):
        x = numbers(op, 2, *dims[-rank:], dtype=dtype)
        for lengths in ([4] * rank, [6] * rank, [3] * rank, [1] * rank):
            yield Case(op, x, i32(lengths))
            yield Case(op, x[0], i32(lengths))
    yield Case(op, x[:0], i32([4] * rank), kind="empty")
    yield Case(op, x, i32([4] * (rank + 1)), kind="mismatch")
    yield Case(op, x, i32([-1] * rank), kind="negative")
