"""Rewrites graphs for training and inference with simulated quantization."""

from __future__ import annotations

from headwater.base.export import export
from headwater.contrib.graph_editor.reroute import replace_inputs
from headwater.contrib.quantize.fake_quantization import Levels, delayed, fake_quantized
from headwater.contrib.quantize.folding import fold_batch_norms
from headwater.contrib.quantize.layers import (
    RECTIFIERS,
    Layer,
    is_quantized_arithmetic,
    layers_of,
    scope_of,
)
from headwater.graph import Graph, Operation, Tensor, get_default_graph, name_scope

_DECAY = 0.999


@export("contrib.quantize.create_training_graph")
def create_training_graph(input_graph: Graph | None = None, quant_delay: int = 0) -> None:
    """Rewrites a training graph in place so that it simulates quantization to 8 bits.

    Batch normalizations are folded into the layers before them. Weights and activations are rounded
    to the levels of a range that follows them; gradients pass through the rounding. Call it after
    the forward pass is built, before gradients are.

    Args:
        input_graph: the graph; None is the default graph.
        quant_delay: rounding begins after so many steps.
    """
    experimental_create_training_graph(input_graph, quant_delay=quant_delay)


@export("contrib.quantize.create_eval_graph")
def create_eval_graph(input_graph: Graph | None = None) -> None:
    """Rewrites a graph for evaluation in place, as `create_training_graph` does for training.

    Args:
        input_graph: the graph; None is the default graph. It takes the variables of a checkpoint
            that a rewritten training graph has saved.
    """
    experimental_create_eval_graph(input_graph)


@export("contrib.quantize.experimental_create_training_graph")
def experimental_create_training_graph(
    input_graph: Graph | None = None,
    weight_bits: int = 8,
    activation_bits: int = 8,
    symmetric: bool = False,
    quant_delay: int = 0,
    freeze_bn_delay: int | None = None,
    scope: str | None = None,
) -> None:
    """Rewrites a training graph in place so that it simulates quantization.

    Args:
        input_graph: the graph; None is the default graph.
        weight_bits: the bits of a weight.
        activation_bits: the bits of an activation.
        symmetric: whether ranges have their middle at zero.
        quant_delay: rounding begins after so many steps.
        freeze_bn_delay: after so many steps batch normalizations take the moving averages, which
            stay as they are; None never.
        scope: only layers in this name scope are quantized; None takes all.
    """
    _rewrite(
        input_graph,
        True,
        (weight_bits, activation_bits),
        symmetric,
        quant_delay,
        freeze_bn_delay,
        scope,
    )


@export("contrib.quantize.experimental_create_eval_graph")
def experimental_create_eval_graph(
    input_graph: Graph | None = None,
    weight_bits: int = 8,
    activation_bits: int = 8,
    symmetric: bool = False,
    quant_delay: int | None = None,
    scope: str | None = None,
) -> None:
    """Rewrites a graph for evaluation in place so that it simulates quantization.

    Args:
        input_graph: the graph; None is the default graph.
        weight_bits: the bits of a weight.
        activation_bits: the bits of an activation.
        symmetric: whether ranges have their middle at zero.
        quant_delay: rounding begins after so many steps; None or 0 at once.
        scope: only layers in this name scope are quantized; None takes all.
    """
    _rewrite(
        input_graph,
        False,
        (weight_bits, activation_bits),
        symmetric,
        quant_delay,
        None,
        scope,
    )


def _rewrite(
    graph: Graph | None,
    is_training: bool,
    bits: tuple[int, int],
    symmetric: bool,
    delay: int | None,
    freeze_delay: int | None,
    scope: str | None,
) -> None:
    graph = get_default_graph() if graph is None else graph
    with graph.as_default():
        fold_batch_norms(graph, is_training, freeze_delay)
        weights = Levels(bits[0], symmetric, narrow=True)
        activations = Levels(bits[1], symmetric, decay=_DECAY)
        with name_scope(None):
            _Rewriter(weights, activations, is_training, delay, scope).rewrite(graph)


class _Rewriter:
    """Puts fake quantization behind weights and activations."""

    def __init__(
        self,
        weights: Levels,
        activations: Levels,
        is_training: bool,
        delay: int | None,
        scope: str | None,
    ) -> None:
        self._weights = weights
        self._activations = activations
        self._is_training = is_training
        self._delay = delay
        self._scope = f"{scope}/" if scope and not scope.endswith("/") else scope

    def rewrite(self, graph: Graph) -> None:
        """Quantizes the layers, and the sums and products of what is quantized."""
        for layer in layers_of(graph):
            self._rewrite_layer(layer)
        for op in graph.get_operations():
            if is_quantized_arithmetic(op):
                self._insert(
                    op.outputs[0], f"{op.name}/activation_{op.type}_quant", self._activations
                )

    def _rewrite_layer(self, layer: Layer) -> None:
        scope = scope_of(layer.op)
        self._insert(layer.op.inputs[1], f"{scope}weights_quant", self._weights, [layer.op])
        outer = scope_of(layer.op, 2) if layer.shortcut is not None else scope
        levels = self._activations
        if layer.last.type in RECTIFIERS:
            levels = levels._replace(least=0.0)
        self._insert(layer.last.outputs[0], f"{outer}act_quant", levels)
        if layer.shortcut is not None:
            output = layer.output.outputs[0]
            self._insert(output, f"{scope}conv_quant", self._activations, [layer.shortcut])
        if layer.sum is not None:
            prefix = f"{scope_of(layer.sum)}post_activation_bypass_quant"
            self._insert(layer.sum.outputs[0], prefix, self._activations)

    def _insert(
        self, values: Tensor, prefix: str, levels: Levels, users: list[Operation] | None = None
    ) -> None:
        """Lets ops use quantized values; None stands for all that use the values."""
        if self._scope and not prefix.startswith(self._scope):
            return
        users = values.consumers() if users is None else users
        quantized = fake_quantized(values, prefix, levels, self._is_training)
        if self._delay:
            quantized = delayed(prefix, quantized, values, self._delay)
        replace_inputs(values, quantized, users)
