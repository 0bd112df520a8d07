"""Work on GraphDefs: cut out, freeze, strip."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from headwater.base import logging
from headwater.base.export import export
from headwater.base.tensor_shape import as_shape
from headwater.graph.graph import Graph
from headwater.graph.operation import Operation
from headwater.io.atomic_file import write_atomically
from headwater.io.files import join_path, make_folders
from headwater.protos.lazy import types_pb2

_VARIABLE_OPS = {
    "Assign", "AssignAdd", "AssignSub", "Queue", "ScatterAdd", "ScatterSub", "ScatterUpdate",
    "TruncatedNormal", "Variable", "VariableV2",
}  # fmt: skip
# They pass on the handle of a variable: to readers, to branches, into loops.
_PASSING_OPS = ("Identity", "Switch", "Enter")


def node_name(text: str) -> str:
    """The node that an input text names: ``^a``, ``a:1`` and ``a`` are all ``a``."""
    return text[1:] if text.startswith("^") else text.partition(":")[0]


def check_graph_def(graph_def: Any) -> None:
    """Checks that this is a GraphDef.

    Raises:
        TypeError: if it is none.
    """
    if not (hasattr(graph_def, "node") and hasattr(graph_def, "library")):
        raise TypeError("graph_def must be a graph_pb2.GraphDef proto.")


@export("graph_util.must_run_on_cpu")
def must_run_on_cpu(node: Any, pin_variables_on_cpu: bool = False) -> bool:
    """Whether a node belongs on the CPU: strings, and, if asked for, variables.

    Args:
        node: an Operation or NodeDef.
        pin_variables_on_cpu: whether variables and their updates count.

    Returns:
        A bool.
    """
    node_def = node.node_def if isinstance(node, Operation) else node
    if pin_variables_on_cpu and node_def.op in _VARIABLE_OPS:
        return True
    string = 7
    if node_def.op == "Const":
        return bool(node_def.attr["dtype"].type == string)
    if node_def.op in ("DynamicStitch", "ParallelDynamicStitch"):
        return bool(node_def.attr["T"].type == 3)
    return bool(node_def.op == "Cast" and node_def.attr["SrcT"].type == string)


@export("graph_util.extract_sub_graph")
def extract_sub_graph(graph_def: Any, dest_nodes: Any) -> Any:
    """The part of a graph that some nodes depend on.

    Args:
        graph_def: a GraphDef.
        dest_nodes: names of nodes.

    Returns:
        A GraphDef with the nodes in their order.

    Raises:
        TypeError: if an argument is of a wrong kind.
        AssertionError: if a node is not in the graph.
    """
    check_graph_def(graph_def)
    if isinstance(dest_nodes, str):
        raise TypeError("dest_nodes must be a list.")
    nodes = {node.name: node for node in graph_def.node}
    for name in dest_nodes:
        if name not in nodes:
            raise AssertionError(f"{name} is not in graph")
    kept = reachable_nodes(nodes, dest_nodes)
    result = type(graph_def)()
    result.node.extend(node for node in graph_def.node if node.name in kept)
    result.library.CopyFrom(graph_def.library)
    result.versions.CopyFrom(graph_def.versions)
    return result


def reachable_nodes(nodes: dict[str, Any], names: Iterable[str]) -> set[str]:
    """The names of nodes that some nodes depend on, these included.

    Args:
        nodes: the NodeDefs of a graph by name.
        names: names of nodes.
    """
    kept: set[str] = set()
    stack = list(names)
    while stack:
        name = stack.pop()
        if name not in kept:
            kept.add(name)
            stack.extend(node_name(text) for text in nodes[name].input)
    return kept


@export("graph_util.convert_variables_to_constants")
def convert_variables_to_constants(
    sess: Any,
    input_graph_def: Any,
    output_node_names: Any,
    variable_names_whitelist: Any = None,
    variable_names_blacklist: Any = None,
) -> Any:
    """The part of a graph that some nodes need, with constants in the place of variables.

    Args:
        sess: a session that holds the values of the variables.
        input_graph_def: the GraphDef of its graph.
        output_node_names: names of the nodes that must stay.
        variable_names_whitelist: the only variables that are replaced; None for all.
        variable_names_blacklist: variables that are not replaced.

    Returns:
        A GraphDef.
    """
    graph_def = extract_sub_graph(input_graph_def, output_node_names)
    nodes = {node.name: node for node in graph_def.node}
    sources: dict[str, str] = {}
    for node in graph_def.node:
        if node.op not in ("Variable", "VariableV2", "VarHandleOp"):
            continue
        if variable_names_whitelist is not None and node.name not in variable_names_whitelist:
            continue
        if variable_names_blacklist is not None and node.name in variable_names_blacklist:
            continue
        is_handle = node.op == "VarHandleOp"
        sources[node.name] = f"{node.name}/Read/ReadVariableOp:0" if is_handle else f"{node.name}:0"
    values = dict(zip(sources, sess.run(list(sources.values())))) if sources else {}
    logging.info("Froze %d variables.", len(values))
    result = type(graph_def)()
    for node in graph_def.node:
        if node.op == "ResourceGather" and _variable_of(nodes, node.input[0]) in values:
            result.node.append(_frozen_axis(node))
        result.node.append(_frozen(node, nodes, values))
    result.library.CopyFrom(graph_def.library)
    result.versions.CopyFrom(graph_def.versions)
    logging.info("Converted %d variables to const ops.", len(values))
    return result


def _frozen(node: Any, nodes: dict[str, Any], values: dict[str, Any]) -> Any:
    """A node of the frozen graph: what reads a variable takes its value."""
    frozen = type(node)(name=node.name)
    if node.name in values:
        to_attr = Graph._proto_maker("attr_value")
        dtype = node.attr["dtype"].type
        frozen.op = "Const"
        frozen.attr["dtype"].type = dtype
        frozen.attr["value"].CopyFrom(to_attr("tensor", values[node.name], dtype))
    elif _passes_handle(node) and (variable := _variable_of(nodes, node.name)) in values:
        frozen.CopyFrom(node)
        frozen.attr["T"].CopyFrom(nodes[variable].attr["dtype"])
    elif node.op == "ReadVariableOp" and _variable_of(nodes, node.input[0]) in values:
        frozen.op = "Identity"
        frozen.input.append(node.input[0])
        frozen.attr["T"].CopyFrom(node.attr["dtype"])
        _copy_colocation(node, frozen)
    elif node.op == "ResourceGather" and _variable_of(nodes, node.input[0]) in values:
        _freeze_gather(node, frozen)
    else:
        frozen.CopyFrom(node)
    return frozen


def _frozen_axis(node: Any) -> Any:
    """The axis of the GatherV2 that takes the place of a ResourceGather."""
    axis = type(node)(name=f"{node.name}/axis", op="Const")
    axis.attr["dtype"].type = types_pb2.DT_INT32
    to_attr = Graph._proto_maker("attr_value")
    axis.attr["value"].CopyFrom(to_attr("tensor", np.int32(0), types_pb2.DT_INT32))
    return axis


def _freeze_gather(node: Any, frozen: Any) -> None:
    if node.attr["batch_dims"].i:
        raise ValueError("batch_dims != 0 is not supported by freeze_graph.")
    frozen.op = "GatherV2"
    frozen.input.extend([*node.input[:2], f"{node.name}/axis"])
    frozen.attr["Tparams"].CopyFrom(node.attr["dtype"])
    frozen.attr["Tindices"].CopyFrom(node.attr["Tindices"])
    frozen.attr["Taxis"].type = types_pb2.DT_INT32
    _copy_colocation(node, frozen)


def _copy_colocation(node: Any, frozen: Any) -> None:
    if "_class" in node.attr:
        frozen.attr["_class"].CopyFrom(node.attr["_class"])


def _passes_handle(node: Any) -> bool:
    return node.op in _PASSING_OPS and node.attr["T"].type == types_pb2.DT_RESOURCE


def _variable_of(nodes: dict[str, Any], text: str) -> str:
    """The node behind those that pass a handle on: a variable, if `text` is a handle."""
    node = nodes[node_name(text)]
    while _passes_handle(node):
        node = nodes[node_name(node.input[0])]
    result: str = node.name
    return result


@export("graph_util.remove_training_nodes")
def remove_training_nodes(input_graph: Any, protected_nodes: Any = None) -> Any:
    """A graph without the checks and identities that only training needs.

    Args:
        input_graph: a GraphDef.
        protected_nodes: names of nodes that stay.

    Returns:
        A GraphDef.
    """
    protected = set(protected_nodes or ())
    checked = {"CheckNumerics"}
    without_checks = _spliced(
        input_graph, lambda node: node.op in checked and node.name not in protected
    )
    controlled = {
        node.name
        for node in without_checks.node
        if any(text.startswith("^") for text in node.input)
    }
    controlled.update(
        text[1:] for node in without_checks.node for text in node.input if text.startswith("^")
    )
    return _spliced(
        without_checks,
        lambda node: (
            node.op == "Identity" and node.name not in protected and node.name not in controlled
        ),
    )


def _spliced(graph_def: Any, drop: Any) -> Any:
    """A graph in which the inputs of dropped nodes take the place of their outputs."""
    passed = {node.name: node.input[0] for node in graph_def.node if node.input and drop(node)}
    result = type(graph_def)()
    for node in graph_def.node:
        if node.name in passed:
            continue
        copy = result.node.add()
        copy.CopyFrom(node)
        del copy.input[:]
        for text in node.input:
            while text.lstrip("^").partition(":")[0] in passed:
                source = passed[node_name(text)]
                text = f"^{node_name(source)}" if text.startswith("^") else source
            copy.input.append(text)
    result.library.CopyFrom(graph_def.library)
    result.versions.CopyFrom(graph_def.versions)
    return result


@export("graph_util.tensor_shape_from_node_def_name")
def tensor_shape_from_node_def_name(graph: Graph, input_name: str) -> Any:
    """The static shape of a tensor.

    Args:
        graph: the graph.
        input_name: the name of the tensor; the output index may be left out.

    Returns:
        A TensorShape.
    """
    name = input_name if ":" in input_name else f"{input_name}:0"
    return as_shape(graph.get_tensor_by_name(name).get_shape())


@export("train.write_graph", "io.write_graph")
def write_graph(graph_or_graph_def: Any, logdir: Any, name: str, as_text: bool = True) -> str:
    """Writes a graph to a file.

    Args:
        graph_or_graph_def: a Graph or GraphDef.
        logdir: the folder, which is made if it is not there.
        name: the name of the file.
        as_text: whether the file has the text form or the binary one.

    Returns:
        The path of the file.

    Raises:
        OpError: of the class that fits (ResourceExhaustedError for example), if the file cannot
            be written.
    """
    graph_def = graph_or_graph_def
    if isinstance(graph_def, Graph):
        graph_def = graph_def.as_graph_def()
    make_folders(logdir)
    path = join_path(logdir, name)
    if as_text:
        write_atomically(path, Graph._proto_maker("text")(graph_def).encode())
    else:
        write_atomically(path, graph_def.SerializeToString())
    return path
