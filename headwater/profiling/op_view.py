"""The view of op types: nodes of one type are one row."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from headwater.profiling.formatting import (
    ORDER_FIELDS,
    amount,
    is_accounted,
    is_large_enough,
    is_named_to_show,
    memory_and_times,
    micros,
    number,
    shape_text,
)
from headwater.profiling.measures import Measures, total
from headwater.profiling.nodes import ProfiledNode
from headwater.profiling.options import Options
from headwater.profiling.tree import ROOT, node_proto, set_measures
from headwater.protos.lazy import tfprof_output_pb2

_NAME_WIDTH = 25
_WIDTH = 30


class OpRow:
    """All accounted nodes of an op type.

    Args:
        name: the op type.
        nodes: the nodes.
        step: the step that is counted.
    """

    def __init__(self, name: str, nodes: list[ProfiledNode], step: int) -> None:
        self.name = name
        self.nodes = nodes
        self.measures = [node.measures(step) for node in nodes]
        self.own = total(self.measures)
        self.totals = self.own


def op_view(nodes: dict[str, ProfiledNode], options: Options) -> tuple[Measures, list[OpRow]]:
    """The rows to show, in order, and what they are parts of.

    The totals of a row are those of itself and of all rows after it.
    """
    by_type: dict[str, list[ProfiledNode]] = defaultdict(list)
    for node in nodes.values():
        if is_accounted(node.types, options):
            by_type[node.op].append(node)
    rows = [OpRow(name, by_type[name], options["step"]) for name in sorted(by_type)]
    if options["order_by"] in ORDER_FIELDS:
        rows.sort(key=lambda row: -getattr(row.own, ORDER_FIELDS[options["order_by"]]))
    elif options["order_by"] == "occurrence":
        rows.sort(key=lambda row: -len(row.nodes))
    shown = [row for depth, row in enumerate(rows) if _is_shown(row, options, depth)]
    whole = Measures()
    for row in reversed(shown if options["account_displayed_op_only"] else rows):
        whole = row.totals = row.own + whole
    return whole, shown


def _is_shown(row: OpRow, options: Options, depth: int) -> bool:
    return (
        depth <= options["max_depth"]
        and len(row.nodes) >= options["min_occurrence"]
        and is_large_enough(row.own, row.own, options)
        and is_named_to_show(row.name, options)
    )


def text_of(whole: Measures, rows: list[OpRow], options: Options) -> str:
    """The rows as lines; percentages are those of the row and all after it, and of the row."""
    return "".join(_line(row, whole, options) for row in rows)


def _line(row: OpRow, whole: Measures, options: Options) -> str:
    select = options["select"]
    columns = []

    def column(name: str, text: str) -> None:
        own, rest = getattr(row.own, name), getattr(row.totals, name)
        if name.endswith("bytes") and not own:
            rest = 0
        share = [_percent(part, getattr(whole, name)) for part in (rest, own)]
        columns.append(f"{text} ({share[0]}, {share[1]})".rjust(_WIDTH))

    for name, _ in memory_and_times(select):
        column(name, amount(name, getattr(row.own, name)))
    if "params" in select:
        column("parameters", f"{number(row.own.parameters)} params")
    if "float_ops" in select:
        column("float_ops", f"{number(row.own.float_ops)} float_ops")
    if "device" in select:
        columns.append("|".join(sorted({node.device for node in row.nodes})))
    if "op_types" in select:
        columns.append("|".join(sorted({kind for node in row.nodes for kind in node.types})))
    if "occurrence" in select:
        columns.append(f"{row.own.run_count}|{len(row.nodes)}".rjust(10))
    line = f"{row.name:<{_NAME_WIDTH}}{', '.join(columns)}\n"
    return line + (_input_shapes(row) if "input_shapes" in select else "")


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole if whole else 0:.2f}%"


def _input_shapes(row: OpRow) -> str:
    by_shapes: dict[str, list[Measures]] = defaultdict(list)
    for node, measures in zip(row.nodes, row.measures):
        shapes = enumerate(node.input_shapes)
        by_shapes[",\t".join(f"{i}:{shape_text(shape)}" for i, shape in shapes)].append(measures)
    lines = []
    for shapes_text in sorted(by_shapes):
        of_shapes = total(by_shapes[shapes_text])
        lines.append(
            f"input_type: {shapes_text}\t(run*{of_shapes.run_count}|"
            f"defined*{of_shapes.definition_count})\texec_time: {micros(of_shapes.exec_micros)}\n"
        )
    return f"\n{''.join(lines)}\n"


def proto_of(whole: Measures, rows: list[OpRow]) -> Any:
    """The rows as a MultiGraphNodeProto: each row is the child of the one before it."""
    root = tfprof_output_pb2.MultiGraphNodeProto(name=ROOT)
    set_measures(root, Measures(), whole)
    last = root
    for row in rows:
        last = last.children.add()
        last.name = row.name
        set_measures(last, row.own, row.totals)
        for node, measures in zip(row.nodes, row.measures):
            last.graph_nodes.append(node_proto(node.name, node, measures, measures))
    return root
