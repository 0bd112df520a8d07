"""Ops that call functions: PartitionedCall and its kin, SymbolicGradient."""

from __future__ import annotations

import numpy as np

from headwater.base import errors
from headwater.base.checks import fail
from headwater.base.compat_strings import as_text
from headwater.base.function_runtime import FunctionRuntime
from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import (
    Operation,
    RunsOn,
    ShapeContext,
    get_default_graph,
    lookup,
    register_op,
    shapes,
)
from headwater.graph.builders import Builder
from headwater.graph.device import DeviceSpec
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
        # Op types with a leading underscore are neither attributes of `build` nor names of nodes.
        check = Builder(lookup("_RemoteTarget"))(graph.inputs[0], name="RemoteTarget")
        with graph.control_dependencies([check]):
            call = call_function(graph, attr.name, graph.inputs[1:], attrs_of(attr), "call")
    graph.outputs = list(call._outputs)
    return graph


def kernel_remote_target(
    xp: ArrayModule, target: Array, *, functions: FunctionRuntime
) -> tuple[()]:
    if np.size(target) != 1:
        fail("target must be a scalar")
    text = as_text(np.asarray(target).item())
    try:
        wanted = DeviceSpec.from_string(text)
    except ValueError:
        fail(f"Could not parse {text} into a device specification.")
    name = _full_name(wanted, functions.device_names[0])
    if name not in functions.device_names:
        raise errors.InternalError(
            None,
            None,
            f"Currently don't support instantiating functions on device: {name}",
            hint=f"the devices of this session are {', '.join(functions.device_names)}.",
        )
    return ()


def _full_name(wanted: DeviceSpec, first: str) -> str:
    """The name of a device; what is not said is that of the first device."""
    return DeviceSpec.from_string(first).make_merged_spec(wanted).to_string()


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

# Not an op of TensorFlow: it stands in the body of RemoteCall, which no GraphDef has.
register_op(
    "_RemoteTarget",
    inputs="target: string",
    shape=shapes.none,
    kernel=kernel_remote_target,
    runs_on=RunsOn.HOST,
    checks=True,
)

register_op(
    "SymbolicGradient",
    inputs="input: Tin",
    outputs="output: Tout",
    attrs="Tin: list(type) >= 1, Tout: list(type) >= 1, f: func",
    shape=shape_symbolic_gradient,
    body=body_of_gradient,
)
