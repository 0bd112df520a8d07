"""Ops of two or three tensors, element by element with broadcasting."""

import numpy as np

import cases as grid
from cases import Case, denormal, extreme, family, filled, numbers, special, types_of

ALL = """
Add AddV2 Sub Mul Div RealDiv FloorDiv TruncateDiv FloorMod Mod TruncateMod Maximum Minimum Pow
SquaredDifference Atan2 DivNoNan MulNoNan Xdivy Xlogy NextAfter
BitwiseAnd BitwiseOr BitwiseXor LeftShift RightShift
Equal NotEqual Less LessEqual Greater GreaterEqual
"""
DIVISIONS = "Div RealDiv FloorDiv TruncateDiv FloorMod Mod TruncateMod".split()
SHIFTS = ("LeftShift", "RightShift")
DENORMAL = ("Add", "Mul", "Maximum", "Less", "Equal")
SHAPES = [((2, 3), (2, 3)), ((2, 1, 3), (4, 1)), ((), (3,)), ((2, 3), ()), ((), ())]
EMPTY = [((0, 3), (0, 3)), ((0,), ()), ((2, 0, 1), (3,))]


@family("binary", ALL)
def binary(op):
    for dtype in types_of(op):
        whole = dtype in grid.INTEGERS
        for left, right in SHAPES + EMPTY:
            x = numbers(op, *left, dtype=dtype)
            y = numbers(op, *right, dtype=dtype, seed=1)
            if op in DIVISIONS and whole or op == "Pow" and whole or op in SHIFTS:
                y = np.abs(y) + np.asarray(1, dtype)
            if op == "Pow" and dtype in grid.FLOATS:
                x = np.abs(x)
            y = y.astype(x.dtype)
            kind = "empty" if 0 in left else "broadcasting" if left != right else "ordinary"
            yield Case(op, x, y, kind=kind if left or right else "scalar")
        x, y = numbers(op, 2, 3, dtype=dtype), numbers(op, 4, dtype=dtype)
        yield Case(op, x, y, kind="mismatch")
        if dtype in grid.FLOATS:
            x = special(dtype)
            yield Case(op, x[:, None], x[None, :], kind="special")
            x = extreme(dtype)
            yield Case(op, x[:, None], x[None, :], kind="extreme")
            x = numbers(op, 5, dtype=dtype, low=-9, high=9)
            yield Case(op, x, numbers(op, 7, 1, dtype=dtype, seed=3), kind="ordinary")
        if dtype == "float32" and op in DENORMAL:
            yield Case(op, denormal(dtype), np.zeros(4, dtype), kind="denormal")
        if dtype in grid.COMPLEX:
            x = numbers(op, 4, 1, dtype=dtype)
            yield Case(op, x, np.zeros(2, dtype), kind="special")
        if whole:
            yield from whole_numbers(op, dtype)
        if dtype == "string":
            x = grid.strings(b"", b"a", b"b", b"ab", b"\xff")
            yield Case(op, x[:, None], x[None, :], kind="broadcasting")


def whole_numbers(op, dtype):
    x = np.array([0, 1, 2, 3, 7, 10, 100], dtype)
    if not dtype.startswith("uint"):
        x = np.concatenate([x, -x[1:]])
    y = extreme(dtype)
    if op in SHIFTS:
        yield Case(op, y[:, None], np.arange(8, dtype=dtype), kind="extreme")
        return
    if op in DIVISIONS:
        y = y[y != 0]
        divisors = np.concatenate([x[1:], y])
        yield Case(op, x[:, None], divisors[divisors != 0], kind="extreme")
        # The smallest integer divided by -1 overflows, which may end the process.
        yield Case(op, y[:, None], np.array([1, 2, 3, 7], dtype), kind="extreme")
        yield Case(op, x, np.zeros_like(x), kind="zero divisor")
        yield Case(op, x, np.asarray(0, dtype), kind="zero divisor")
        return
    if op == "Pow":
        yield Case(op, x[:, None], np.array([0, 1, 2, 3, 5], dtype), kind="ordinary")
        yield Case(op, y[:, None], np.array([0, 1, 2, 31], dtype), kind="extreme")
        if not dtype.startswith("uint"):
            yield Case(op, x[:, None], np.array([-1, -2], dtype), kind="negative exponent")
            yield Case(op, np.array([2, 3], dtype), np.asarray(-1, dtype), kind="negative exponent")
        return
    yield Case(op, x[:, None], x[None, :], kind="ordinary")
    yield Case(op, y[:, None], np.concatenate([x, y]), kind="extreme")


@family("binary", "LogicalAnd LogicalOr")
def logical(op):
    for left, right in SHAPES + EMPTY:
        yield Case(op, numbers(op, *left, dtype="bool"), numbers(op, *right, dtype="bool", seed=1))


@family("binary", "Complex")
def complex_(op):
    for dtype, out in (("float32", "complex64"), ("float64", "complex128")):
        for left, right in SHAPES + EMPTY:
            x, y = numbers(op, *left, dtype=dtype), numbers(op, *right, dtype=dtype, seed=1)
            yield Case(op, x, y, Tout=out)
        x = special(dtype)
        yield Case(op, x[:, None], x[None, :], Tout=out, kind="special")


@family("binary", "ApproximateEqual")
def approximate_equal(op):
    for dtype in types_of(op):
        for shape in ((2, 3), (), (0,)):
            x = numbers(op, *shape, dtype=dtype)
            yield Case(op, x, (x + np.asarray(1, dtype)).astype(dtype), tolerance=1.5)
            yield Case(op, x, x, tolerance=1e-5)
        if dtype in grid.FLOATS:
            yield Case(op, special(dtype), special(dtype), kind="special")
        yield Case(op, numbers(op, 3, dtype=dtype), numbers(op, 4, dtype=dtype), kind="mismatch")


