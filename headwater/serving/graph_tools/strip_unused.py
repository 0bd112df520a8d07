"""`strip_unused`: the part of a graph between given inputs and outputs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from headwater.graph.graph_util import extract_sub_graph
from headwater.io.files import file_exists
from headwater.protos.lazy import graph_pb2
from headwater.serving.graph_tools.graph_files import read_graph_def, write_graph_def

if TYPE_CHECKING:
    from headwater.protos.graph_pb2 import GraphDef
    from headwater.protos.node_def_pb2 import NodeDef


def strip_unused(
    input_graph_def: GraphDef,
    input_node_names: Sequence[str],
    output_node_names: Sequence[str],
    placeholder_type_enum: int | Sequence[int],
) -> GraphDef:
    """Replaces nodes by placeholders, and leaves out what the outputs then do not need.

    Args:
        input_graph_def: a GraphDef.
        input_node_names: the nodes that become placeholders.
        output_node_names: the nodes that stay, with what they depend on.
        placeholder_type_enum: the DataType of the placeholders, or one for each.

    Returns:
        A GraphDef.

    Raises:
        ValueError: if an input is the name of a tensor.
        KeyError: if an input is not in the graph.
        AssertionError: if an output is not in the graph.
    """
    for name in input_node_names:
        if ":" in name:
            raise ValueError(f"Name '{name}' appears to refer to a Tensor, not a Operation.")
    missing = set(input_node_names) - {node.name for node in input_graph_def.node}
    if missing:
        raise KeyError(f"The following input nodes were not found: {missing}")
    if isinstance(placeholder_type_enum, int):
        types = dict.fromkeys(input_node_names, placeholder_type_enum)
    else:
        types = dict(zip(input_node_names, placeholder_type_enum))
    cut = graph_pb2.GraphDef(library=input_graph_def.library, versions=input_graph_def.versions)
    for node in input_graph_def.node:
        cut.node.append(_placeholder(node, types[node.name]) if node.name in types else node)
    stripped: GraphDef = extract_sub_graph(cut, list(output_node_names))
    return stripped


def _placeholder(node: NodeDef, dtype: int) -> NodeDef:
    placeholder = type(node)(name=node.name, op="Placeholder", device=node.device)
    placeholder.attr["dtype"].type = dtype
    for key in ("shape", "_output_shapes"):
        if key in node.attr:
            placeholder.attr[key].CopyFrom(node.attr[key])
    return placeholder


def strip_unused_from_files(
    input_graph: str,
    input_binary: bool,
    output_graph: str,
    output_binary: bool,
    input_node_names: str,
    output_node_names: str,
    placeholder_type_enum: int,
) -> int | None:
    """`strip_unused` on files; says what it has done.

    Args:
        input_graph: the file of a GraphDef.
        input_binary: whether it has the binary form.
        output_graph: the file to write.
        output_binary: whether it gets the binary form.
        input_node_names: names separated by commas.
        output_node_names: names separated by commas.
        placeholder_type_enum: the DataType of the placeholders.

    Returns:
        -1 if the file does not exist or no outputs are named; else None.
    """
    if not file_exists(input_graph):
        return _refuse(f"Input graph file '{input_graph}' does not exist!")
    if not output_node_names:
        return _refuse("You need to supply the name of a node to --output_node_names.")
    stripped = strip_unused(
        read_graph_def(input_graph, input_binary),
        input_node_names.split(","),
        output_node_names.split(","),
        placeholder_type_enum,
    )
    write_graph_def(stripped, output_graph, output_binary)
    sys.stdout.write(f"{len(stripped.node)} ops in the final graph.\n")
    return None


def _refuse(message: str) -> int:
    sys.stdout.write(f"{message}\n")
    return -1
