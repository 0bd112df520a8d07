"""Finds the layers of a graph whose weights and results can be quantized."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.contrib.quantize.batch_norms import LAYERS
from headwater.graph import Graph, Operation, Tensor

RECTIFIERS = frozenset(("Relu", "Relu6"))
_ACTIVATIONS = RECTIFIERS | {"Identity"}
_ADDITIONS = frozenset(("Add", "AddV2"))
_BIASES = _ADDITIONS | {"BiasAdd"}
_ARITHMETIC = _ADDITIONS | {"Mul"}
_READS = frozenset(("Identity", "ReadVariableOp"))
_VARIABLES = frozenset(("VariableV2", "Variable", "VarHandleOp"))
_FAKE_QUANTIZATION = "FakeQuantWithMinMaxVars"
# The results of these ops have no values but those of their inputs.
_PASSING = frozenset(("Reshape", "Identity", "BatchToSpaceND", "SpaceToBatchND", "MaxPool"))


@dataclass
class Layer:
    """A layer with variable weights.

    Attributes:
        op: the convolution or matrix product.
        output: what computes its output, with the bias.
        last: the op whose output is quantized: the activation, or `output`.
        shortcut: adds something to the output before the activation, if anything does.
        sum: adds something to the output of the activation, if anything does.
    """

    op: Operation
    output: Operation
    last: Operation
    shortcut: Operation | None = None
    sum: Operation | None = None


def scope_of(op: Operation, levels: int = 1) -> str:
    """The name scope of an op with "/" at the end, or a scope around it; empty if there is none."""
    scope = op.name
    for _ in range(levels):
        scope = scope.rpartition("/")[0]
    return f"{scope}/" if scope else ""


def layers_of(graph: Graph) -> list[Layer]:
    """The layers of a graph that can be quantized.

    Args:
        graph: the graph, whose batch normalizations have been folded.

    Returns:
        Each layer once: first those whose activations are added to something, then the others with
        an activation, then those without.
    """
    found: dict[Operation, Layer] = {}
    activated: list[Layer] = []
    for op in graph.get_operations():
        if op.type in _ACTIVATIONS:
            layer = _activated(op)
            if layer is not None and all(other.op is not layer.op for other in activated):
                activated.append(layer)
    for op in graph.get_operations():
        if op.type in _ADDITIONS:
            _find_summed(op, activated, found)
    for layer in activated:
        found.setdefault(layer.op, layer)
    for op in graph.get_operations():
        final = _final(op)
        if final is not None:
            found.setdefault(final.op, final)
    return list(found.values())


def _activated(activation: Operation) -> Layer | None:
    """The layer before an activation, with or without a shortcut between."""
    before = activation.inputs[0].op
    layer = _output_of(before)
    if layer is not None:
        return Layer(layer, before, activation)
    if before.type not in _ADDITIONS:
        return None
    for tensor in before.inputs:
        layer = _output_of(tensor.op)
        if layer is not None:
            return Layer(layer, tensor.op, activation, shortcut=before)
    return None


def _find_summed(op: Operation, activated: list[Layer], found: dict[Operation, Layer]) -> None:
    """Adds the layer whose activation a sum takes, if no rectifier takes the sum."""
    if any(user.type in RECTIFIERS for user in op.outputs[0].consumers()):
        return
    for tensor in reversed(op.inputs):
        for layer in activated:
            if layer.last is tensor.op and layer.shortcut is None and layer.op not in found:
                layer.sum = op
                found[layer.op] = layer
                return


def _final(op: Operation) -> Layer | None:
    """The layer without an activation whose output an op computes."""
    layer = _output_of(op)
    if layer is None:
        return None
    if op.type in _BIASES:
        return Layer(layer, op, op)
    is_separable = op.type == "DepthwiseConv2dNative" and any(
        user.type == "Conv2D" for user in op.outputs[0].consumers()
    )
    return Layer(layer, op, op) if is_separable else None


def _output_of(op: Operation) -> Operation | None:
    """The layer whose output an op computes, with its bias if it has one."""
    layer = _bare_layer(op)
    if layer is None and op.type in _BIASES:
        for tensor in op.inputs:
            layer = _bare_layer(tensor.op) or _corrected(tensor.op)
            if layer is not None:
                break
    return layer


def _corrected(op: Operation) -> Operation | None:
    """The folded layer whose output is corrected to the statistics of the batch."""
    if op.type != "Add" or op.inputs[0].op.type != "Mul":
        return None
    layer = _bare_layer(op.inputs[0].op.inputs[1].op)
    return layer if layer is not None and _is_folded(layer) else None


def _bare_layer(op: Operation) -> Operation | None:
    if op.type == "BatchToSpaceND":
        op = op.inputs[0].op
    return op if op.type in LAYERS and _has_variable_weights(op) else None


def _is_folded(layer: Operation) -> bool:
    return layer.inputs[1].op.name.rpartition("/")[2].startswith("mul_fold")


def _has_variable_weights(layer: Operation) -> bool:
    source = layer.inputs[1].op
    return _is_folded(layer) or (source.type in _READS and source.inputs[0].op.type in _VARIABLES)


def is_quantized_arithmetic(op: Operation) -> bool:
    """Whether a sum or product has quantized inputs, and its result is not quantized.

    A sum that only a rectifier takes stays as it is: both are one op where they are quantized.
    """
    if op.type not in _ARITHMETIC:
        return False
    users = op.outputs[0].consumers()
    if any(user.type == _FAKE_QUANTIZATION for user in users):
        return False
    if len(users) == 1 and users[0].type in RECTIFIERS:
        return False
    return any(_is_quantized(tensor) for tensor in op.inputs)


def _is_quantized(tensor: Tensor) -> bool:
    op = tensor.op
    while op.type in _PASSING:
        op = op.inputs[0].op
    if op.type == "Merge":
        return op.name.rpartition("/")[0].endswith("/delayed_quant")
    return op.type == _FAKE_QUANTIZATION
