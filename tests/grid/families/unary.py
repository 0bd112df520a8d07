"""Ops of one tensor, element by element."""

import numpy as np

import cases as grid
from cases import Case, denormal, extreme, family, numbers, special, types_of

ALL = """
Abs Neg Sign Square Sqrt Rsqrt Reciprocal Inv Exp Expm1 Log Log1p Sigmoid Tanh
Sin Cos Tan Asin Acos Atan Sinh Cosh Asinh Acosh Atanh
Erf Erfc Lgamma Digamma BesselI0e BesselI1e
Ceil Floor Rint Round IsFinite IsInf IsNan
Invert PopulationCount Conj Softplus Softsign Elu Selu Relu Relu6 LeakyRelu
ZerosLike OnesLike Identity StopGradient PreventGradient CheckNumerics GuaranteeConst
DeepCopy Snapshot
"""
# The ranges of interesting arguments of some functions.
RANGES = {"Asin": (-1, 2), "Acos": (-1, 2), "Atanh": (-1, 2), "Acosh": (1, 6), "Log1p": (-1, 8)}
# With infinite parts of complex numbers, TensorFlow's result depends on the position in the tensor:
# vectorized and scalar code have different formulas. There is nothing to compare.
BY_PLACE = {"Inv", "Reciprocal", "Square"}
# What is done with numbers below the smallest normal one is the same in all ops.
DENORMAL = "Abs Neg Square Exp Sin Identity Floor Rsqrt".split()


@family("unary", ALL)
def unary(op):
    low, high = RANGES.get(op, (-4, 5))
    for dtype in types_of(op):
        options = {"message": "seen"} if op == "CheckNumerics" else {}

        def case(x, kind):
            return Case(op, x, kind=kind, attrs=dict(options))

        yield case(numbers(op, 2, 7, dtype=dtype, low=low, high=high), "ordinary")
        yield case(numbers(op, 3, dtype=dtype, low=0, high=100), "large")
        yield case(numbers(op, dtype=dtype, low=low, high=high), "scalar")
        yield case(numbers(op, 2, 0, 3, dtype=dtype), "empty")
        if dtype in grid.FLOATS or dtype in grid.COMPLEX and op not in BY_PLACE:
            yield case(special(dtype), "special")
        if dtype == "float32" and op in DENORMAL:
            yield case(denormal(dtype), "denormal")
        if dtype not in ("string", "bool"):
            yield case(extreme(dtype), "extreme")


@family("unary", "LeakyRelu")
def leaky(op):
    for dtype in types_of(op):
        yield Case(op, numbers(op, 5, dtype=dtype), alpha=0.5, kind="attr")


@family("unary", "Real Imag Angle ComplexAbs")
def parts(op):
    for dtype, out in (("complex64", "float32"), ("complex128", "float64")):
        for x, kind in (
            (numbers(op, 2, 3, dtype=dtype), "ordinary"),
            (numbers(op, dtype=dtype), "scalar"),
            (numbers(op, 0, dtype=dtype), "empty"),
            (special(dtype), "special"),
            (extreme(dtype), "extreme"),
        ):
            yield Case(op, x, Tout=out, kind=kind)


@family("unary", "LogicalNot")
def logical_not(op):
    for shape in ((2, 3), (), (0, 2)):
        yield Case(op, numbers(op, *shape, dtype="bool"))


GRADIENTS = """
SigmoidGrad TanhGrad SqrtGrad RsqrtGrad ReciprocalGrad InvGrad SoftplusGrad SoftsignGrad
EluGrad SeluGrad ReluGrad Relu6Grad LeakyReluGrad
"""


@family("unary", GRADIENTS)
def gradients(op):
    for dtype in types_of(op):
        low = 1 if op in ("SqrtGrad", "RsqrtGrad", "ReciprocalGrad", "InvGrad") else -4
        yield Case(
            op, numbers(op, 3, 4, dtype=dtype, low=low), numbers(op, 3, 4, dtype=dtype, seed=1)
        )
        yield Case(op, numbers(op, dtype=dtype, low=1), numbers(op, dtype=dtype), kind="scalar")
        yield Case(op, numbers(op, 0, 3, dtype=dtype), numbers(op, 0, 3, dtype=dtype), kind="empty")
        if "lu" in op or "Soft" in op:  # the others read past the end of the shorter one
            x, y = numbers(op, 3, dtype=dtype), numbers(op, 4, dtype=dtype)
            yield Case(op, x, y, kind="mismatch")
        if dtype in grid.FLOATS:
            x = special(dtype)
            yield Case(op, x, np.ones_like(x), kind="special")
            yield Case(op, np.ones_like(x), x, kind="special")


@family("unary", "Cast")
def cast(op):
    for source in grid.DTYPES[:-1]:
        for target in grid.DTYPES[:-1]:
            kinds = [(numbers(op, 2, 5, dtype=source, low=0, high=9), "ordinary")]
            if source in grid.FLOATS and target in grid.FLOATS + grid.COMPLEX + ("bool",):
                kinds.append((special(source), "special"))
                kinds.append((extreme(source), "extreme"))
            if source in grid.FLOATS and target in grid.INTEGERS:
                kinds.append((numbers(op, 2, 5, dtype=source, low=-9, high=9), "negative"))
                kinds.append((special(source), "special"))
                kinds.append((extreme(source), "extreme"))
            if source in grid.INTEGERS:
                kinds.append((extreme(source), "extreme"))
            kinds.append((numbers(op, dtype=source), "scalar"))
            for x, kind in kinds:
                yield Case(op, x, DstT=target, kind=kind)
        x = numbers(op, 2, 5, dtype=source, low=0, high=9)
        yield Case(op, x, DstT="bfloat16", kind="bfloat16")
    yield Case(op, extreme("float64"), DstT="float32", Truncate=True, kind="attr")
