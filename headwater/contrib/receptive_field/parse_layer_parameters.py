"""Kernel, stride and padding of the nodes of a GraphDef."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from headwater.base import logging
from headwater.io.tensor_proto import make_ndarray

# The ops that use each position of their input for the same position of their output.
_UNCHANGED = frozenset(
    "Add AddV2 BiasAdd Cast Ceil ConcatV2 Const Floor FusedBatchNorm FusedBatchNormV2 "
    "FusedBatchNormV3 GreaterEqual Identity LRN Log Mul Pow ReadVariableOp RealDiv Relu Relu6 "
    "Round Rsqrt Softplus Sub VarHandleOp VariableV2".split()
)
_Nodes = Mapping[str, Any]


class LayerParams(NamedTuple):
    """The window of a node; paddings are None if they depend on a size that is not known."""

    kernel_size_x: int | None
    kernel_size_y: int | None
    stride_x: int | None
    stride_y: int | None
    padding_x: int | None
    padding_y: int | None
    total_padding_x: int | None
    total_padding_y: int | None


def get_layer_params(
    node: Any,
    name_to_node: _Nodes,
    input_resolution: Sequence[int | None] | None = None,
    force: bool = False,
) -> LayerParams:
    """Returns the window of a node.

    Args:
        node: the NodeDef.
        name_to_node: {name: NodeDef} of the graph.
        input_resolution: height and width of the input; None if they are not known.
        force: whether ops that are not known have a window of None; they are errors otherwise.

    Raises:
        ValueError: if the op is not known.
    """
    logging.debug("name = %s, op = %s", node.name, node.op)
    if node.op in ("Conv2D", "DepthwiseConv2dNative", "AvgPool", "MaxPool"):
        is_pool = node.op.endswith("Pool")
        kernel = _axes(node, "ksize") if is_pool else _kernel_size(node, name_to_node)
        return _window(node, kernel, _axes(node, "strides"), input_resolution)
    if node.op == "Pad":
        (top, bottom), (left, right) = _paddings(node, name_to_node)
        return LayerParams(1, 1, 1, 1, left, top, left + right, top + bottom)
    if node.op in _UNCHANGED:
        return LayerParams(1, 1, 1, 1, 0, 0, 0, 0)
    if force:
        return LayerParams(*[None] * 8)
    raise ValueError(f"Unknown layer for operation '{node.name}': {node.op}")


def _axes(node: Any, attr: str) -> tuple[int, int]:
    """The values of a list of numbers for height and width."""
    values = node.attr[attr].list.i
    first = 2 if node.attr["data_format"].s.startswith(b"NC") else 1
    return values[first], values[first + 1]


def _kernel_size(node: Any, name_to_node: _Nodes) -> tuple[int, int]:
    """Height and width of the kernel of a convolution."""
    read = node.input[1]
    ops = {"read": "VariableV2", "ReadVariableOp": "VarHandleOp"}
    op = ops.get(read.rpartition("/")[2])
    if op is None:
        raise ValueError("Weight layer's name input to conv layer does not end with '/read'")
    weights = name_to_node[name_to_node[read].input[0]]
    if weights.op != op:
        raise ValueError(f"Weight layer is not of type {op}")
    shape = weights.attr["shape"].shape
    return shape.dim[0].size, shape.dim[1].size


def _window(
    node: Any,
    kernel: tuple[int, int],
    strides: tuple[int, int],
    resolution: Sequence[int | None] | None,
) -> LayerParams:
    padding = node.attr["padding"].s
    if padding not in (b"SAME", b"VALID"):
        raise ValueError(f"Invalid padding operation {padding}")
    found: list[tuple[int | None, int | None]] = []
    for axis in (0, 1):
        length = None if resolution is None else resolution[axis]
        if padding == b"VALID":
            found.append((0, 0))
        else:
            found.append(_same_padding(kernel[axis], strides[axis], length))
    (pad_y, total_y), (pad_x, total_x) = found
    return LayerParams(kernel[1], kernel[0], strides[1], strides[0], pad_x, pad_y, total_x, total_y)


def _same_padding(kernel: int, stride: int, length: int | None) -> tuple[int | None, int | None]:
    """The padding before the first position, and all of it."""
    if length is not None:
        total = max((-(-length // stride) - 1) * stride + kernel - length, 0)
        return total // 2, total
    if stride == 1 or kernel == 1:
        return (kernel - 1) // 2, kernel - 1
    # With stride 2, the total is one of two numbers whose halves may be equal.
    return (kernel // 2 - 1, None) if stride == 2 and kernel % 2 == 0 else (None, None)


def _paddings(node: Any, name_to_node: _Nodes) -> list[list[int]]:
    """The paddings of height and of width."""
    name = node.input[1]
    if not name.endswith("/paddings"):
        raise ValueError("Padding layer name does not end with '/paddings'")
    constant = name_to_node[name]
    if constant.op != "Const":
        raise ValueError("Padding op is not Const")
    paddings = make_ndarray(constant.attr["value"].tensor).tolist()
    for place, values in (("first", paddings[0]), ("last", paddings[-1])):
        if any(values):
            raise ValueError(f"padding is not zero for {place} tensor dim")
    found: list[list[int]] = paddings[1:3]
    return found
