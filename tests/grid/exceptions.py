"""Wider tolerances, and the cases that do not hold, each with its reason."""

# {op types: (relative tolerance by dtype, reason)}
_HALF = "sums of float16 are rounded in another order"
_TOLERANCES = [
    (
        "Conv2D Conv2DBackpropFilter Conv2DBackpropInput Conv3D Conv3DBackpropFilter "
        "Conv3DBackpropFilterV2 Conv3DBackpropInput Conv3DBackpropInputV2 DepthwiseConv2dNative "
        "DepthwiseConv2dNativeBackpropFilter DepthwiseConv2dNativeBackpropInput",
        {"float16": 2e-2},
        _HALF,
    ),
    (
        "ResizeBicubicGrad ResizeBilinearGrad",
        {"float16": 2e-2, "float64": 1e-6},
        "the weights are float32 in all types, and sums are rounded in another order",
    ),
]
TOLERANCES = {op: (rtol, text) for ops, rtol, text in _TOLERANCES for op in ops.split()}

# (op types, kind or None, dtype or None, reason)
_EXCEPTIONS = [
    ("Equal Less", "denormal", None, "numbers below the smallest normal one are not flushed to 0"),
    (
        "TopKV2",
        "special",
        None,
        "with NaN among the inputs, TensorFlow's order depends on its sorting algorithm",
    ),
    (
        "CumulativeLogsumexp",
        "special",
        None,
        "TensorFlow ignores a NaN and keeps the sum before it",
    ),
    ("MutableDenseHashTable", None, None, "TensorFlow 1.15 cannot make the table of this old op"),
    (
        "FractionalAvgPool FractionalMaxPool",
        None,
        None,
        "TensorFlow infers shapes of the pooling sequences that are one too small",
    ),
    (
        "ExtractVolumePatches",
        None,
        None,
        "TensorFlow infers a rank that is too small",
    ),
    (
        "UniqueV2 UniqueWithCountsV2",
        None,
        None,
        "TensorFlow infers a vector where the rank is unknown",
    ),
    (
        "MatrixSetDiagV2",
        "ordinary",
        None,
        "TensorFlow refuses several diagonals whose indices are not known statically",
    ),
    ("Const", None, None, "a value whose type differs from the attr `dtype` is accepted"),
    ("DepthwiseConv2dNative", "bad strides", None, "the two strides may differ"),
    (
        "QuantizeV2 Dequantize",
        None,
        None,
        "32-bit steps are computed without overflow, which is undefined behaviour in TensorFlow",
    ),
    (
        "DecodeJSONExample",
        None,
        None,
        "repeated numbers are packed; parsers accept both forms",
    ),
    ("Variable VariableV2", "declared", None, "a partly known shape is accepted"),
    (
        "ResourceApplyAdam",
        "not initialized",
        None,
        "an uninitialized variable raises NotFoundError; in TensorFlow InternalError",
    ),
]
# The same of gradients.
_GRADIENT_EXCEPTIONS = [
    (
        "TridiagonalSolve MatrixSolveLs",
        None,
        None,
        "gradients: TensorFlow omits the conjugate of complex numbers",
    ),
    (
        "MatrixDiagV2 MatrixDiagPartV2 MatrixSetDiagV2",
        None,
        None,
        "gradients: TensorFlow ignores which diagonals were selected",
    ),
    ("BlockLSTMV2", None, None, "gradients: TensorFlow takes the gates in the order of BlockLSTM"),
    ("RGBToHSV", None, None, "gradients: equal channels share the gradient"),
    ("Tan", "large", None, "gradients: squares of complex numbers overflow"),
    ("Softmax", None, None, "gradients: differences of nearly equal float16 are rounded"),
]
EXCEPTIONS = [
    (op, kind, dtype, text) for ops, kind, dtype, text in _EXCEPTIONS for op in ops.split()
]
GRADIENT_EXCEPTIONS = [
    (op, kind, dtype, text) for ops, kind, dtype, text in _GRADIENT_EXCEPTIONS for op in ops.split()
]
# Ops whose compiled form may differ from the record in the test of whole programs.
COMPILED = {}


# Of gradients, which are made of several nodes, for the ops that follow and all others.
_GRADIENT_TOLERANCES = [
    ("Conv2D Conv2DBackpropFilter Conv2DBackpropInput Conv3D", {"float16": 5e-2}),
    ("DepthwiseConv2dNative", {"float16": 5e-2}),
    ("ResizeBicubic ResizeBilinear", {"float16": 2e-2, "float64": 1e-6}),
    ("Betainc", {"float32": 1e-4}),
]  # fmt: skip
GRADIENT_TOLERANCES = {op: rtol for ops, rtol in _GRADIENT_TOLERANCES for op in ops.split()}
GRADIENT_TOLERANCE = {"float16": 2e-2}


def tolerance(case):
    """The relative tolerance of a case if it is wider than that of its dtype."""
    if case.gradient:
        wider = GRADIENT_TOLERANCES.get(case.op, GRADIENT_TOLERANCE)
        return max([wider.get(dtype, 0.0) for dtype in case.dtypes()]) or None
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
    for op, kind, dtype, text in GRADIENT_EXCEPTIONS if result.case.gradient else EXCEPTIONS:
        if op == result.op and kind in (None, result.case.kind):
            if dtype is None or dtype in result.case.dtypes():
                return text
    return None
