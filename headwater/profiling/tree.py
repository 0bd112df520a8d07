"""Rows of a report that stand in a tree: what is counted, what is shown, as text and as protos."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from headwater.profiling.formatting import (
    ORDER_FIELDS,
    amount,
    is_accounted,
    is_large_enough,
    is_named_to_show,
    matches,
    memory_and_times,
    number,
    shape_text,
)
from headwater.profiling.measures import FIELDS, Measures, total
from headwater.profiling.nodes import Call, ProfiledNode
from headwater.profiling.options import Options
from headwater.protos.lazy import tfprof_output_pb2

ROOT = "_TFProfRoot"
SCOPE = "_kTFScopeParent"
GRAPH = "_TFGraphParent"
CODE = "_CodeParent"


class Row:
    """A node, a scope or a line of code.

    Args:
        name: its full name.
        kind: the type of a row that is no node.
        node: the node, if it is one.
        own: what is counted of it alone.
        call: the call, if it is a line of code.
        suffix: what its name has after the function.
    """

    def __init__(
        self,
        name: str,
        kind: str,
        node: ProfiledNode | None,
        own: Measures,
        call: Call | None = None,
        suffix: str = "",
    ) -> None:
        self.name = name
        self.kind = kind
        self.node = node
        self.own = own
        self.call = call
        self.suffix = suffix
        # The nodes that a line of code makes without further calls.
        self.ends: list[ProfiledNode] = []
        self.totals = own
        self.children: list[Row] = []
        self.shown: list[Row] = []
        self.is_accounted = False
        self.is_counted = False

    @property
    def types(self) -> list[str]:
        """What regular expressions of accounted types are matched with."""
        if self.kind == CODE:
            return sorted({kind for node in self.ends for kind in node.types})
        return self.node.types if self.node else [self.kind]


def count_tree(row: Row, options: Options) -> None:
    """Sums up a tree: rows of accounted types, and all rows that such a row stands in."""
    for child in row.children:
        count_tree(child, options)
    row.is_accounted = row.name != ROOT and is_accounted(row.types, options)
    row.children = [child for child in row.children if child.is_counted]
    row.is_counted = row.is_accounted or bool(row.children)
    row.totals = total([row.own, *(child.totals for child in row.children)])


def count_graph(rows: list[Row], options: Options, visited: set[str]) -> list[Row]:
    """Sums up a graph, and makes it a tree: a node stays below the first that is found to use it.

    Returns:
        The rows that were not visited before.
    """
    found = []
    for row in rows:
        if row.name in visited:
            continue
        visited.add(row.name)
        found.append(row)
        row.is_accounted = row.is_counted = is_accounted(row.types, options)
        row.children = count_graph(row.children, options, visited)
        own = [row.own] if row.is_accounted else []
        row.totals = total([*own, *(child.totals for child in row.children)])
    return found


def search(rows: Iterable[Row], patterns: list[str]) -> list[Row]:
    """The uppermost rows whose names match."""
    found = []
    for row in rows:
        found += [row] if matches(row.name, patterns) else search(row.children, patterns)
    return found


def shown_rows(rows: Iterable[Row], options: Options, depth: int = 1) -> list[Row]:
    """The rows to show; those below a hidden row take its place."""
    shown = []
    for row in rows:
        below: list[Row] = []
        if matches(row.name, options["trim_name_regexes"]):
            if row.kind == CODE:
                continue
        else:
            below = shown_rows(row.children, options, depth + 1)
        if not _is_shown(row, options, depth):
            shown += below
            continue
        row.shown = in_order(below, options["order_by"])
        if options["account_displayed_op_only"]:
            # Here the root counts as a definition, too.
            own = Measures(definition_count=1) if row.name == ROOT else row.own
            row.totals = total([own, *(child.totals for child in row.shown)])
        shown.append(row)
    return shown


def _is_shown(row: Row, options: Options, depth: int) -> bool:
    if row.name == ROOT:
        return True
    return (
        row.is_counted
        and depth <= options["max_depth"]
        and row.own.run_count >= options["min_occurrence"]
        and is_large_enough(row.totals if row.kind == CODE else row.own, row.totals, options)
        and is_named_to_show(row.name, options)
    )


def in_order(rows: list[Row], attribute: str) -> list[Row]:
    """Rows in the order of an attribute: names rise, everything else falls."""
    rows = sorted(rows, key=lambda row: row.name)
    if attribute in ORDER_FIELDS:
        rows.sort(key=lambda row: -getattr(row.totals, ORDER_FIELDS[attribute]))
    elif attribute == "occurrence":
        rows.sort(key=lambda row: -row.totals.definition_count)
    return rows


# The order of columns of nodes, and that of op types and lines of code.
NODE_COLUMNS = ("params", "float_ops", "", "device", "op_types", "occurrence", "input_shapes")
TYPE_COLUMNS = ("", "params", "float_ops", "device", "op_types", "occurrence", "input_shapes")
_TITLES = {
    "params": "# parameters",
    "float_ops": "# float_ops",
    "device": "assigned devices",
    "op_types": "op types",
    "input_shapes": "input shapes",
}


def titles(options: Options, order: tuple[str, ...]) -> str:
    """The heads of the columns."""
    heads = []
    for attribute in order:
        if not attribute:
            heads += [title for _, title in memory_and_times(options["select"])]
        elif attribute not in options["select"]:
            continue
        elif attribute == "occurrence":
            counted = "count" if order is NODE_COLUMNS else "occurrence"
            heads.append(f"op {counted} (run|defined)")
        else:
            heads.append(_TITLES[attribute])
    return f"node name | {' | '.join(heads)}\n"


def text_of(row: Row, options: Options, order: tuple[str, ...], indent: int = 0) -> str:
    """A row and the rows below it as lines."""
    columns = [
        text
        for attribute in order
        if not attribute or attribute in options["select"]
        for text in _column(row, attribute, options)
    ]
    line = f"{' ' * indent}{row.name} ({', '.join(columns)})\n"
    return line + "".join(text_of(child, options, order, indent + 2) for child in row.shown)


def _column(row: Row, attribute: str, options: Options) -> list[str]:
    """What a row shows of an attribute; "" stands for sizes and times."""
    if attribute == "params":
        shape = [shape_text(row.node.shape)] if row.node and row.node.shape else []
        return [*shape, f"{_pair(row, 'parameters', number)} params"]
    if attribute == "float_ops":
        return [f"{_pair(row, 'float_ops', number)} flops"]
    if attribute == "device":
        return [row.node.device] if row.node and row.node.device else []
    if attribute == "op_types":
        return ["|".join(sorted(row.types))]
    if attribute == "occurrence":
        if row.kind == CODE:
            return ["occurrence N/A in code view"]
        return [f"{_pair(row, 'run_count', str)}|{_pair(row, 'definition_count', str)}"]
    if attribute == "input_shapes":
        if row.kind == CODE:
            return ["input_shapes N/A in code view"]
        shapes = row.node.input_shapes if row.node else []
        return ["|".join(f"{i}:{shape_text(shape)}" for i, shape in enumerate(shapes))]
    return [
        _pair(row, name, partial(amount, name)) for name, _ in memory_and_times(options["select"])
    ]


def _pair(row: Row, name: str, text: Callable[[int], str]) -> str:
    own = text(getattr(row.own, name)) if row.is_accounted else "--"
    return f"{own}/{text(getattr(row.totals, name))}"


def proto_of(row: Row) -> Any:
    """A row and the rows below it as a GraphNodeProto."""
    proto = node_proto(row.name, row.node, row.own, row.totals)
    proto.children.extend(proto_of(child) for child in row.shown)
    return proto


def node_proto(name: str, node: ProfiledNode | None, own: Measures, totals: Measures) -> Any:
    """A node as a GraphNodeProto, without children."""
    proto = tfprof_output_pb2.GraphNodeProto(name=name)
    set_measures(proto, own, totals)
    proto.total_run_count = totals.run_count
    proto.total_definition_count = totals.definition_count
    if node is None:
        return proto
    proto.run_count = own.run_count
    if node.device:
        proto.devices.append(node.device)
    for i, sizes in enumerate(node.input_shapes):
        shape = proto.input_shapes[i]
        if sizes is None:
            shape.unknown_rank = True
        for size in sizes or ():
            shape.dim.add().size = size
    return proto


def set_measures(proto: Any, own: Measures, totals: Measures) -> None:
    """Sets the fields that GraphNodeProto and MultiGraphNodeProto share."""
    for name in FIELDS:
        if name not in ("run_count", "definition_count"):
            setattr(proto, name, getattr(own, name))
            setattr(proto, f"total_{name}", getattr(totals, name))
