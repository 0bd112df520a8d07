"""Rules for ops that treat each number or string alone, with broadcasting."""

from __future__ import annotations

import numpy as np

from headwater.graph.builders import build
from headwater.graph.row_functions.row_op import (
    NotRowWise,
    RowOp,
    Value,
    row_rule,
)


@row_rule(
    *("Abs", "Neg", "Sign", "Reciprocal", "Inv", "Square", "Sqrt", "Rsqrt", "Round", "Rint"),
    *("Exp", "Expm1", "Log", "Log1p", "Sinh", "Cosh", "Tanh", "Asinh", "Acosh", "Atanh"),
    *("Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Sigmoid", "Lgamma", "Digamma", "Erf", "Erfc"),
    *("Relu", "Relu6", "Elu", "Selu", "LeakyRelu", "Softplus", "Softsign", "Floor", "Ceil"),
    *("IsNan", "IsInf", "IsFinite", "LogicalNot", "Invert", "CheckNumerics"),
    *("Real", "Imag", "Conj", "ComplexAbs", "Angle", "Cast", "Identity", "StopGradient"),
    *("PreventGradient", "Snapshot", "ZerosLike", "OnesLike", "GuaranteeConst"),
    *("StringToNumber", "AsString", "StringLength", "StringLower", "StringUpper", "StringStrip"),
    *("StaticRegexReplace", "StaticRegexFullMatch", "StringToHashBucket"),
    *("StringToHashBucketFast", "StringToHashBucketStrong", "EncodeBase64", "DecodeBase64"),
    # These give each string a vector of numbers.
    "DecodeRaw",
)
def unary(op: RowOp) -> list[Value]:
    return op.again([op.stacked(0)])


@row_rule(
    *("Add", "AddV2", "Sub", "Mul", "MulNoNan", "Div", "DivNoNan", "RealDiv", "FloorDiv"),
    # Not Pow: NumPy takes other ways for a single exponent, which differ in the last bit.
    *("TruncateDiv", "Mod", "FloorMod", "TruncateMod", "Maximum", "Minimum"),
    *("SquaredDifference", "Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual"),
    *("LogicalAnd", "LogicalOr", "Atan2", "BitwiseAnd", "BitwiseOr", "BitwiseXor"),
    *("LeftShift", "RightShift", "Xdivy", "Xlogy", "Complex", "ClipByValue"),
)
def broadcast(op: RowOp) -> list[Value]:
    count = len(op.inputs)
    rank = max(op.rank(i) for i in range(count))
    return op.again([op.lifted(i, rank) for i in range(count)])


@row_rule("AddN", "AccumulateNV2")
def add_n(op: RowOp) -> list[Value]:
    if op.op._record.name == "AccumulateNV2":
        raise NotRowWise
    return op.again([op.stacked(i) for i in range(len(op.inputs))])


@row_rule("Select")
def select(op: RowOp) -> list[Value]:
    # A vector of conditions chooses rows.
    return op.again([op.stacked(i) for i in range(3)])


@row_rule("BiasAdd")
def bias_add(op: RowOp) -> list[Value]:
    if op.attr("data_format") not in ("NHWC", b"NHWC"):
        raise NotRowWise
    return op.again([op.stacked(0), op.shared(1)])


@row_rule("RegexReplace", "RegexFullMatch", "LookupTableFindV2")
def shared_settings(op: RowOp) -> list[Value]:
    position = 1 if op.op._record.name == "LookupTableFindV2" else 0
    rest = range(len(op.inputs))
    return op.again([op.stacked(i) if i == position else op.shared(i) for i in rest])


@row_rule("Substr")
def substr(op: RowOp) -> list[Value]:
    if op.rank(1):
        raise NotRowWise
    return op.again([op.stacked(0), op.shared(1), op.shared(2)])


@row_rule("StringJoin")
def string_join(op: RowOp) -> list[Value]:
    positions = range(len(op.inputs))
    ranks = {op.rank(i) for i in positions if op.inputs[i].stacked}
    if len(ranks) != 1:
        raise NotRowWise
    rank = ranks.pop()
    if any(not op.inputs[i].stacked and op.rank(i) not in (0, rank) for i in positions):
        raise NotRowWise
    return op.again([op.inputs[i].tensor if not op.rank(i) else op.stacked(i) for i in positions])


@row_rule("DecodeCSV")
def decode_csv(op: RowOp) -> list[Value]:
    defaults = [op.shared(i) for i in range(1, len(op.inputs))]
    return op.again([op.stacked(0), *defaults])


@row_rule("Assert")
def assert_(op: RowOp) -> list[Value]:
    # What the message shows does not matter: after an error, elements are computed one by one.
    condition = op.inputs[0].tensor
    if op.inputs[0].stacked:
        condition = build.All(condition, np.int32(0))
    build.Assert(condition, [condition])
    return []
