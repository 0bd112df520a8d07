"""`optimize_for_inference`: a graph without what only training needs, with some nodes joined."""

from __future__ import annotations

import collections
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headwater.base import logging
from headwater.base.dtypes import int32
from headwater.graph.graph import Graph
from headwater.graph.graph_util import extract_sub_graph, remove_training_nodes
from headwater.io.tensor_proto import make_ndarray
from headwater.protos.lazy import graph_pb2, node_def_pb2
from headwater.serving.graph_tools.strip_unused import strip_unused

if TYPE_CHECKING:
    from headwater.protos.graph_pb2 import GraphDef
    from headwater.protos.node_def_pb2 import NodeDef

# Op type of a batch normalization -> the positions of its inputs, and the attr of its epsilon.
_NORMALIZATIONS: dict[str, dict[str, Any]] = {
    "BatchNormWithGlobalNormalization": {
        "inputs": {"conv_op": 0, "mean": 1, "var": 2, "beta": 3, "gamma": 4},
        "epsilon": "variance_epsilon",
    },
    "FusedBatchNorm": {
        "inputs": {"conv_op": 0, "gamma": 1, "beta": 2, "mean": 3, "var": 4},
        "epsilon": "epsilon",
    },
}
_CONVOLUTIONS = ("Conv2D", "DepthwiseConv2dNative")


def optimize_for_inference(
    input_graph_def: GraphDef,
    input_node_names: Sequence[str],
    output_node_names: Sequence[str],
    placeholder_type_enum: int | Sequence[int],
    toco_compatible: bool = False,
) -> GraphDef:
    """Removes training nodes, folds batch normalizations, and fuses resizing into convolutions.

    Args:
        input_graph_def: a GraphDef whose variables are constants.
        input_node_names: the nodes that become placeholders.
        output_node_names: the nodes that stay, with what they depend on.
        placeholder_type_enum: the DataType of the placeholders, or one for each.
        toco_compatible: whether nothing is fused.

    Returns:
        A GraphDef that computes the same.

    Raises:
        ValueError: if the graph is not valid, or an input is the name of a tensor.
        KeyError: if an input is not in the graph.
        AssertionError: if an output is not in the graph.
    """
    ensure_graph_is_valid(input_graph_def)
    graph_def = strip_unused(
        input_graph_def, input_node_names, output_node_names, placeholder_type_enum
    )
    graph_def = remove_training_nodes(graph_def, output_node_names)
    graph_def = fold_batch_norms(graph_def)
    if not toco_compatible:
        graph_def = fuse_resize_and_conv(graph_def, output_node_names)
    ensure_graph_is_valid(graph_def)
    return graph_def


def ensure_graph_is_valid(graph_def: GraphDef) -> None:
    """Checks that names of nodes are unique and that all inputs are there.

    Args:
        graph_def: a GraphDef.

    Raises:
        ValueError: if they are not.
    """
    names: set[str] = set()
    for node in graph_def.node:
        if node.name in names:
            raise ValueError("Duplicate node names detected for ", node.name)
        names.add(node.name)
    for node in graph_def.node:
        for text in node.input:
            if node_name_from_input(text) not in names:
                raise ValueError("Input for ", node.name, " not found: ", text)


def node_name_from_input(node_name: str) -> str:
    """Returns the node that an input text names: ``^a``, ``a:1`` and ``a`` are all ``a``."""
    return node_name.removeprefix("^").partition(":")[0]


def node_from_map(node_map: Mapping[str, NodeDef], name: str) -> NodeDef:
    """Returns the node that an input text names.

    Raises:
        ValueError: if there is none.
    """
    stripped = node_name_from_input(name)
    if stripped not in node_map:
        raise ValueError(f"No node named '{name}' found in map.")
    return node_map[stripped]


def values_from_const(node_def: NodeDef) -> np.ndarray:
    """Returns the value of a constant.

    Raises:
        ValueError: if the node is of another type.
    """
    if node_def.op != "Const":
        raise ValueError(
            f"Node named '{node_def.name}' should be a Const op for values_from_const."
        )
    value: np.ndarray = make_ndarray(node_def.attr["value"].tensor)
    return value


def scale_after_normalization(node: NodeDef) -> bool:
    """Whether a batch normalization multiplies by gamma."""
    if node.op == "BatchNormWithGlobalNormalization":
        return node.attr["scale_after_normalization"].b
    return True


def _nodes_and_uses(graph_def: GraphDef) -> tuple[dict[str, NodeDef], collections.Counter[str]]:
    nodes: dict[str, NodeDef] = {}
    uses: collections.Counter[str] = collections.Counter()
    for node in graph_def.node:
        if node.name in nodes:
            raise ValueError("Duplicate node names detected for ", node.name)
        nodes[node.name] = node
        uses.update(map(node_name_from_input, node.input))
    return nodes, uses


def _rebuilt(graph_def: GraphDef, dropped: set[str], added: list[NodeDef]) -> GraphDef:
    result: GraphDef = graph_pb2.GraphDef()
    result.node.extend(node for node in graph_def.node if node.name not in dropped)
    result.node.extend(added)
    result.library.CopyFrom(graph_def.library)
    result.versions.CopyFrom(graph_def.versions)
    return result


def _constant(name: str, value: np.ndarray, dtype: int) -> NodeDef:
    node: NodeDef = node_def_pb2.NodeDef(name=name, op="Const")
    node.attr["dtype"].type = dtype
    node.attr["value"].CopyFrom(Graph._proto_maker("attr_value")("tensor", value, dtype))
    return node


