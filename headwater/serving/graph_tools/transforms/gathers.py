"""`sparsify_gather`: tables of mostly zeros become hash tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from headwater.base.dtypes import float32, int32, int64
from headwater.base.errors import FailedPreconditionError
from headwater.serving.graph_tools.transforms.context import Context
from headwater.serving.graph_tools.transforms.matching import (
    ANYTHING,
    CONSTANT,
    Match,
    Pattern,
    replace_matches,
)
from headwater.serving.graph_tools.transforms.node_names import (
    constant,
    constant_value,
    graph_of,
    new_node,
)

if TYPE_CHECKING:
    from headwater.protos.graph_pb2 import GraphDef
    from headwater.protos.node_def_pb2 import NodeDef

_TABLE = Pattern("Identity", (CONSTANT,))
_GATHERS = (
    Pattern("Gather", (_TABLE, ANYTHING)),
    Pattern("GatherV2", (_TABLE, ANYTHING, CONSTANT)),
)


def sparsify_gather(graph_def: GraphDef, context: Context) -> GraphDef:
    """Looks up rows of constants of shape [n, 1] by int64 indices in hash tables.

    The node `group_init_node` (`group_deps` by default) then waits for the tables to be filled: it
    has to be run before the graph is. Tables in variables stay.
    """
    filled: list[str] = []
    outputs = context.kept_names()

    def replace(match: Match) -> list[NodeDef] | None:
        return _looked_up(match, filled)

    for pattern in _GATHERS:
        graph_def = replace_matches(graph_def, pattern, replace, outputs)
    present = {node.name for node in graph_def.node}
    controls = [f"^{name}" for name in dict.fromkeys(filled) if name in present]
    group = context.text("group_init_node", "group_deps")
    if not controls:
        return graph_def
    result = graph_of(graph_def.node, graph_def)
    if group not in present:
        result.node.append(new_node(group, "NoOp"))
    for node in result.node:
        if node.name == group:
            node.input.extend(controls)
    return result


def _looked_up(match: Match, filled: list[str]) -> list[NodeDef] | None:
    """The nodes that look up a gather's rows; adds the name of the table's initializer."""
    gather = match.node
    table, indices = match.inputs[0].inputs[0].node, match.inputs[1].node
    if table.attr["dtype"].type != float32.as_datatype_enum:
        return None
    if gather.attr["Tindices"].type != int64.as_datatype_enum:
        return None
    values = constant_value(table)
    if values.ndim != 2 or values.shape[1] != 1:
        shape = ",".join(map(str, values.shape))
        raise FailedPreconditionError(
            None,
            None,
            "Transform only applicable to subgraph with 'Const' with tensor of shape [N, 1]. "
            f"But instead get shape [{shape}].",
        )
    rows = np.flatnonzero(values)
    if not rows.size:
        rows = np.zeros([1], np.int64)
    keys = constant(f"{table.name}/indices", rows.astype(np.int64), int64)
    entries = constant(f"{table.name}/values", values[rows, 0], float32)
    hash_table = new_node(
        f"{table.name}/HashTable", "HashTable", key_dtype=int64, value_dtype=float32
    )
    start = new_node(
        f"{table.name}/InitializeTable",
        "InitializeTable",
        [hash_table.name, keys.name, entries.name],
        Tkey=int64,
        Tval=float32,
    )
    filled.append(start.name)
    return [indices, keys, entries, hash_table, start, *_find_rows(gather, hash_table.name)]


def _find_rows(gather: NodeDef, hash_table: str) -> list[NodeDef]:
    zero = constant(f"{gather.name}/Const", np.float32(0.0), float32)
    find = new_node(
        f"{gather.name}/LookupTableFind",
        "LookupTableFind",
        [hash_table, gather.input[1], zero.name],
        Tin=int64,
        Tout=float32,
    )
    axis = constant(f"{gather.name}/ExpandDims/Const", np.int32(-1), int32)
    column = new_node(gather.name, "ExpandDims", [find.name, axis.name], T=float32)
    return [find, zero, axis, column]
