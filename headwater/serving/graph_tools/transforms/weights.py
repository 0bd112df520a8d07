"""Transforms that let the weights of a graph take less space."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from headwater.base.dtypes import float32, quint8
from headwater.serving.graph_tools.transforms.context import Context
from headwater.serving.graph_tools.transforms.node_names import (
    constant,
    constant_value,
    copied,
    graph_of,
    new_node,
)

if TYPE_CHECKING:
    from headwater.protos.graph_pb2 import GraphDef
    from headwater.protos.node_def_pb2 import NodeDef

_SMALLEST = np.finfo(np.float32).tiny  # TensorFlow's maximum of values that are not positive
_FEWEST_ROUNDED = 16


def round_weights(graph_def: GraphDef, context: Context) -> GraphDef:
    """Rounds the weights of each constant to `num_steps` values, so that files compress better."""
    steps = context.integer("num_steps", 256)
    return graph_of((_rounded(node, steps) for node in graph_def.node), graph_def)


def _rounded(node: NodeDef, steps: int) -> NodeDef:
    values = _float_values(node)
    if values is None or values.size < _FEWEST_ROUNDED:
        return node
    low, high = values.min(), max(values.max(), _SMALLEST)
    if low == high:
        high = low + 1 if abs(low) < 0.000001 else 2 * low
    with np.errstate(all="ignore"):
        step = np.float32((high - low) / np.float32(steps))
        rounded = (np.floor((values - low) / step) + np.float32(0.5)) * step + low
    result = copied(node)
    result.attr["value"].CopyFrom(constant("", rounded.astype(np.float32), float32).attr["value"])
    return result


def _float_values(node: NodeDef) -> np.ndarray | None:
    """The values of a constant of float32; None for other nodes."""
    if node.op != "Const" or node.attr["dtype"].type != float32.as_datatype_enum:
        return None
    return constant_value(node)


def quantize_weights(graph_def: GraphDef, context: Context) -> GraphDef:
    """Stores constants of at least `minimum_size` floats with 8 bits for each, and dequantizes."""
    minimum = context.integer("minimum_size", 1024)
    result: list[NodeDef] = []
    for node in graph_def.node:
        values = _float_values(node)
        if values is None or not values.size or not 0 <= minimum <= values.size:
            result.append(node)
        else:
            result += _quantized(node, values)
    return graph_of(result, graph_def)


def _quantized(node: NodeDef, values: np.ndarray) -> list[NodeDef]:
    low = min(values.min(), np.float32(0.0))
    high = max(values.max(), _SMALLEST)
    scale = 255.0 / (float(high) - float(low))
    steps = _round(values.astype(np.float64) * scale) - _round(np.float64(low) * scale)
    numbers = np.clip(steps, 0, 255).astype(np.uint8).view(quint8.as_numpy_dtype)
    parts = [
        constant(f"{node.name}_quantized_const", numbers.reshape(values.shape), quint8),
        constant(f"{node.name}_quantized_min", np.float32(low), float32),
        constant(f"{node.name}_quantized_max", np.float32(high), float32),
    ]
    names = [part.name for part in parts]
    whole = new_node(node.name, "Dequantize", names, T=quint8, mode="MIN_FIRST")
    return [*parts, whole]


def _round(values: Any) -> Any:
    """Rounds to whole numbers, halves away from zero."""
    return np.trunc(values + np.copysign(0.5, values))