def fold_batch_norms(input_graph_def: GraphDef) -> GraphDef:
    """Multiplies batch normalizations into the constant filters of the convolutions before them.

    A normalization whose convolution or filter has other uses, or whose inputs are not constant,
    stays.

    Args:
        input_graph_def: a GraphDef whose variables are constants.

    Returns:
        A GraphDef that computes the same up to rounding.
    """
    nodes, uses = _nodes_and_uses(input_graph_def)
    dropped: set[str] = set()
    added: list[NodeDef] = []
    for node in input_graph_def.node:
        if node.op not in _NORMALIZATIONS:
            continue
        convolution = node_from_map(nodes, node.input[0])
        if convolution.op not in _CONVOLUTIONS:
            logging.warning(
                "Didn't find expected Conv2D or DepthwiseConv2dNative input to '%s'", node.name
            )
            continue
        filters = node_from_map(nodes, convolution.input[1])
        constants = _constants_of(node, convolution, filters, nodes)
        if constants is None or uses[convolution.name] > 1 or uses[filters.name] > 1:
            continue
        added += _folded(node, convolution, filters, constants)
        dropped |= {node.name, convolution.name, filters.name}
    return _rebuilt(input_graph_def, dropped, added)


def _constants_of(
    node: NodeDef, convolution: NodeDef, filters: NodeDef, nodes: Mapping[str, NodeDef]
) -> dict[str, np.ndarray] | None:
    """The filter and the other inputs of a normalization, by name; None if one is unknown."""
    places = dict(_NORMALIZATIONS[node.op]["inputs"])
    del places["conv_op"]
    inputs = {name: node_from_map(nodes, node.input[place]) for name, place in places.items()}
    for what, source, shown in (
        ("conv", filters, convolution.name),
        *((name, source, node.name) for name, source in inputs.items()),
    ):
        if source.op != "Const":
            logging.warning(
                "Didn't find expected %s Constant input to '%s', found %s instead. Maybe because "
                "freeze_graph wasn't run first?",
                what,
                shown,
                source,
            )
            return None
    return {name: values_from_const(source) for name, source in inputs.items()}


def _folded(
    node: NodeDef, convolution: NodeDef, filters: NodeDef, values: Mapping[str, np.ndarray]
) -> list[NodeDef]:
    """The new filter, its convolution, and the addition that takes the normalization's place."""
    weights = values_from_const(filters)
    epsilon = node.attr[_NORMALIZATIONS[node.op]["epsilon"]].f
    scale = 1.0 / np.sqrt(values["var"] + epsilon)
    if scale_after_normalization(node):
        scale = scale * values["gamma"]
    offset = values["beta"] - values["mean"] * scale
    if convolution.op == "Conv2D":
        scaled = weights * scale
    else:  # the last two axes are the input channels and how many outputs each has
        scaled = weights * scale.reshape(weights.shape[-2:])
    dtype = filters.attr["dtype"].type
    constant = _constant(filters.name, scaled.astype(weights.dtype), dtype)
    constant.attr["value"].tensor.tensor_shape.CopyFrom(filters.attr["value"].tensor.tensor_shape)
    bias = _constant(f"{convolution.name}_bn_offset", offset.astype(weights.dtype), dtype)
    add = node_def_pb2.NodeDef(
        name=node.name, op="BiasAdd", input=[convolution.name, bias.name], device=node.device
    )
    add.attr["T"].CopyFrom(convolution.attr["T"])
    add.attr["data_format"].CopyFrom(convolution.attr["data_format"])
    return [constant, convolution, bias, add]


def fuse_resize_and_conv(input_graph_def: GraphDef, output_node_names: Sequence[str]) -> GraphDef:
    """Puts resizing and mirror padding into the convolutions after them.

    Args:
        input_graph_def: a GraphDef.
        output_node_names: nodes that stay.

    Returns:
        A GraphDef that computes the same.
    """
    graph_def = extract_sub_graph(input_graph_def, list(output_node_names))
    nodes, _ = _nodes_and_uses(graph_def)
    fused: dict[str, list[NodeDef]] = {}
    for node in graph_def.node:
        if node.op != "Conv2D":
            continue
        source = node_from_map(nodes, node.input[0])
        pad = source if source.op == "MirrorPad" else None
        if pad is not None:
            source = node_from_map(nodes, pad.input[0])
        resize = source if source.op == "ResizeBilinear" else None
        if pad is not None or resize is not None:
            fused[node.name] = _fused(node, pad, resize)
    added = [node for group in fused.values() for node in group]
    result = _rebuilt(graph_def, set(fused), added)
    return extract_sub_graph(result, list(output_node_names))


def _fused(node: NodeDef, pad: NodeDef | None, resize: NodeDef | None) -> list[NodeDef]:
    """A convolution that resizes and pads, and its paddings if there were none."""
    added: list[NodeDef] = []
    if pad is not None:
        paddings, mode = pad.input[1], pad.attr["mode"].s
    else:
        zeros = np.zeros([4, 2], np.int32)
        added.append(_constant(f"{node.name}_dummy_paddings", zeros, int32.as_datatype_enum))
        paddings, mode = added[0].name, b"REFLECT"
    joined: NodeDef = node_def_pb2.NodeDef(name=node.name, device=node.device)
    if resize is not None:
        joined.op = "FusedResizeAndPadConv2D"
        joined.input.extend([resize.input[0], resize.input[1], paddings, node.input[1]])
        joined.attr["resize_align_corners"].CopyFrom(resize.attr["align_corners"])
    elif pad is not None:
        joined.op = "FusedPadConv2D"
        joined.input.extend([pad.input[0], paddings, node.input[1]])
    for key in ("T", "strides", "padding"):
        joined.attr[key].CopyFrom(node.attr[key])
    joined.attr["mode"].s = mode
    return [*added, joined]
