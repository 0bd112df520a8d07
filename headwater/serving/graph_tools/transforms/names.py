"""Transforms that change op types, attrs, names and devices."""

from __future__ import annotations

import itertools
import string
from typing import TYPE_CHECKING

from headwater.protos.lazy import graph_pb2
from headwater.serving.graph_tools.transforms.context import Context, refuse
from headwater.serving.graph_tools.transforms.node_names import graph_of, node_of
from headwater.serving.graph_tools.transforms.op_records import functions_of, op_def_of

if TYPE_CHECKING:
    from headwater.protos.graph_pb2 import GraphDef

_DIGITS = string.digits + string.ascii_lowercase + string.ascii_uppercase


def rename_op(graph_def: GraphDef, context: Context) -> GraphDef:
    """Changes the op type `old_op_name` to `new_op_name`."""
    old, new = context.all("old_op_name"), context.all("new_op_name")
    if len(old) != 1 or len(new) != 1:
        raise refuse(
            "rename_op expects exactly one 'old_op_name' and 'new_op_name' argument, e.g. "
            "rename_op(old_op_name=Mul, new_op_name=Multiply)"
        )
    result = graph_of(graph_def.node, graph_def)
    for node in result.node:
        if node.op == old[0]:
            node.op = new[0]
    return result


def rename_attribute(graph_def: GraphDef, context: Context) -> GraphDef:
    """Changes the name of the attr `old_attribute_name`, in nodes of type `op_name` if given."""
    old, new = context.all("old_attribute_name"), context.all("new_attribute_name")
    if len(old) != 1 or len(new) != 1:
        raise refuse(
            "rename_attribute expects exactly one 'old_attribute_name' and one "
            "'new_attribute_name' argument, e.g. rename_attribute(old_attribute_name=foo, "
            "new_attribute_name=bar)"
        )
    op_type = context.text("op_name", "*")
    result = graph_of(graph_def.node, graph_def)
    for node in result.node:
        if op_type in ("*", node.op) and old[0] in node.attr:
            node.attr[new[0]].CopyFrom(node.attr[old[0]])
            del node.attr[old[0]]
    return result


def remove_attribute(graph_def: GraphDef, context: Context) -> GraphDef:
    """Drops the attr `attribute_name`, from nodes of type `op_name` if given."""
    names = context.all("attribute_name")
    if len(names) != 1:
        raise refuse(
            "remove_attribute expects exactly one 'attribute_name' argument, e.g. "
            "remove_attribute(op_name=Mul, attribute_name=foo)"
        )
    op_type = context.text("op_name", "*")
    result = graph_of(graph_def.node, graph_def)
    for node in result.node:
        if op_type in ("*", node.op) and names[0] in node.attr:
            del node.attr[names[0]]
    return result


def add_default_attributes(graph_def: GraphDef, context: Context) -> GraphDef:
    """Adds the attrs that nodes lack and that have default values."""
    result: GraphDef = graph_pb2.GraphDef()
    result.CopyFrom(graph_def)
    functions = functions_of(graph_def)
    for node in result.node:
        if node.op in functions:
            continue
        for attr in op_def_of(node.op).attr:
            if attr.name not in node.attr and attr.HasField("default_value"):
                node.attr[attr.name].CopyFrom(attr.default_value)
    return result


def set_device(graph_def: GraphDef, context: Context) -> GraphDef:
    """Sets the device of all nodes, or of those without one (`if_default`), to `device`."""
    device = context.text("device", "")
    if_default = context.truth("if_default", False)
    result = graph_of(graph_def.node, graph_def)
    for node in result.node:
        if not if_default or not node.device:
            node.device = device
    return result


def remove_device(graph_def: GraphDef, context: Context) -> GraphDef:
    """Drops the devices of all nodes."""
    result = graph_of(graph_def.node, graph_def)
    for node in result.node:
        node.device = ""
    return result


def obfuscate_names(graph_def: GraphDef, context: Context) -> GraphDef:
    """Gives all nodes but the inputs and outputs the shortest names."""
    kept = context.kept_names()
    short = (name for name in map(_short_name, itertools.count()) if name not in kept)
    names = {node.name: node.name if node.name in kept else next(short) for node in graph_def.node}
    result = graph_of(graph_def.node, graph_def)
    for node in result.node:
        for place, text in enumerate(node.input):
            old = node_of(text)
            if old not in names:
                raise refuse(f"No node named {old} for input to {node.name}")
            node.input[place] = text.replace(old, names[old], 1)
        node.name = names[node.name]
        if "_class" in node.attr:
            groups = node.attr["_class"].list.s
            groups[:] = [_renamed_group(group, names) for group in groups]
    return result


def _renamed_group(group: bytes, names: dict[str, str]) -> bytes:
    """A colocation group, `loc:@` and the name of a node, with the new name."""
    prefix, mark, name = group.decode().rpartition("@")
    return f"{prefix}{mark}{names.get(name, name)}".encode()


def _short_name(number: int) -> str:
    rest, digit = divmod(number, len(_DIGITS))
    return (_short_name(rest) if rest else "") + _DIGITS[digit]
