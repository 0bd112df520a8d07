"""Transforms that remove or join nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.base import dtypes
from headwater.serving.graph_tools.transforms.context import Context, refuse
from headwater.serving.graph_tools.transforms.matching import (
    ANYTHING,
    Match,
    Pattern,
    replace_matches,
)
from headwater.serving.graph_tools.transforms.node_names import (
    copied,
    graph_of,
    needed_by,
    new_node,
    node_of,
    renamed_input,
    with_inputs,
)
from headwater.serving.graph_tools.transforms.op_records import record_of

if TYPE_CHECKING:
    from headwater.base.dtypes import DType
    from headwater.protos.graph_pb2 import GraphDef
    from headwater.protos.node_def_pb2 import NodeDef


def remove_control_dependencies(graph_def: GraphDef, context: Context) -> GraphDef:
    """Drops all control inputs."""
    result = graph_of(graph_def.node, graph_def)
    for node in result.node:
        node.input[:] = [text for text in node.input if not text.startswith("^")]
    return result


def strip_unused_nodes(graph_def: GraphDef, context: Context) -> GraphDef:
    """Makes placeholders of the inputs, and leaves out what the outputs then do not need.

    Parameters: `type` and `shape` of the placeholders; `name`, `type_for_name` and
    `shape_for_name`, which may be repeated, for single ones.
    """
    kinds = _placeholder_kinds(context)
    inputs = {node_of(name) for name in context.inputs}
    needed = needed_by(graph_def, context.outputs, inputs)
    result = []
    for node in graph_def.node:
        if node.name not in needed:
            continue
        if node.name in inputs and node.op != "Placeholder":
            type_text, shape_text = kinds.get(node.name) or kinds[""]
            placeholder = new_node(node.name, "Placeholder", dtype=_dtype_of(type_text))
            placeholder.attr["shape"].shape.SetInParent()
            for size in _sizes_of(shape_text) if shape_text is not None else ():
                placeholder.attr["shape"].shape.dim.add(size=size)
            node = placeholder
        result.append(node)
    return graph_of(result, graph_def)


def _placeholder_kinds(context: Context) -> dict[str, tuple[str, str | None]]:
    """The texts of types and shapes by name; those under "" are for all other names."""
    for key in ("type", "shape"):
        if len(context.all(key)) > 1:
            raise refuse(f"You must pass no more than one default '{key}' to strip_unused_nodes")
    names = context.all("name")
    types = context.all("type_for_name")
    shapes = context.all("shape_for_name")
    if len(types) != len(names):
        raise refuse(
            "You must pass a 'type_for_name' arg for every 'name', e.g. strip_unused_nodes("
            "name=foo, type_for_name=float, name=bar, type_for_name=quint8"
        )
    if len(shapes) != len(names):
        raise refuse(
            "You must pass a 'shape_for_name' arg for every 'name', e.g. strip_unused_nodes("
            'name=foo, shape_for_name="2,2,1", name=bar, shape_for_name="1"'
        )
    usual = (
        context.text("type", "float"),
        context.all("shape")[0] if context.all("shape") else None,
    )
    return {"": usual, **dict(zip(names, zip(types, shapes)))}


def _dtype_of(text: str) -> DType:
    try:
        if text.islower():
            return dtypes.as_dtype(text)
    except TypeError:
        pass
    raise refuse(f"Couldn't understand type argument '{text}'")


def _sizes_of(text: str) -> list[int]:
    if not text:
        raise refuse("Specificed shape is empty.")
    try:
        return [int(size) for size in text.split(",")]
    except ValueError:
        raise refuse(f"Could parse as shape: '{text}'") from None


def merge_duplicate_nodes(graph_def: GraphDef, context: Context) -> GraphDef:
    """Joins stateless nodes of the same type, device, attrs and inputs; inputs and outputs stay."""
    kept = context.kept_names()
    for node in graph_def.node:
        record_of(node.op)
    result = graph_of(graph_def.node, graph_def)
    while True:
        first: dict[tuple[object, ...], str] = {}
        replaced: dict[str, str] = {}
        for node in result.node:
            if node.name in kept or record_of(node.op).stateful:
                continue
            same = first.setdefault(_identity_of(node), node.name)
            if same != node.name:
                replaced[node.name] = same
        if not replaced:
            return result
        result = _joined(result, replaced)


def _identity_of(node: NodeDef) -> tuple[object, ...]:
    """What nodes that compute the same have in common."""
    nameless = copied(node)
    nameless.name = ""
    nameless.input[:] = [text.removesuffix(":0") for text in node.input]
    return (nameless.SerializeToString(deterministic=True),)


def _joined(graph_def: GraphDef, replaced: dict[str, str]) -> GraphDef:
    """A graph with other nodes in the place of some, by name."""
    left = [node for node in graph_def.node if node.name not in replaced]
    return graph_of(
        (with_inputs(node, lambda text: _joined_input(text, replaced)) for node in left), graph_def
    )


def _joined_input(text: str, replaced: dict[str, str]) -> str:
    name = node_of(text)
    return text.replace(name, replaced[name], 1) if name in replaced else text


def remove_nodes(graph_def: GraphDef, context: Context) -> GraphDef:
    """Removes nodes of some op types, whose first input takes their place.

    Parameters: `op`, which may be repeated, and `max_inputs`, the most inputs that a removed node
    has. Inputs and outputs of the graph stay.
    """
    op_types = context.all("op")
    if not op_types:
        raise refuse(
            "remove_nodes expects at least one 'op'argument, e.g. remove_nodes(op=Identity)"
        )
    counts = range(1, context.integer("max_inputs", 1) + 1)
    kept = context.kept_names()
    while True:
        before = len(graph_def.node)
        for op_type in op_types:
            for count in counts:
                pattern = Pattern(op_type, (ANYTHING,) * count)
                graph_def = _without_matches(graph_def, pattern, kept)
        if len(graph_def.node) == before:
            return graph_def


def _without_matches(graph_def: GraphDef, pattern: Pattern, kept: set[str]) -> GraphDef:
    replaced: dict[str, str] = {}

    def first_input(match: Match) -> list[NodeDef] | None:
        if match.node.name in kept:
            return None
        replaced[match.node.name] = match.node.input[0]
        return [match.inputs[0].node]

    result = replace_matches(graph_def, pattern, first_input, kept)
    for name in {node.name for node in result.node} & set(replaced):
        del replaced[name]  # it has stayed for the sake of its other inputs
    return graph_of(
        (with_inputs(node, lambda text: renamed_input(text, replaced)) for node in result.node),
        result,
    )
