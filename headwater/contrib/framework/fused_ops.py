"""`contrib.framework.fuse_op`: one custom op in the place of a part of a graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base.export import export
from headwater.graph.graph_util import check_graph_def, node_name, reachable_nodes


@export("contrib.framework.fuse_op")
def fuse_op(
    graph_def: Any,
    input_nodes: Sequence[str],
    output_nodes: Sequence[str],
    output_dtypes: Sequence[int],
    output_quantized: bool,
    op_name: str,
    op_type: str,
) -> Any:
    """Puts one custom op in the place of all nodes between some inputs and outputs.

    Args:
        graph_def: a GraphDef.
        input_nodes: the names of the nodes that the op reads.
        output_nodes: the names of nodes with one input each, which the op computes instead.
        output_dtypes: the types of the op's outputs, numbers of the enum DataType.
        output_quantized: the value of the attribute "_output_quantized" of the op.
        op_name: the name of its node.
        op_type: its type.

    Returns:
        A GraphDef: what the inputs depend on, the op, the outputs, the rest.

    Raises:
        TypeError: if an argument is of a wrong kind, or a node between inputs and outputs
            depends on something before the inputs in another way.
        AssertionError: if a node is not in the graph, or an output has not exactly one input.
    """
    check_graph_def(graph_def)
    for argument, names in (("input_nodes", input_nodes), ("output_nodes", output_nodes)):
        if isinstance(names, str):
            raise TypeError(f"{argument} must be a list.")
    nodes = {node.name: node for node in graph_def.node}
    for name in (*input_nodes, *output_nodes):
        if name not in nodes:
            raise AssertionError(f"{name} is not in graph")
    before = reachable_nodes(nodes, input_nodes)
    needed = reachable_nodes(nodes, output_nodes)
    for name in nodes:
        if name in needed and name not in before and name not in output_nodes:
            _check_paths(nodes, name, set(input_nodes), before)

    result = type(graph_def)()
    result.node.extend(node for node in graph_def.node if node.name in before)
    fused = result.node.add(name=op_name, op=op_type, input=input_nodes)
    fused.attr["_output_types"].list.type.extend(output_dtypes)
    fused.attr["_output_quantized"].b = output_quantized
    for index, name in enumerate(output_nodes):
        if len(nodes[name].input) != 1:
            raise AssertionError(f"{name} has {len(nodes[name].input)} inputs, not one")
        output = result.node.add()
        output.CopyFrom(nodes[name])
        output.input[0] = f"{op_name}:{index}" if index else op_name
    result.node.extend(
        node for node in graph_def.node if node.name not in needed and node.name not in before
    )
    result.library.CopyFrom(graph_def.library)
    result.versions.CopyFrom(graph_def.versions)
    return result


def _check_paths(nodes: dict[str, Any], start: str, inputs: set[str], before: set[str]) -> None:
    """Checks that all paths from a node back to what is before the inputs go through an input."""
    stack, seen = [start], set()
    while stack:
        name = stack.pop()
        if name in seen or name in inputs:
            continue
        seen.add(name)
        if name in before:
            raise TypeError(f"Node {start} uses input {name} not in input_nodes.")
        stack.extend(node_name(text) for text in nodes[name].input)
