"""The nodes of Keras models: each records one call of a layer on tensors of the model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from headwater.base import nest
from headwater.base.typing import NestedTensors


class KerasHistory(NamedTuple):
    """Where a tensor of a model comes from: the layer, which of its calls, and which output."""

    layer: Any
    node_index: int
    tensor_index: int


def has_history(inputs: NestedTensors) -> bool:
    """Whether all inputs are tensors of a model (and there is one at least)."""
    flat = nest.flatten(inputs)
    return bool(flat) and all(hasattr(x, "_keras_history") for x in flat)


class Node:
    """One call of a layer.

    Args:
        outbound_layer: the layer that is called.
        inbound_layers: the layers of the inputs; a list.
        node_indices: the number of the call in each of these layers.
        tensor_indices: the number of the output of this call.
        input_tensors: the inputs: a tensor or a structure of tensors.
        output_tensors: the outputs.
        arguments: the further arguments of the call.
    """

    def __init__(
        self,
        outbound_layer: Any,
        inbound_layers: list[Any],
        node_indices: list[int],
        tensor_indices: list[int],
        input_tensors: NestedTensors,
        output_tensors: NestedTensors,
        arguments: dict[str, Any] | None = None,
    ) -> None:
        self.outbound_layer = outbound_layer
        self.inbound_layers = inbound_layers
        self.node_indices = node_indices
        self.tensor_indices = tensor_indices
        self.input_tensors = input_tensors
        self.output_tensors = output_tensors
        self.input_shapes = nest.map_structure(_dims, input_tensors)
        self.output_shapes = nest.map_structure(_dims, output_tensors)
        self.arguments = arguments or {}
        for layer in inbound_layers:
            if layer is not None:
                layer._outbound_nodes.append(self)
        outbound_layer._inbound_nodes.append(self)

    def iterate_inbound(self) -> Iterator[tuple[Any, int, int, Any]]:
        """Yields (layer, number of its call, number of the output, tensor) for each input."""
        tensors = nest.flatten(self.input_tensors)
        yield from zip(self.inbound_layers, self.node_indices, self.tensor_indices, tensors)

    def get_config(self) -> dict[str, Any]:
        """The names of the layers that the node connects."""
        return {
            "outbound_layer": self.outbound_layer.name,
            "inbound_layers": [layer.name for layer in self.inbound_layers],
            "node_indices": self.node_indices,
            "tensor_indices": self.tensor_indices,
        }


def _dims(tensor: Any) -> tuple[int | None, ...] | None:
    shape = tensor.shape
    return None if shape.ndims is None else tuple(shape.as_list())


def record_call(
    layer: Any, inputs: NestedTensors, outputs: NestedTensors, arguments: dict[str, Any]
) -> None:
    """Records a call of a layer on tensors of a model; its outputs become tensors of it too.

    Args:
        layer: the layer.
        inputs: its inputs, which have a history.
        outputs: its outputs.
        arguments: the further arguments of the call.
    """
    history = [x._keras_history for x in nest.flatten(inputs)]
    number = len(layer._inbound_nodes)
    for i, output in enumerate(nest.flatten(outputs)):
        output._keras_history = KerasHistory(layer, number, i)
    Node(
        layer,
        [each.layer for each in history],
        [each.node_index for each in history],
        [each.tensor_index for each in history],
        inputs,
        outputs,
        arguments,
    )


class CallContext:
    """The calls of layers that are under way, the innermost last.

    Attributes:
        layers: the layers.
        inputs: the inputs of each of them.
        training: the `training` argument of the innermost call that has one.
    """

    def __init__(self) -> None:
        self.layers: list[Any] = []
        self.inputs: list[Any] = []
        self.training: Any = None

    @property
    def in_call(self) -> bool:
        """Whether a layer is being called."""
        return bool(self.layers)


call_context = CallContext()

# Functions that make the history of tensors that ops outside of layers have made from tensors of a
# model; tf.keras has one.
history_makers: list[Callable[[NestedTensors], None]] = []
