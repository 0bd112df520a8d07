"""Rules for op types: the same op for all iterations, whose values stand along a first axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.graph import Tensor, build, constant_value, convert_to_tensor, shape_tensor
from headwater.model.parallel_for.call import Call, NoRule, Value, all_stacked, rule
from headwater.ops.array.concat import concat
from headwater.ops.array.reshape import reshape
from headwater.ops.array.tile import tile


@rule(
    *("Abs", "Acos", "Acosh", "Angle", "Asin", "Asinh", "Atan", "Atanh", "BesselI0e", "BesselI1e"),
    *("Cast", "Ceil", "CheckNumerics", "ComplexAbs", "Conj", "Cos", "Cosh", "Digamma", "Elu"),
    *("Erf", "Erfc", "Exp", "Expm1", "Floor", "Identity", "Imag", "Inv", "IsFinite", "IsInf"),
    *("IsNan", "LeakyRelu", "Lgamma", "Log", "Log1p", "LogicalNot", "Neg", "OnesLike", "Real"),
    *("Reciprocal", "Relu", "Relu6", "Rint", "Round", "Rsqrt", "Selu", "Sigmoid", "Sign", "Sin"),
    *("Sinh", "Snapshot", "Softplus", "Softsign", "Sqrt", "Square", "StopGradient", "Tan", "Tanh"),
    *("ZerosLike", "PreventGradient", "Bitcast", "Softmax", "LogSoftmax", "ClipByValue"),
    *("Cholesky", "MatrixInverse", "MatrixDeterminant", "MatrixDiag", "MatrixDiagPart", "Invert"),
    *("MatrixBandPart", "Qr", "SelfAdjointEigV2", "Svd", "TopKV2", "Bucketize", "AsString"),
    *("FFT", "FFT2D", "FFT3D", "IFFT", "IFFT2D", "IFFT3D", "RFFT", "RFFT2D", "IRFFT", "IRFFT2D"),
    *("AdjustContrastv2", "HSVToRGB", "RGBToHSV", "DebugGradientIdentity"),
)
def _unchanged(call: Call) -> list[Value]:
    """An op that treats each row alike."""
    others = [call.same_for_all(number) for number in range(1, len(call.inputs))]
    return all_stacked(call.again([call.stacked(0), *others]))


@rule(
    *("Add", "AddV2", "Atan2", "Complex", "Div", "DivNoNan", "Equal", "FloorDiv", "FloorMod"),
    *("Greater", "GreaterEqual", "Igamma", "Igammac", "Less", "LessEqual", "LogicalAnd"),
    *("LogicalOr", "Maximum", "Minimum", "Mod", "Mul", "MulNoNan", "NotEqual", "Pow", "RealDiv"),
    *("SelectV2", "SquaredDifference", "Sub", "TruncateDiv", "TruncateMod", "Xdivy", "Xlogy"),
    *("BitwiseAnd", "BitwiseOr", "BitwiseXor", "LeftShift", "RightShift", "Zeta", "Polygamma"),
)
def _broadcasting(call: Call) -> list[Value]:
    """An op of inputs that are broadcast to each other from the last axis on."""
    wanted = max(call.rank(number) for number in range(len(call.inputs)))
    inputs = []
    for number, value in enumerate(call.inputs):
        tensor, missing = value.tensor, wanted - call.rank(number)
        if value.is_stacked and missing:
            shape = shape_tensor(tensor)
            tensor = reshape(tensor, concat([shape[:1], [1] * missing, shape[1:]], 0))
        inputs.append(tensor)
    return all_stacked(call.again(inputs))


@rule(
    *("AddN", "AccumulateNV2", "EluGrad", "InvGrad", "LeakyReluGrad", "ReciprocalGrad"),
    *("Relu6Grad", "ReluGrad", "RsqrtGrad", "SeluGrad", "SigmoidGrad", "SoftplusGrad"),
    *("SoftsignGrad", "SqrtGrad", "TanhGrad", "MatrixSolve", "MatrixTriangularSolve"),
    *("MatrixSetDiag", "Cross"),
)
def _of_equal_shapes(call: Call) -> list[Value]:
    """An op of inputs with the same leading axes."""
    return all_stacked(call.again([call.stacked(number) for number in range(len(call.inputs))]))


@rule("Select")
def _select(call: Call) -> list[Value]:
    if call.rank(0) == 0 and not call.inputs[0].is_stacked:
        condition = call.inputs[0].tensor
    elif call.rank(0) in (0, call.rank(1)):
        condition = call.stacked(0)
    else:
        raise NoRule
    return all_stacked(call.again([condition, call.stacked(1), call.stacked(2)]))


@rule("MatMul")
def _matmul(call: Call) -> Value:
    a, b = call.inputs
    transposed = call.attr("transpose_a"), call.attr("transpose_b")
    if call.op.inputs[0].dtype.is_complex and any(transposed):
        raise NoRule
    if not b.is_stacked and not transposed[0]:
        shape = shape_tensor(a.tensor)
        rows = reshape(a.tensor, concat([[-1], shape[2:]], 0))
        (product,) = call.again([rows, b.tensor])
        result = reshape(product, concat([shape[:2], [-1]], 0))
        result.set_shape([a.tensor.shape[0], *call.op.outputs[0].shape])
        return Value(result, True)
    product = build.BatchMatMulV2(
        _with_axis(a), _with_axis(b), adj_x=transposed[0], adj_y=transposed[1]
    )
    return Value(product, True)


def _with_axis(value: Value) -> Tensor:
    """A value whose first axis is that of the iterations, or of length 1."""
    return value.tensor if value.is_stacked else build.ExpandDims(value.tensor, 0)


@rule("BatchMatMul", "BatchMatMulV2")
def _batch_matmul(call: Call) -> Value:
    if call.rank(0) != call.rank(1):
        raise NoRule
    a, b = map(_with_axis, call.inputs)
    return Value(
        build.BatchMatMulV2(a, b, adj_x=call.attr("adj_x"), adj_y=call.attr("adj_y")), True
    )


@rule("BiasAdd")
def _bias_add(call: Call) -> list[Value]:
    if call.attr("data_format") not in ("NHWC", b"NHWC"):
        raise NoRule
    return all_stacked(call.again([call.stacked(0), call.same_for_all(1)]))


@rule("BiasAddGrad")
def _bias_add_grad(call: Call) -> Value:
    if call.attr("data_format") not in ("NHWC", b"NHWC"):
        raise NoRule
    return Value(build.Sum(call.stacked(0), list(range(1, call.rank(0)))), True)


@rule("L2Loss")
def _l2_loss(call: Call) -> Value:
    squares = build.Square(call.stacked(0))
    total = build.Sum(squares, list(range(1, call.rank(0) + 1)))
    return Value(build.Mul(total, build.Cast(0.5, DstT=total.dtype)), True)


@rule("OneHot")
def _one_hot(call: Call) -> list[Value]:
    axis = call.attr("axis")
    others = [call.same_for_all(number) for number in (1, 2, 3)]
    return all_stacked(call.again([call.stacked(0), *others], axis=axis + (axis >= 0)))


@rule("BroadcastTo")
def _broadcast_to(call: Call) -> Value:
    x, shape = call.stacked(0), call.same_for_all(1)
    if not shape.shape.is_fully_defined():
        raise NoRule
    ones = [1] * (shape.shape[0].value - call.rank(0))
    sizes = shape_tensor(x, None, shape.dtype)
    x = reshape(x, concat([sizes[:1], build.Cast(ones, DstT=shape.dtype), sizes[1:]], 0))
    return Value(build.BroadcastTo(x, concat([sizes[:1], shape], 0)), True)


@rule("Roll")
def _roll(call: Call) -> list[Value]:
    axes = convert_to_tensor(_shifted(call.same_for_all(2)))
    return all_stacked(call.again([call.stacked(0), call.same_for_all(1), axes]))


def _shifted(axes: Tensor) -> Any:
    """Axes counted from the first one, moved by the axis of the iterations."""
    known = constant_value(axes)
    if known is not None:
        return (known + (known >= 0)).astype(known.dtype)
    return build.AddV2(axes, build.Cast(build.GreaterEqual(axes, 0 * axes), DstT=axes.dtype))


@rule(
    *("All", "Any", "ArgMax", "ArgMin", "Cumprod", "Cumsum", "EuclideanNorm", "ExpandDims"),
    *("Max", "Mean", "Min", "Prod", "Sum", "ReverseV2"),
)
def _along_axes(call: Call) -> list[Value]:
    """An op along axes, its second input."""
    return all_stacked(
        call.again([call.stacked(0), convert_to_tensor(_shifted(call.same_for_all(1)))])
    )


@rule("Squeeze")
def _squeeze(call: Call) -> Value:
    dims = list(call.attr("squeeze_dims")) or [
        number for number in range(call.rank(0)) if call.op.inputs[0].shape[number].value == 1
    ]
    if not call.attr("squeeze_dims") and not call.op.inputs[0].shape.is_fully_defined():
        raise NoRule
    if not dims:
        return Value(call.stacked(0), True)
    moved = [axis + 1 if axis >= 0 else axis for axis in dims]
    return Value(build.Squeeze(call.stacked(0), squeeze_dims=moved), True)


@rule("Reshape")
def _reshape(call: Call) -> Value:
    x, shape = call.stacked(0), call.same_for_all(1)
    if constant_value(shape) is None or -1 in np.asarray(constant_value(shape)).ravel():
        sizes = shape_tensor(call.op.outputs[0])
        if not call.op.outputs[0].shape.is_fully_defined():
            sizes = build.Cast(shape, DstT=sizes.dtype)
        shape = sizes
    first = build.Cast(build.Pack([call.count]), DstT=shape.dtype)
    return Value(reshape(x, concat([first, shape], 0)), True)


@rule("Transpose")
def _transpose(call: Call) -> Value:
    order = call.same_for_all(1)
    return Value(
        build.Transpose(call.stacked(0), concat([build.ZerosLike(order[:1]), order + 1], 0)), True
    )


@rule("Tile")
def _tile(call: Call) -> Value:
    multiples = call.same_for_all(1)
    ones = build.Cast([1], DstT=multiples.dtype)
    return Value(tile(call.stacked(0), concat([ones, multiples], 0)), True)


@rule("Pad", "PadV2", "MirrorPad")
def _pad(call: Call) -> list[Value]:
    paddings = call.same_for_all(1)
    first = build.Cast([[0, 0]], DstT=paddings.dtype)
    others = [call.same_for_all(number) for number in range(2, len(call.inputs))]
    return all_stacked(call.again([call.stacked(0), concat([first, paddings], 0), *others]))


@rule("ConcatV2")
def _concat(call: Call) -> list[Value]:
    last = len(call.inputs) - 1
    axis = convert_to_tensor(_shifted(call.same_for_all(last)))
    return all_stacked(call.again([*(call.stacked(number) for number in range(last)), axis]))


@rule("Pack")
def _pack(call: Call) -> list[Value]:
    axis = call.attr("axis")
    inputs = [call.stacked(number) for number in range(len(call.inputs))]
    return all_stacked(call.again(inputs, axis=axis + 1 if axis >= 0 else axis))


@rule("Unpack")
def _unpack(call: Call) -> list[Value]:
    axis = call.attr("axis")
    return all_stacked(call.again([call.stacked(0)], axis=axis + 1 if axis >= 0 else axis))


@rule("Split")
def _split_evenly(call: Call) -> list[Value]:
    axis = convert_to_tensor(_shifted(call.same_for_all(0)))
    return all_stacked(call.again([axis, call.stacked(1)]))


@rule("SplitV")
def _split_v(call: Call) -> list[Value]:
    axis = convert_to_tensor(_shifted(call.same_for_all(2)))
    return all_stacked(call.again([call.stacked(0), call.same_for_all(1), axis]))


@rule("Slice")
def _slice(call: Call) -> list[Value]:
    begin, size = call.same_for_all(1), call.same_for_all(2)
    zero, rest = (build.Cast([number], DstT=begin.dtype) for number in (0, -1))
    return all_stacked(
        call.again([call.stacked(0), concat([zero, begin], 0), concat([rest, size], 0)])
    )


def _slice_of_each(call: Call) -> tuple[list[Tensor], dict[str, int]]:
    """The begin, end and strides of a slice of each iteration, and its masks."""
    begin, end, strides = (call.same_for_all(number) for number in (1, 2, 3))
    zero, one = (build.Cast([number], DstT=begin.dtype) for number in (0, 1))
    names = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")
    masks = {name: call.attr(name) << 1 for name in names}
    masks["begin_mask"] |= 1
    masks["end_mask"] |= 1
    return [concat([zero, begin], 0), concat([zero, end], 0), concat([one, strides], 0)], masks


@rule("StridedSliceGrad")
def _strided_slice_grad(call: Call) -> list[Value]:
    shape = call.same_for_all(0)
    first = build.Cast(build.Pack([call.count]), DstT=shape.dtype)
    where, masks = _slice_of_each(call)
    return all_stacked(call.again([concat([first, shape], 0), *where, call.stacked(4)], **masks))


@rule("StridedSlice")
def _strided_slice(call: Call) -> Any:
    if call.inputs[0].is_stacked:
        where, masks = _slice_of_each(call)
        return all_stacked(call.again([call.stacked(0), *where], **masks))
    # x[i]: the row of each iteration
    begin = call.inputs[1]
    one_axis = begin.is_stacked and call.op.inputs[1].shape.is_compatible_with([1])
    others = [call.attr(name) for name in ("begin_mask", "ellipsis_mask", "new_axis_mask")]
    if not one_axis or call.attr("shrink_axis_mask") != 1 or any(others):
        raise NoRule
    rows = reshape(begin.tensor, [-1])
    return Value(build.GatherV2(call.inputs[0].tensor, rows, 0), True)


@rule("GatherV2")
def _gather(call: Call) -> Value:
    known = constant_value(call.same_for_all(2))
    params, indices = call.inputs[:2]
    if known is None or call.attr("batch_dims"):
        raise NoRule
    axis = int(known) + (call.rank(0) if known < 0 else 0)
    if params.is_stacked:
        chosen = build.GatherV2(params.tensor, call.same_for_all(1), axis + 1)
        return Value(chosen, True)
    chosen = build.GatherV2(params.tensor, indices.tensor, axis)
    if axis:
        rank = call.rank(0) + call.rank(1)
        chosen = build.Transpose(chosen, [axis, *range(axis), *range(axis + 1, rank)])
    return Value(chosen, True)


@rule("Gather")
def _gather_rows(call: Call) -> Value:
    if call.inputs[0].is_stacked:
        return Value(build.GatherV2(call.stacked(0), call.same_for_all(1), 1), True)
    return Value(build.GatherV2(call.inputs[0].tensor, call.inputs[1].tensor, 0), True)


@rule("GatherNd")
def _gather_nd(call: Call) -> Value:
    params, indices = call.inputs
    if not params.is_stacked:
        return Value(build.GatherNd(params.tensor, indices.tensor), True)
    places = call.stacked(1)
    count = build.Cast(call.count, DstT=places.dtype)
    iteration = build.Range(build.ZerosLike(count), count, build.OnesLike(count))
    iteration = reshape(iteration, concat([[-1], [1] * call.rank(1)], 0))
    first = build.AddV2(build.ZerosLike(places[..., :1]), iteration)
    return Value(build.GatherNd(params.tensor, concat([first, places], -1)), True)


@rule("UnsortedSegmentMax", "UnsortedSegmentMin", "UnsortedSegmentProd", "UnsortedSegmentSum")
def _unsorted_segments(call: Call) -> Value:
    """Each iteration has segments of its own."""
    data, ids, segments = call.stacked(0), call.stacked(1), call.same_for_all(2)
    segments = build.Cast(segments, DstT=ids.dtype)
    first = build.Range(0, build.Mul(build.Cast(call.count, DstT=ids.dtype), segments), segments)
    first = reshape(first, concat([[-1], [1] * call.rank(1)], 0))
    # A negative id belongs to no segment.
    moved = build.SelectV2(build.Less(ids, build.ZerosLike(ids)), ids, build.AddV2(ids, first))
    total = build.Mul(build.Cast(call.count, DstT=ids.dtype), segments)
    (result,) = call.again([data, moved, total], Tnumsegments=ids.dtype)
    sizes = [build.Cast(build.Pack([call.count]), DstT=ids.dtype), build.Pack([segments])]
    rest = build.Cast(shape_tensor(result)[1:], DstT=ids.dtype)
    return Value(reshape(result, concat([*sizes, rest], 0)), True)


@rule("Shape")
def _shape(call: Call) -> Value:
    return Value(shape_tensor(call.stacked(0), None, call.attr("out_type"))[1:], False)


@rule("ShapeN")
def _shapes(call: Call) -> list[Value]:
    found = []
    for number, output in enumerate(call.op.outputs):
        sizes = shape_tensor(call.stacked(number), None, output.dtype)
        found.append(Value(sizes[1:], False))
    return found


@rule("Size")
def _size(call: Call) -> Value:
    sizes = shape_tensor(call.stacked(0), None, call.attr("out_type"))[1:]
    return Value(build.Prod(sizes, 0), False)


@rule("Rank")
def _rank(call: Call) -> Value:
    return Value(build.Rank(call.stacked(0)) - 1, False)


@rule("RandomStandardNormal", "RandomUniform", "RandomUniformInt", "TruncatedNormal")
def _random(call: Call) -> list[Value]:
    shape = call.same_for_all(0)
    first = build.Cast(build.Pack([call.count]), DstT=shape.dtype)
    others = [call.same_for_all(number) for number in range(1, len(call.inputs))]
    return all_stacked(call.again([concat([first, shape], 0), *others]))
