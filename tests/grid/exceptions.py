"""Wider tolerances, and the cases that do not hold, each with its reason."""

# {op types: (relative tolerance by dtype, reason)}
_HALF = "sums of float16 are rounded in another order"
_TOLERANCES = [
    (
        "Conv2D Conv2DBackpropFilter Conv2DBackpropInput Conv3D Conv3DBackpropFilter "
        "Conv3DBackpropFilterV2 Conv3DBackpropInput Conv3DBackpropInputV2 DepthwiseConv2dNative "
        "DepthwiseConv2dNativeBackpropFilter DepthwiseConv2dNativeBackpropInput "
        "ResizeBilinearGrad",
        {"float16": 2e-2},
        _HALF,
    ),
    (
        "ResizeBicubicGrad",
        {"float64": 1e-6},
        "the weights are float32 in all types",
    ),
]
TOLERANCES = {op: (rtol, text) for ops, rtol, text in _TOLERANCES for op in ops.split()}

_TINY = "numbers below the smallest normal one are not flushed to zero"
_NAN_ORDER = "which number wins over NaN depends on how the elements fall into vector registers"
_PARTS = "NaN and infinity in parts of complex numbers follow NumPy's formulas"
_MORE = "Headwater computes it; the release has no kernel for the CPU"
_ROWS = (
    "repeated rows are updated once, from the old value; optimizers add up the rows of repeated "
    "indices before they get here"
)
_BIG = "the release takes a negative length for a huge one; the texts name it as it is"

# (op types, kind or None, dtype or None, reason)
_EXCEPTIONS = []
EXCEPTIONS = [
    (op, kind, dtype, text) for ops, kind, dtype, text in _EXCEPTIONS for op in ops.split()
]
# Ops whose compiled form may differ from the record in the test of whole programs.
COMPILED = {}


def tolerance(case):
    """The relative tolerance of a case if it is wider than that of its dtype."""
    found = TOLERANCES.get(case.op)
    if found is None:
        return None
    for dtype in case.dtypes():
        if dtype in found[0]:
            return found[0][dtype]
    return None


def reason(release, result):
    """Why a case that does not hold may differ, or None."""
    if result.problem == "as in release 1.15.5":
        return "release 1.15.5 gives something else than 1.0.0, and Headwater follows it"
    for op, kind, dtype, text in EXCEPTIONS:
        if op == result.op and kind in (None, result.case.kind):
            if dtype is None or dtype in result.case.dtypes():
                return text
    return None
