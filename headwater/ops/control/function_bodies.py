"""Shared by ops that call functions: the functions that their attrs name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.graph import Operation
from headwater.graph.functions import FunctionGraph
from headwater.graph.graph_base import GraphBase

if TYPE_CHECKING:
    from headwater.graph.function_protos import LibraryFunction
    from headwater.protos.attr_value_pb2 import NameAttrList


def function_of(graph: GraphBase, attr: NameAttrList) -> LibraryFunction:
    """The function that an attr names.

    Raises:
        ValueError: if the graph has no such function.
    """
    function = graph._get_function(attr.name)
    if function is None:
        raise ValueError(f"Function {attr.name} is not defined.")
    return function


def attrs_of(attr: NameAttrList) -> dict[str, Any]:
    """The attrs of a call in their internal form."""
    convert = GraphBase._proto_maker("python_attr")
    return {key: convert(value) for key, value in attr.attr.items()}


def body_around(op: Operation) -> FunctionGraph:
    """An empty body with the arguments of an op, for nodes that implement the op."""
    graph = FunctionGraph(op.name)
    graph._functions = op._graph._functions
    for i, tensor in enumerate(op._inputs):
        graph.add_input(tensor._dtype.base_dtype, tensor._shape, f"input_{i}")
    return graph
