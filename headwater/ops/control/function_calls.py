"""Ops that call functions: PartitionedCall and its kin, SymbolicGradient."""

from __future__ import annotations

from headwater.base.typing import Shape
from headwater.graph import Operation, ShapeContext, get_default_graph, register_op, shapes
from headwater.graph.functions import FunctionGraph, call_function
from headwater.ops.control.function_bodies import attrs_of, body_around, function_of


def body_of_call(op: Operation) -> FunctionGraph:
    attr = op._attrs["f"]
    return function_of(op._graph, attr).body(attrs_of(attr))


def body_of_remote_call(op: Operation) -> FunctionGraph:
    graph = body_around(op)
    attr = op._attrs["f"]
    function_of(op._graph, attr)
    with graph.as_default():
        call = call_function(graph, attr.name, graph.inputs[1:], attrs_of(attr), "call")
    graph.outputs = list(call._outputs)
    return graph


def body_of_gradient(op: Operation) -> FunctionGraph:
    attr = op._attrs["f"]
    return function_of(op._graph, attr).gradient(attrs_of(attr), op._graph._functions)


def shape_call(c: ShapeContext) -> list[Shape]:
    """Shapes inferred from the nodes of the body."""
    attr = c.attr("f")
    function = get_default_graph()._get_function(attr.name)
    if function is None:
        return shapes.unknown(c)
    return function.output_shapes(attrs_of(attr), c.shapes)


def shape_symbolic_gradient(c: ShapeContext) -> list[Shape]:
    """Each gradient has the shape of its argument, or of the variable that it stands for."""
    return [
        tensor._op._attrs.get("shape") if tensor._dtype.name == "resource" else tensor._shape
        for tensor, _ in zip(c.inputs, c.attr("Tout"))
    ]


_CALL = (
    "Tin: list(type) >= 0, Tout: list(type) >= 0, f: func, config: string = '', "
    "config_proto: string = '', executor_type: string = ''"
)


def _register_call(name: str) -> None:
    register_op(
        name,
        inputs="args: Tin",
        outputs="output: Tout",
        attrs=_CALL,
        shape=shape_call,
        stateful=name.startswith("Stateful"),
        body=body_of_call,
    )


_register_call("PartitionedCall")
_register_call("StatefulPartitionedCall")

register_op(
    "RemoteCall",
    inputs="target: string, args: Tin",
    outputs="output: Tout",
    attrs="Tin: list(type) >= 1, Tout: list(type) >= 1, f: func",
    shape=shapes.unknown,
    stateful=True,
    body=body_of_remote_call,
)

register_op(
    "SymbolicGradient",
    inputs="input: Tin",
    outputs="output: Tout",
    attrs="Tin: list(type) >= 1, Tout: list(type) >= 1, f: func",
    shape=shape_symbolic_gradient,
    body=body_of_gradient,
)
