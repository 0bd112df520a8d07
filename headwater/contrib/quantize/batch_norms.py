"""Finds batch normalizations that follow a layer directly."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from headwater.graph import Graph, Operation, Tensor

LAYERS = frozenset(("Conv2D", "DepthwiseConv2dNative", "MatMul"))
_FUSED = frozenset(("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"))
_ADDITIONS = frozenset(("Add", "AddV2"))
# The sum at the end of a normalization by `tf.nn.batch_normalization`.
_LAST_OP = re.compile(r".*/batchnorm(?:_\d+)?/add_1$")


@dataclass
class NormalizedLayer:
    """A layer and the batch normalization of its output.

    Attributes:
        layer: the convolution or matrix product.
        to_batch: the op between both that undoes SpaceToBatchND, if the layer is dilated.
        output: the result of the normalization.
        gamma, beta: scale and offset; gamma is None if there is no scale.
        mean, variance: of the batch in training, else the moving averages.
        epsilon: what is added to the variance: a number, or a tensor of the normalization.
        moving_mean, moving_variance: the moving averages that training updates.
        decays: the tensors that say how much of the averages is replaced, for mean and variance.
        scale: gamma / sqrt(variance + epsilon) where the graph has it.
        bias: beta - mean * scale where the graph has it.
        fused: the fused op, if it is one.
    """

    layer: Operation
    to_batch: Operation | None
    output: Tensor
    gamma: Tensor | None
    beta: Tensor
    mean: Tensor
    variance: Tensor
    epsilon: float | Tensor
    moving_mean: Tensor | None = None
    moving_variance: Tensor | None = None
    decays: tuple[Tensor, ...] = ()
    scale: Tensor | None = None
    bias: Tensor | None = None
    fused: Operation | None = None

    @property
    def scope(self) -> str:
        """The scope of the layer."""
        return self.layer.name.rpartition("/")[0]

    @property
    def weights(self) -> Tensor:
        """The weights of the layer."""
        return self.layer.inputs[1]


def fused_layers(graph: Graph) -> list[NormalizedLayer]:
    """Layers with a FusedBatchNorm op.

    Args:
        graph: the graph.

    Returns:
        The layers, in the order of the normalizations.
    """
    return [
        found
        for op in graph.get_operations()
        if op.type in _FUSED and op.outputs[0].consumers()
        for found in _fused_layer(op)
    ]


def _fused_layer(op: Operation) -> Iterator[NormalizedLayer]:
    layer, to_batch = _layer_of(op.inputs[0])
    if layer is None:
        return
    _, gamma, beta, mean, variance = op.inputs
    found = NormalizedLayer(
        layer,
        to_batch,
        op.outputs[0],
        gamma,
        beta,
        mean,
        variance,
        op.get_attr("epsilon"),
        fused=op,
    )
    if op.get_attr("is_training"):
        found.mean, found.variance = op.outputs[1], op.outputs[2]
        _find_averages(found)
    yield found


def unfused_layers(graph: Graph, is_training: bool) -> list[NormalizedLayer]:
    """Layers whose normalization consists of products and sums.

    Args:
        graph: the graph.
        is_training: whether they normalize by the statistics of the batch.

    Returns:
        The layers, in the order of the normalizations.
    """
    return [
        found
        for op in graph.get_operations()
        if op.type in _ADDITIONS and _LAST_OP.match(op.name) and op.outputs[0].consumers()
        for found in _unfused_layer(op, is_training)
    ]


def _unfused_layer(op: Operation, is_training: bool) -> Iterator[NormalizedLayer]:
    """The layer before output = layer * scale + (beta - mean * scale)."""
    product, difference = (t.op for t in op.inputs)
    if product.type != "Mul" or difference.type != "Sub":
        return
    layer, to_batch = _layer_of(product.inputs[0])
    shift = difference.inputs[1].op
    if layer is None or shift.type != "Mul":
        return
    scale, mean = product.inputs[1], shift.inputs[0]
    root, gamma = scale.op, None
    if root.type == "Mul":
        root, gamma = root.inputs[0].op, _variable_of(root.inputs[1])
    if root.type != "Rsqrt":
        return
    variance, epsilon = root.inputs[0].op.inputs
    found = NormalizedLayer(
        layer,
        to_batch,
        op.outputs[0],
        gamma,
        difference.inputs[0],
        mean,
        variance,
        epsilon,
        scale=scale,
        bias=op.inputs[1],
    )
    if is_training:
        _find_averages(found)
    yield found


def _layer_of(tensor: Tensor) -> tuple[Operation | None, Operation | None]:
    """The layer that computes a tensor, and the op after it that undoes SpaceToBatchND."""
    op, to_batch = tensor.op, None
    if op.type == "BatchToSpaceND":
        op, to_batch = op.inputs[0].op, op
    return (op, to_batch) if op.type in LAYERS else (None, None)


def _variable_of(tensor: Tensor) -> Tensor:
    """The variable that a tensor is read from, if it is a reference."""
    return tensor.op.inputs[0] if tensor.op.type == "Identity" else tensor


def _find_averages(found: NormalizedLayer) -> None:
    """Finds the moving averages of mean and variance: average -= (average - new) * decay."""
    averages = [_average_of(found.mean), _average_of(found.variance)]
    if None in averages:
        return
    (found.moving_mean, first), (found.moving_variance, second) = averages  # type: ignore[misc]
    found.decays = (first, second)


def _average_of(value: Tensor) -> tuple[Tensor, Tensor] | None:
    """The moving average of a value, and how much of it is replaced in a step."""
    for difference in value.consumers():
        if difference.type == "Squeeze":
            below = _average_of(difference.outputs[0])
            if below is not None:
                return below
        if difference.type != "Sub" or difference.inputs[1] is not value:
            continue
        for product in difference.outputs[0].consumers():
            updates = product.outputs[0].consumers() if product.type == "Mul" else []
            if any(op.type in ("AssignSub", "AssignSubVariableOp") for op in updates):
                return difference.inputs[0], product.inputs[1]
    return None
