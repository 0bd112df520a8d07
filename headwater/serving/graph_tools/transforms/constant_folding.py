"""`fold_constants`: a graph in which tensors that never change are constants."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from headwater.base.dtypes import as_dtype, resource, string, variant
from headwater.base.errors import NotFoundError
from headwater.graph import Graph, Tensor, import_graph_def
from headwater.protos.lazy import graph_pb2
from headwater.serving.graph_tools.transforms.context import Context, refuse
from headwater.serving.graph_tools.transforms.node_names import (
    constant,
    copied,
    data_inputs,
    graph_of,
    needed_by,
    new_node,
    node_of,
    port_of,
    with_inputs,
)
from headwater.serving.graph_tools.transforms.op_records import (
    functions_of,
    output_types,
    record_of,
)
from headwater.serving.graph_tools.transforms.ordering import execution_order
from headwater.session.session import Session

if TYPE_CHECKING:
    from headwater.protos.graph_pb2 import GraphDef
    from headwater.protos.node_def_pb2 import NodeDef

_CONTROL_FLOW = frozenset(
    f"{prefix}{name}"
    for prefix in ("", "Ref")
    for name in ("Switch", "Merge", "Enter", "Exit", "NextIteration")
) | {"LoopCond"}
_PLACEHOLDERS = ("Placeholder", "PlaceholderWithDefault")
_LARGEST = 10 * 1024 * 1024  # bytes
_NUMBERED = re.compile(r"__cf__(\d+)$")


def fold_constants(graph_def: GraphDef, context: Context) -> GraphDef:
    """Computes what does not depend on the inputs, and leaves out what the outputs do not need.

    Outputs stay as they are. Constants of more than 10 MiB are not made.

    Raises:
        NotFoundError: if an input or output is not in the graph.
        InvalidArgumentError: if an input is not a placeholder, is an output as well, or the outputs
            depend on a placeholder that is not an input.
    """
    context.truth("clear_output_shapes", True)
    order = execution_order(graph_def)
    nodes = {node.name: node for node in order}
    if len(nodes) != len(graph_def.node):
        names = [node.name for node in graph_def.node]
        twice = next(name for name in names if names.count(name) > 1)
        raise refuse(f"Node '{twice}' is not unique")
    _check_names(nodes, context)
    inputs = [node_of(name) for name in context.inputs]
    needed = needed_by(graph_def, context.outputs, inputs)
    constants = constant_names(order, {*inputs, *functions_of(graph_def)})
    used = [nodes[name] for name in needed if name not in constants and name not in inputs]
    wanted = {(node_of(name), port_of(name)) for name in context.outputs}
    wanted |= {(node_of(text), port_of(text)) for node in used for text in data_inputs(node)}
    edges = sorted(edge for edge in wanted if edge[0] in constants and nodes[edge[0]].op != "Const")
    values = computed([node for node in order if node.name in constants & needed], edges)
    for name in inputs:
        if nodes[name].op not in _PLACEHOLDERS:
            raise refuse(
                f"Input '{name}' was expected to be a Placeholder or PlaceholderWithDefault op, "
                f"but was {nodes[name].op}"
            )
    start = _first_number(graph_def)
    made = {
        edge: constant(
            f"{edge[0]}/_{number}__cf__{start + number}",
            values[edge],
            as_dtype(output_types(nodes[edge[0]])[edge[1]]),
            _controls(edge[0], nodes, constants),
        )
        for number, edge in enumerate(edges)
        if edge in values
    }
    replaced = {edge: node.name for edge, node in made.items()}
    result = [
        with_inputs(node, lambda text: _new_input(text, replaced, inputs))
        for node in graph_def.node
        if node.name not in inputs
    ]
    result += [*made.values(), *(_fed(nodes[name]) for name in dict.fromkeys(inputs))]
    whole = graph_of(map(_without_shapes, result), graph_def)
    needed = {*needed_by(whole, context.outputs), *inputs}
    return graph_of((node for node in whole.node if node.name in needed), whole)


def _check_names(nodes: dict[str, NodeDef], context: Context) -> None:
    for name in context.inputs:
        if node_of(name) not in nodes:
            raise NotFoundError(None, None, f"FeedInputs: unable to find feed output {name}")
    fed = {node_of(name) for name in context.inputs}
    for name in context.outputs:
        node = nodes.get(node_of(name))
        if node is None:
            raise NotFoundError(None, None, f"FetchOutputs node {name}: not found")
        if node.name in fed:
            raise refuse(f"{name} is both fed and fetched.")
        if node.op == "NoOp":
            raise refuse(
                f"Tried to fetch data for '{name}', which produces no output.  To run to a node "
                f"but not fetch any data, pass '{name}' as an argument to the "
                "'target_node_names' argument of the Session::Run API."
            )


def constant_names(order: list[NodeDef], variable: set[str]) -> set[str]:
    """Returns the nodes that always have the same outputs.

    Args:
        order: the nodes of a graph, each after its inputs.
        variable: names of nodes, and op types, that vary.
    """
    constants: set[str] = set()
    for node in order:
        if node.name in variable or node.op in variable or node.op in _CONTROL_FLOW:
            continue
        if record_of(node.op).stateful:
            continue
        if all(node_of(text) in constants for text in node.input if not text.startswith("^")):
            constants.add(node.name)
    return constants


def computed(
    constants: list[NodeDef], edges: list[tuple[str, int]]
) -> dict[tuple[str, int], np.ndarray]:
    """Returns the values of tensors, except large ones and those that no Const can have.

    Args:
        constants: the nodes that they depend on; control inputs have no effect.
        edges: the tensors.
    """
    alone = graph_pb2.GraphDef(node=[copied(node) for node in constants])
    for node in alone.node:
        node.input[:] = data_inputs(node)
        node.attr.pop("_class", None)  # the node that it is placed with may be left out
    with Graph().as_default() as graph:
        import_graph_def(alone, name="")
    tensors = {edge: graph.get_operation_by_name(edge[0]).outputs[edge[1]] for edge in edges}
    tensors = {edge: tensor for edge, tensor in tensors.items() if _can_fold(tensor)}
    if not tensors:
        return {}
    with Session(graph=graph) as session:
        values = session.run(tensors)
    arrays = {edge: np.asarray(value) for edge, value in values.items()}
    return {edge: array for edge, array in arrays.items() if array.nbytes <= _LARGEST}


def _can_fold(tensor: Tensor) -> bool:
    return not tensor.dtype._is_ref_dtype and tensor.dtype not in (resource, variant, string)


def _first_number(graph_def: GraphDef) -> int:
    """A number after those of constants that were folded before."""
    used = [_NUMBERED.search(node.name) for node in graph_def.node]
    return max((int(match[1]) + 1 for match in used if match), default=0)


def _controls(name: str, nodes: dict[str, NodeDef], constants: set[str]) -> list[str]:
    """The nodes that vary and that a constant node waits for, directly or not."""
    found: set[str] = set()
    seen = {name}
    stack = [name]
    while stack:
        for source in map(node_of, nodes[stack.pop()].input):
            if source not in constants:
                found.add(source)
            elif source not in seen:
                seen.add(source)
                stack.append(source)
    return sorted(found)


def _new_input(text: str, replaced: dict[tuple[str, int], str], inputs: list[str]) -> str:
    edge = (node_of(text), port_of(text))
    if edge in replaced:
        return replaced[edge]
    return f"{edge[0]}:0" if edge[0] in inputs and edge[1] == 0 else text


def _fed(node: NodeDef) -> NodeDef:
    """The placeholder of an input."""
    if node.op == "Placeholder":
        return node
    attrs = {key: node.attr[key] for key in ("dtype", "shape")}
    return new_node(node.name, "Placeholder", **attrs)


def _without_shapes(node: NodeDef) -> NodeDef:
    result = copied(node)
    if "_output_shapes" in result.attr:
        del result.attr["_output_shapes"]
    return result
