"""Rules for ops of batches: the examples of all iterations become one batch."""

from __future__ import annotations

from headwater.graph import Tensor, shape_tensor
from headwater.model.parallel_for.call import Call, NoRule, Value, rule
from headwater.ops.array.concat import concat
from headwater.ops.array.reshape import reshape


@rule(
    *("Conv2D", "DepthwiseConv2dNative", "AvgPool", "MaxPool", "Conv3D", "AvgPool3D", "MaxPool3D"),
    *("SpaceToDepth", "DepthToSpace", "ResizeBilinear", "ResizeNearestNeighbor", "LRN"),
    *("ExtractImagePatches", "MaxPoolV2", "ResizeBicubic"),
)
def _of_batches(call: Call) -> list[Value]:
    """An op of examples along its first axis: those of all iterations are one batch."""
    others = [call.same_for_all(number) for number in range(1, len(call.inputs))]
    return _split(call, call.again([_batch(call, 0), *others]))


def _batch(call: Call, position: int) -> Tensor:
    """The examples of an input of all iterations as one batch."""
    x = call.stacked(position)
    batch = reshape(x, concat([[-1], shape_tensor(x)[2:]], 0))
    batch.set_shape([None, *call.op.inputs[position].shape[1:]])
    return batch


def _split(call: Call, made: list[Tensor]) -> list[Value]:
    """Batches of all iterations, as a batch for each."""
    results = []
    for batch, before in zip(made, call.op.outputs):
        sizes = concat([[call.count], [-1], shape_tensor(batch)[1:]], 0)
        split = reshape(batch, sizes)
        split.set_shape([None, *before.shape])
        results.append(Value(split, True))
    return results


@rule("SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits")
def _cross_entropy(call: Call) -> list[Value]:
    if call.op.type.startswith("Softmax") and not _have_equal_shapes(call):
        raise NoRule
    return _split(call, call.again([_batch(call, 0), _batch(call, 1)]))


def _have_equal_shapes(call: Call) -> bool:
    shapes = [x.shape for x in call.op.inputs]
    return shapes[0].is_fully_defined() and shapes[0].as_list() == shapes[1].as_list()


@rule("InTopK", "InTopKV2")
def _in_top_k(call: Call) -> list[Value]:
    others = [call.same_for_all(number) for number in range(2, len(call.inputs))]
    return _split(call, call.again([_batch(call, 0), _batch(call, 1), *others]))


@rule("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
def _batch_norm(call: Call) -> list[Value]:
    """In inference all examples are treated alike; statistics are those of each iteration."""
    if call.attr("is_training") or call.attr("data_format") not in ("NHWC", b"NHWC"):
        raise NoRule
    others = [call.same_for_all(number) for number in range(1, len(call.inputs))]
    made = call.again([_batch(call, 0), *others])
    return [*_split(call, made[:1]), *(Value(each, False) for each in made[1:])]


@rule("MaxPoolGrad", "MaxPool3DGrad")
def _max_pool_grad(call: Call) -> list[Value]:
    return _split(call, call.again([_batch(call, number) for number in range(3)]))


@rule("AvgPoolGrad", "AvgPool3DGrad")
def _avg_pool_grad(call: Call) -> list[Value]:
    sizes = _sizes_ofall_stacked(call, call.same_for_all(0))
    return _split(call, call.again([sizes, _batch(call, 1)]))


@rule("Conv2DBackpropInput", "DepthwiseConv2dNativeBackpropInput", "Conv3DBackpropInputV2")
def _conv_backprop_input(call: Call) -> list[Value]:
    sizes = _sizes_ofall_stacked(call, call.same_for_all(0))
    return _split(call, call.again([sizes, call.same_for_all(1), _batch(call, 2)]))


def _sizes_ofall_stacked(call: Call, sizes: Tensor) -> Tensor:
    """The shape of the examples of all iterations as one batch."""
    return concat([sizes[:1] * call.count, sizes[1:]], 0)
