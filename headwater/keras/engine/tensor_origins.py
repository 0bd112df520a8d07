"""`get_source_inputs`, and kernels of another convention."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base import nest
from headwater.graph import export
from headwater.keras.backend.values import get_value, set_value

_CONVOLUTIONS = ("Conv1D", "Conv2D", "Conv3D", "Conv2DTranspose", "SeparableConv2D")


@export("keras.utils.get_source_inputs")
def get_source_inputs(tensor: Any, layer: Any = None, node_index: int | None = None) -> list[Any]:
    """Finds the inputs that a tensor of a model is made from.

    Args:
        tensor: the tensor.
        layer: the layer that has made it; that of the tensor if None.
        node_index: the number of the call of the layer.

    Returns:
        A list of tensors.
    """
    if not hasattr(tensor, "_keras_history"):
        return [tensor]
    history = tensor._keras_history
    if layer is None or node_index:
        layer, node_index = history.layer, history.node_index
    if not layer._inbound_nodes:
        return [tensor]
    node = layer._inbound_nodes[node_index or 0]
    if not node.inbound_layers:
        return nest.flatten(node.input_tensors)
    found: list[Any] = []
    for source, index, _, each in node.iterate_inbound():
        for x in get_source_inputs(each, source, index):
            if not any(x is y for y in found):
                found.append(x)
    return found


@export("keras.utils.convert_all_kernels_in_model")
def convert_all_kernels_in_model(model: Any) -> None:
    """Turns the kernels of convolutions around, as between TensorFlow and Theano.

    Args:
        model: the model.
    """
    for layer in model.layers:
        if type(layer).__name__ in _CONVOLUTIONS:
            kernel = np.asarray(get_value(layer.kernel))
            flipped = np.flip(kernel, tuple(range(kernel.ndim - 2)))
            set_value(layer.kernel, flipped.copy())
