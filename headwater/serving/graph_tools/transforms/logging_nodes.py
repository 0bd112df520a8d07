"""`insert_logging`: a graph that prints the values of its tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.serving.graph_tools.transforms.context import Context
from headwater.serving.graph_tools.transforms.node_names import (
    graph_of,
    new_node,
    renamed_input,
    users_of,
    with_inputs,
)
from headwater.serving.graph_tools.transforms.op_records import functions_of, output_types

if TYPE_CHECKING:
    from headwater.protos.graph_pb2 import GraphDef
    from headwater.protos.node_def_pb2 import NodeDef


def insert_logging(graph_def: GraphDef, context: Context) -> GraphDef:
    """Adds Prints between nodes and those that take their first outputs.

    Parameters: `op` and `prefix`, which may be repeated, say which nodes; `show_op`, `show_name`
    and `message` what is printed before the values; `first_n` and `summarize` are as for Print.
    """
    functions = functions_of(graph_def)
    users = users_of(graph_def)
    result: list[NodeDef] = []
    printed: dict[str, str] = {}
    options = _options(context)
    for node in graph_def.node:
        result.append(node)
        if node.name not in users or node.op in functions or not _is_wanted(node, context):
            continue
        types = output_types(node)
        if not any(f"{text.removesuffix(':0')}" == node.name for text in _inputs(users[node.name])):
            continue
        print_node = _print(node, types, context)
        for key, value in options.items():
            print_node.attr[key].i = value
        printed[node.name] = f"{print_node.name}:0"
        result.append(print_node)
    prints = set(printed.values())
    return graph_of(
        (
            node
            if f"{node.name}:0" in prints
            else with_inputs(node, lambda text: _data_input(text, printed))
            for node in result
        ),
        graph_def,
    )


def _options(context: Context) -> dict[str, int]:
    return {
        "first_n": context.integer("first_n", -1),
        "summarize": context.integer("summarize", 1024),
    }


def _is_wanted(node: NodeDef, context: Context) -> bool:
    op_types, prefixes = context.all("op"), context.all("prefix")
    if op_types and node.op not in op_types:
        return False
    return not prefixes or node.name.startswith(tuple(prefixes))


def _inputs(nodes: list[NodeDef]) -> list[str]:
    return [text for node in nodes for text in node.input]


def _print(node: NodeDef, types: list[int], context: Context) -> NodeDef:
    name = f"{node.name}__print__"
    message = f";{node.op};" if context.truth("show_op", False) else ""
    message += f";{name};" if context.truth("show_name", False) else ""
    message += context.text("message", "")
    first = f"{node.name}:0"
    values = [f"{node.name}:{port}" for port in range(len(types))]
    result = new_node(name, "Print", [first, *values], message=message)
    result.attr["T"].type = types[0]
    result.attr["U"].list.type.extend(types)
    return result


def _data_input(text: str, printed: dict[str, str]) -> str:
    return text if text.startswith("^") else renamed_input(text, printed)
