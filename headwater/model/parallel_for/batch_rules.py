"""Rules for ops of batches: the examples of all iterations become one batch."""

from __future__ import annotations

from headwater.graph import Tensor, shape_tensor
from headwater.model.parallel_for.call import Call, Value, rule
from headwater.ops.array.concat import concat
from headwater.ops.array.reshape import reshape


@rule(
    *("Conv2D", "DepthwiseConv2dNative", "AvgPool", "MaxPool", "Conv3D", "AvgPool3D", "MaxPool3D"),
    *("SpaceToDepth", "DepthToSpace", "ResizeBilinear", "ResizeNearestNeighbor", "LRN"),
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
