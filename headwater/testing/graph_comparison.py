"""Comparison of GraphDefs and MetaGraphDefs."""

from __future__ import annotations

import re
from typing import Any

from headwater.graph import Graph
from headwater.protos.lazy import graph_pb2
from headwater.testing.proto_comparison import proto_text

# Savers put a random part into the name of temporary files.
_RANDOM_PART_OF_TEMPORARY_FILES = re.compile(rb"_temp_[0-9a-z]{32}/part")
_TABLE_OPS = ("HashTable", "HashTableV2", "MutableHashTable", "MutableHashTableV2")


def _nodes(graph_def: Any, checkpoint_v2: bool, hash_table_shared_name: bool) -> dict[str, Any]:
    copy = graph_pb2.GraphDef()
    copy.CopyFrom(graph_def)
    for node in copy.node:
        value = node.attr["value"].tensor if "value" in node.attr else None
        if checkpoint_v2 and value is not None:
            texts = list(value.string_val)
            if len(texts) == 1 and _RANDOM_PART_OF_TEMPORARY_FILES.search(texts[0]):
                del value.string_val[:]
        if hash_table_shared_name and node.op in _TABLE_OPS and "shared_name" in node.attr:
            node.attr["shared_name"].s = b""
    return {node.name: node for node in copy.node}


def _attr_text(value: Any) -> str:
    return " ".join(proto_text(value).split())


def assert_equal_graph_def(
    actual: Any,
    expected: Any,
    checkpoint_v2: bool = False,
    hash_table_shared_name: bool = False,
) -> None:
    """Asserts that two GraphDefs have the same nodes, in whatever order.

    Versions, functions, and the order of control inputs do not count.

    Args:
      actual: a GraphDef.
      expected: a GraphDef.
      checkpoint_v2: whether to overlook the random part of the names of temporary files.
      hash_table_shared_name: whether to overlook the shared names of tables.

    Raises:
      TypeError: if an argument is not a GraphDef.
      AssertionError: if they differ.
    """
    for what, graph_def in (("actual", actual), ("expected", expected)):
        if not hasattr(graph_def, "node") or not hasattr(graph_def, "versions"):
            raise TypeError(f"Expected tf.GraphDef for {what}, got {type(graph_def).__name__}")
    found, wanted = (
        _nodes(graph_def, checkpoint_v2, hash_table_shared_name) for graph_def in (actual, expected)
    )
    for name, node in wanted.items():
        if name not in found:
            raise AssertionError(f"Did not find expected node '{_summary(node)}'")
        _assert_equal_nodes(found[name], node)
    for name, node in reversed(found.items()):
        if name not in wanted:
            raise AssertionError(f"Found unexpected node '{_summary(node)}'")


def _summary(node: Any) -> str:
    """One line that describes a node."""
    return f"{{{{node {node.name}}}}} = {node.op}({', '.join(node.input)})"


def _split_inputs(node: Any) -> tuple[list[str], list[str]]:
    data = [name.removesuffix(":0") for name in node.input if not name.startswith("^")]
    return data, sorted(name for name in node.input if name.startswith("^"))


def _assert_equal_nodes(found: Any, wanted: Any) -> None:
    name = found.name
    for what in ("op", "device"):
        ours, theirs = getattr(found, what), getattr(wanted, what)
        if ours != theirs:
            raise AssertionError(
                f"Node named '{name}' has {what} '{ours}' that is not expected '{theirs}'"
            )
    if _split_inputs(found) != _split_inputs(wanted):
        raise AssertionError(
            f"Node named '{name}' has inputs '{', '.join(found.input)}' that don't match expected "
            f"'{', '.join(wanted.input)}'"
        )
    for key in sorted({*found.attr, *wanted.attr}):
        if key not in wanted.attr:
            raise AssertionError(
                f"Node named '{name}' has unexpected attr '{key}' with value: "
                f"{_attr_text(found.attr[key])}"
            )
        if key not in found.attr:
            raise AssertionError(
                f"Node named '{name}' missing expected attr '{key}' with value: "
                f"{_attr_text(wanted.attr[key])}"
            )
        if found.attr[key] != wanted.attr[key]:
            raise AssertionError(
                f"Node named '{name}' has attr '{key}' with value: {_attr_text(found.attr[key])} "
                f"that does not match expected: {_attr_text(wanted.attr[key])}"
            )


def assert_meta_graph_protos_equal(tester: Any, a: Any, b: Any) -> None:
    """Asserts that two MetaGraphDefs are equal; the order within collections does not count.

    Args:
      tester: a TestCase.
      a: a MetaGraphDef.
      b: a MetaGraphDef.
    """
    tester.assertEqual(set(a.collection_def), set(b.collection_def))
    copies = [type(a)(), type(b)()]
    for copy, original in zip(copies, (a, b)):
        copy.CopyFrom(original)
        for collection in copy.collection_def.values():
            for kind in ("bytes_list", "node_list"):
                if collection.HasField(kind):
                    values = getattr(collection, kind).value
                    values[:] = sorted(values)
    for key in a.collection_def:
        tester.assertProtoEquals(copies[0].collection_def[key], copies[1].collection_def[key])
    graph_defs = [copy.graph_def for copy in copies]
    assert_equal_graph_def(*graph_defs)
    for copy in copies:
        copy.ClearField("graph_def")
    tester.assertProtoEquals(*copies)


def assert_ops_in_graph(expected_ops: dict[str, str], graph: Graph) -> dict[str, Any]:
    """Asserts that a graph has nodes of the given names and types.

    Args:
      expected_ops: type by name.
      graph: a Graph.

    Returns:
      The NodeDefs by name.

    Raises:
      ValueError: if a node is missing or of another type.
    """
    found = {}
    for node in graph.as_graph_def().node:
        if node.name in expected_ops:
            if expected_ops[node.name] != node.op:
                raise ValueError(
                    f"Expected op for node {node.name} is different. "
                    f"{expected_ops[node.name]} vs {node.op}"
                )
            found[node.name] = node
    if set(found) != set(expected_ops):
        raise ValueError(
            f"Not all expected ops are present. Expected {expected_ops.keys()}, "
            f"found {found.keys()}"
        )
    return found


def get_node_def_from_graph(node_name: str, graph_def: Any) -> Any:
    """Returns the NodeDef of a name in a GraphDef, or None."""
    return next((node for node in graph_def.node if node.name == node_name), None)