@family("binary", "Igamma Igammac IgammaGradA Zeta Polygamma")
def gamma_functions(op):
    for dtype in types_of(op):
        low = 1 if op in ("Zeta", "Polygamma") else 0
        a = numbers(op, 9, dtype=dtype, low=low, high=9)
        if op == "Polygamma":
            a = np.floor(a)
        if op == "Zeta":
            a = a + np.asarray(0.5, dtype)
        if op == "IgammaGradA":
            a = a + np.asarray(0.125, dtype)
        x = numbers(op, 7, 1, dtype=dtype, low=0, high=9, seed=1) + np.asarray(0.125, dtype)
        yield Case(op, a, x, kind="ordinary")
        yield Case(op, a, numbers(op, dtype=dtype, low=1, high=9), kind="broadcasting")
        yield Case(op, a[3], x[2, 0], kind="scalar")
        yield Case(op, a[:0], x[2, 0], kind="empty")
        yield Case(op, a, x[:4, 0], kind="mismatch")
        edge = np.array([0.0, -1.0, -0.5, 1.0, 20.0], dtype)
        yield Case(op, edge[:, None], edge[None, :], kind="edge")
        if op != "IgammaGradA":
            yield Case(op, special(dtype), np.ones(7, dtype), kind="special")
            yield Case(op, np.full(7, 2, dtype), special(dtype), kind="special")


@family("binary", "Betainc")
def betainc(op):
    for dtype in types_of(op):
        a = numbers(op, 6, dtype=dtype, low=1, high=9)
        b = numbers(op, 6, dtype=dtype, low=1, high=9, seed=1)
        x = np.arange(6).astype(dtype) / np.asarray(8, dtype)
        yield Case(op, a, b, x)
        yield Case(op, a, b[0], x[3], kind="broadcasting")
        yield Case(op, a[0], b[0], x, kind="broadcasting")
        yield Case(op, a[0], b[0], x[2], kind="scalar")
        yield Case(op, a[:0], b[:0], x[:0], kind="empty")
        yield Case(op, a, b[:3], x, kind="mismatch")
        edge = np.array([0.0, 1.0, -1.0, np.inf, np.nan, 0.0, 2.0, 2.0], dtype)
        half = np.full(8, 0.5, dtype)
        yield Case(op, edge, half, half, kind="edge")
        yield Case(op, half, edge, half, kind="edge")
        yield Case(op, half, half, edge, kind="edge")


@family("binary", "ClipByValue")
def clip(op):
    for dtype in types_of(op):
        if dtype in grid.COMPLEX:
            continue
        x = numbers(op, 3, 4, dtype=dtype, low=0, high=20)
        low, high = filled(3, dtype), filled(10, dtype)
        yield Case(op, x, low, high)
        yield Case(op, x, filled(3, dtype, 3, 4), filled(10, dtype, 3, 4))
        yield Case(op, x, filled(3, dtype, 3, 4), high)
        yield Case(op, x, low, filled(10, dtype, 3, 4))
        yield Case(op, x[0, 0], low, high, kind="scalar")
        yield Case(op, x[:0], low, high, kind="empty")
        yield Case(op, x, filled(3, dtype, 2), high, kind="mismatch")
        if dtype in grid.FLOATS:
            yield Case(op, special(dtype), low, high, kind="special")


@family("binary", "Select SelectV2")
def select(op):
    for dtype in types_of(op, "T"):
        x, y = numbers(op, 3, 4, dtype=dtype), numbers(op, 3, 4, dtype=dtype, seed=1)
        yield Case(op, numbers(op, 3, 4, dtype="bool"), x, y)
        yield Case(op, numbers(op, 3, dtype="bool"), x, y, kind="broadcasting")
        yield Case(op, np.array(True), x, y, kind="broadcasting")
        yield Case(op, np.array(False), x[0, 0], y[0, 0], kind="scalar")
        yield Case(op, numbers(op, 0, 4, dtype="bool"), x[:0], y[:0], kind="empty")
        yield Case(op, numbers(op, 4, dtype="bool"), x, y, kind="mismatch")
        yield Case(op, numbers(op, 3, 1, dtype="bool"), x, y[0, 0], kind="broadcasting")


@family("binary", "Where")
def where(op):
    for dtype in types_of(op):
        if dtype == "string":
            continue
        for shape in ((5,), (2, 3), (2, 2, 2), (0, 3)):
            yield Case(op, numbers(op, *shape, dtype=dtype, low=-1, high=2))
        yield Case(op, numbers(op, dtype=dtype), kind="scalar")
        if dtype in grid.FLOATS:
            yield Case(op, special(dtype), kind="special")


@family("binary", "AddN AccumulateNV2")
def add_n(op):
    for dtype in types_of(op):
        more = {"shape": [2, 3]} if op == "AccumulateNV2" else {}
        x = [numbers(op, 2, 3, dtype=dtype, seed=i) for i in range(3)]
        yield Case(op, x, **more)
        yield Case(op, x[:1], **more)
        yield Case(op, [v[:, :2] for v in x[:2]] + [x[0]], kind="mismatch", **more)
        if op == "AddN":
            yield Case(op, [v[0, 0] for v in x], kind="scalar")
            yield Case(op, [v[:0] for v in x], kind="empty")
        else:
            yield Case(op, [v[0, 0] for v in x], shape=[], kind="scalar")
