"""Wider tolerances, and the cases that do not hold, each with its reason."""

import cases as grid

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
_EXCEPTIONS = [
    ("FloorDiv", "extreme", None, _TINY),
    ("Equal Less Rsqrt Floor", "denormal", None, _TINY),
    ("TruncateDiv TruncateMod", "zero divisor", None, "the release calls it an internal error"),
    ("Xdivy Sign Rsqrt Reciprocal Inv Expm1 Log1p Sigmoid", "special", None, _PARTS),
    ("Sign Expm1 Log1p", "extreme", None, _PARTS),
    (
        "Expm1",
        None,
        None,
        "of complex numbers the release leaves the branch if the imaginary part is beyond pi",
    ),
    ("Where", None, "float16", _MORE),
    ("SpaceToDepth DepthToSpace", "attr", None, _MORE),
    ("Max Min MaxPool SegmentMax SegmentMin CumulativeLogsumexp", "special", None, _NAN_ORDER),
    ("TopKV2", "special", None, "there is no order of numbers with NaN among them"),
    ("Mean", "empty", None, "the mean of no complex numbers is NaN, as that of no floats"),
    ("Bincount", "mismatch", None, "weights that belong to no element are refused"),
    ("MutableDenseHashTable", None, None, "the release cannot make this old table"),
    (
        "FractionalAvgPool FractionalMaxPool",
        None,
        None,
        "the release infers sequences one shorter than they are",
    ),
    ("FractionalAvgPoolGrad", None, None, "halves of integers are rounded down"),
    ("ExtractVolumePatches", None, None, "the release infers a rank that is too small"),
    ("UniqueV2 UniqueWithCountsV2", None, None, "the release infers a vector whatever the axis"),
    ("FusedBatchNormV3", None, None, "the shape of the last output, a work space, is known"),
    (
        "MatrixSetDiagV2",
        "ordinary",
        None,
        "the release infers nothing of bands that it does not know",
    ),
    (
        "LSTMBlockCellGrad BlockLSTMGrad BlockLSTMGradV2",
        "ordinary",
        None,
        "where inputs are of unknown rank, the rank of the gradients is not inferred",
    ),
    (
        "MatrixDiagV2 MatrixDiagPartV2 CholeskyGrad DeserializeSparse Conv2D Conv3D "
        "CombinedNonMaxSuppression LookupTableFindV2 LookupTableImport ParseExample Const",
        None,
        None,
        "bad input is found at another time or called by another class of error",
    ),
    ("Lu", "singular", None, "a singular matrix is decomposed too"),
    ("DepthwiseConv2dNative", "bad strides", None, "the strides may differ"),
    ("DrawBoundingBoxesV2", None, None, "without colours the usual ones are taken"),
    ("RFFT RFFT2D RFFT3D IRFFT IRFFT2D IRFFT3D", "negative", None, _BIG),
    ("SparseTensorDenseMatMul", None, "complex64", "the release does not conjugate A"),
    ("QuantizeV2 Dequantize", None, None, "32-bit steps are worked out without overflow"),
    ("StringNGrams", None, None, "the release reads past the end of an empty row"),
    (
        "DecodeJSONExample",
        None,
        None,
        "numbers are packed; every reader of Protocol Buffers takes both forms",
    ),
    ("MaxPool3DGrad", "ordinary", None, "of equal largest elements the first gets the gradient"),
    ("DecodePaddedRaw", None, None, "of wide types the release reads the first text only"),
    ("ScatterNd", None, "string", "strings are not added up"),
    ("Variable VariableV2", "declared", None, "a partly known shape is a shape without a value"),
]
_EXCEPTIONS += [
    (op, "repeated", None, _ROWS)
    for op in grid.opdefs()
    if "SparseApply" in op and not op.startswith("_")
] + [
    (
        op,
        "not initialized",
        None,
        "a variable without a value is not found, where the release calls it invalid",
    )
    for op in grid.opdefs()
    if op.startswith("ResourceApply")
]
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
