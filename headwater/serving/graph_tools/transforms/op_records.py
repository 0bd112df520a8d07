"""What the registry knows of the op types in a GraphDef."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING

from headwater.base.errors import NotFoundError
from headwater.graph.graph_def import op_def
from headwater.graph.registry import OpRecord, is_registered, lookup

if TYPE_CHECKING:
    from headwater.protos.graph_pb2 import GraphDef
    from headwater.protos.node_def_pb2 import NodeDef
    from headwater.protos.op_def_pb2 import OpDef


def record_of(op_type: str) -> OpRecord:
    """Returns the record of an op type.

    Raises:
        NotFoundError: if there is no such type.
    """
    if not is_registered(op_type):
        raise NotFoundError(
            None,
            None,
            f"Op type not registered '{op_type}' in binary running on {platform.node()}. "
            "Make sure the Op and Kernel are registered in the binary running in this process. "
            "Note that if you are loading a saved graph which used ops from tf.contrib, accessing "
            "(e.g.) `tf.contrib.resampler` should be done before importing the graph, as contrib "
            "ops are lazily registered when the module is first accessed.",
        )
    return lookup(op_type)


def functions_of(graph_def: GraphDef) -> set[str]:
    """Returns the names of a graph's functions, which are op types of its nodes, too."""
    return {function.signature.name for function in graph_def.library.function}


def op_def_of(op_type: str) -> OpDef:
    """Returns the OpDef of an op type.

    Raises:
        NotFoundError: if there is no such type.
    """
    proto: OpDef = op_def(record_of(op_type))
    return proto


def output_types(node: NodeDef) -> list[int]:
    """Returns the DataTypes of a node's outputs, references to variables included."""
    reference = 100  # what is added to the number of a type
    types: list[int] = []
    for arg in op_def_of(node.op).output_arg:
        if arg.type_list_attr:
            found = list(node.attr[arg.type_list_attr].list.type)
        else:
            found = [node.attr[arg.type_attr].type if arg.type_attr else arg.type]
        if arg.number_attr:
            found *= node.attr[arg.number_attr].i
        types += [number + reference if arg.is_ref else number for number in found]
    return types
