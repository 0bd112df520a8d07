"""The input texts of NodeDefs, and new graphs of nodes."""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from headwater.base.dtypes import DType
from headwater.base.errors import InvalidArgumentError
from headwater.io.tensor_proto import make_ndarray, make_tensor_proto
from headwater.protos.lazy import graph_pb2, node_def_pb2

if TYPE_CHECKING:
    from headwater.protos.graph_pb2 import GraphDef
    from headwater.protos.node_def_pb2 import NodeDef


def node_of(text: str) -> str:
    """Returns the node that an input text names: ``^a``, ``a:1`` and ``a`` are all ``a``."""
    return text.removeprefix("^").partition(":")[0]


def port_of(text: str) -> int:
    """Returns the number of the output that an input text names; -1 for a control input."""
    return -1 if text.startswith("^") else int(text.partition(":")[2] or 0)


def data_inputs(node: NodeDef) -> list[str]:
    """Returns the inputs of a node that are not control inputs."""
    return [text for text in node.input if not text.startswith("^")]


def graph_of(nodes: Iterable[NodeDef], source: GraphDef) -> GraphDef:
    """Returns a graph of nodes with the functions of another graph; its versions are not known."""
    result: GraphDef = graph_pb2.GraphDef()
    result.node.extend(nodes)
    result.library.CopyFrom(source.library)
    return result


def new_node(name: str, op: str, inputs: Iterable[str] = (), **attrs: Any) -> NodeDef:
    """Returns a node.

    Args:
        name: its name.
        op: its op type.
        inputs: its input texts.
        attrs: AttrValues to copy, dtypes, strings, booleans, integers, lists of integers or dtypes.
    """
    node: NodeDef = node_def_pb2.NodeDef(name=name, op=op, input=list(inputs))
    for key, value in attrs.items():
        if isinstance(value, DType):
            node.attr[key].type = value.as_datatype_enum
        elif isinstance(value, bool):
            node.attr[key].b = value
        elif isinstance(value, int):
            node.attr[key].i = value
        elif isinstance(value, str):
            node.attr[key].s = value.encode()
        elif isinstance(value, list):
            node.attr[key].list.type.extend(dtype.as_datatype_enum for dtype in value)
        else:
            node.attr[key].CopyFrom(value)
    return node


def constant(
    name: str, value: np.ndarray | np.generic, dtype: DType, controls: Iterable[str] = ()
) -> NodeDef:
    """Returns a Const."""
    node = new_node(name, "Const", [f"^{control}" for control in controls], dtype=dtype)
    node.attr["value"].tensor.CopyFrom(make_tensor_proto(value, dtype, value.shape))
    return node


def constant_value(node: NodeDef) -> np.ndarray:
    """Returns the value of a Const."""
    value: np.ndarray = make_ndarray(node.attr["value"].tensor)
    return value


def copied(node: NodeDef, **attrs: Any) -> NodeDef:
    """Returns a copy of a node with changed attrs."""
    copy: NodeDef = node_def_pb2.NodeDef()
    copy.CopyFrom(node)
    copy.attr.MergeFrom(new_node("", "", **attrs).attr)
    return copy


def users_of(graph_def: GraphDef) -> dict[str, list[NodeDef]]:
    """Returns the nodes that take outputs of a node, or wait for it, by its name."""
    users: dict[str, list[NodeDef]] = collections.defaultdict(list)
    for node in graph_def.node:
        for text in node.input:
            users[node_of(text)].append(node)
    return users


def with_inputs(node: NodeDef, rename: Callable[[str], str]) -> NodeDef:
    """Returns a copy of a node whose input texts are changed by a function."""
    copy = copied(node)
    copy.input[:] = [rename(text) for text in node.input]
    return copy


def renamed_input(text: str, replacements: Mapping[str, str]) -> str:
    """Returns an input text in which a node is replaced by a node or tensor.

    Args:
        text: an input text.
        replacements: what takes the place of the first output of a node, by its name.
    """
    new = replacements.get(node_of(text))
    if new is None or port_of(text) > 0:
        return text
    return f"^{node_of(new)}" if text.startswith("^") else new


def needed_by(graph_def: GraphDef, outputs: Iterable[str], stops: Iterable[str] = ()) -> set[str]:
    """Returns the nodes that outputs depend on, these included.

    Args:
        graph_def: a GraphDef.
        outputs: names of nodes or tensors.
        stops: nodes whose inputs are not needed.

    Raises:
        InvalidArgumentError: if a node is missing.
    """
    nodes = {node.name: node for node in graph_def.node}
    stopping = set(stops)
    needed: set[str] = set()
    stack = [node_of(name) for name in outputs]
    while stack:
        name = stack.pop()
        if name in needed:
            continue
        if name not in nodes:
            raise InvalidArgumentError(None, None, f"Input node {name} not found in graph")
        needed.add(name)
        if name not in stopping:
            stack += [node_of(text) for text in nodes[name].input]
    return needed
