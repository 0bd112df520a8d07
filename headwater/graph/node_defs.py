"""Operations made by the constructor of the class, from a NodeDef."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from headwater.base.dtypes import as_dtype
from headwater.graph.builders import node_of_parts
from headwater.graph.graph import Graph
from headwater.graph.graph_base import proto_makers
from headwater.graph.operation import Operation, Tensor
from headwater.graph.registry import lookup

_NAME = re.compile(r"^[A-Za-z0-9.][A-Za-z0-9_.\-/]*$")


def fill_operation(
    op: Operation,
    node_def: Any,
    g: Any,
    inputs: Any,
    control_inputs: Any,
    input_types: Any,
    original_op: Operation | None,
) -> None:
    """Makes a new Operation object the node that a NodeDef describes; see `Operation`."""
    if not (hasattr(node_def, "op") and hasattr(node_def, "attr")):
        raise TypeError(f"node_def needs to be a NodeDef: {node_def}")
    if not _NAME.match(node_def.name):
        raise ValueError(f"'{node_def.name}' is not a valid node name")
    if not isinstance(g, Graph):
        raise TypeError(f"g needs to be a Graph: {g}")
    if inputs is None:
        inputs = []
    elif not isinstance(inputs, list):
        raise TypeError(f"inputs needs to be a list of Tensors: {inputs}")
    for tensor in inputs:
        if not isinstance(tensor, Tensor):
            raise TypeError(f"input needs to be a Tensor: {tensor}")
    if input_types is not None:
        wanted = [as_dtype(t) for t in input_types]
        found = [t.dtype for t in inputs]
        if not all(w.is_compatible_with(f) for w, f in zip(wanted, found)):
            raise TypeError(
                f"In op '{node_def.name}', input types ({[f.base_dtype for f in found]}) are not "
                f"compatible with expected types ({wanted})"
            )
    controls = [_control(item) for item in control_inputs or ()]
    if node_def.name in g._nodes_by_name:
        raise ValueError(f"Duplicate node name in graph: '{node_def.name}'")
    convert = g._proto_maker("python_attr")
    attrs = {key: convert(value) for key, value in node_def.attr.items()}
    g.take_name(node_def.name)
    node_of_parts(g, lookup(node_def.op), inputs, attrs, node_def.name, op)
    if node_def.device:
        op._set_device(node_def.device)
    op._original_op = original_op
    op._add_control_inputs(controls)


def _control(item: Any) -> Operation:
    if isinstance(item, Operation):
        return item
    if isinstance(item, Tensor) or hasattr(item, "dense_shape"):
        op: Operation = item.op
        return op
    raise TypeError(f"Control input must be an Operation, a Tensor, or IndexedSlices: {item}")


class DescribedOp(NamedTuple):
    """An op that is part of a graph only after `Graph._create_op_from_tf_operation`."""

    node_def: Any
    inputs: list[Any]
    control_inputs: list[Any]


def describe_op(graph: Graph, node_def: Any, inputs: Any, control_inputs: Any) -> DescribedOp:
    """Notes an op that the graph makes later.

    Args:
        graph: the graph.
        node_def: a NodeDef with an unused name.
        inputs: the data inputs; a list input is a list.
        control_inputs: the ops that run before.

    Returns:
        What `Graph._create_op_from_tf_operation` makes the op of.
    """
    flat = [t for item in inputs for t in (item if isinstance(item, list) else [item])]
    described = DescribedOp(node_def, flat, list(control_inputs))
    graph._described_ops.append(described)
    return described


def make_described_op(graph: Graph, described: DescribedOp) -> Operation:
    """Makes an op of which `describe_op` has taken note."""
    graph._described_ops = [other for other in graph._described_ops if other is not described]
    return Operation(
        described.node_def, graph, described.inputs, control_inputs=described.control_inputs
    )


proto_makers["operation"] = fill_operation
proto_makers["described_op"] = make_described_op
