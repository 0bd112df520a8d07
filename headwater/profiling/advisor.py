"""Advice: what in a profile is expensive or unusual."""

from __future__ import annotations

from collections.abc import Callable

from headwater.profiling.formatting import micros
from headwater.profiling.measures import Measures
from headwater.profiling.nodes import ProfiledNode
from headwater.profiling.op_view import op_view
from headwater.profiling.options import Options, complete
from headwater.profiling.tree import Row, in_order
from headwater.profiling.views import code_view, scope_view

Nodes = dict[str, ProfiledNode]

_LOW_UTILIZATION = 0.5
_SHOWN_ROWS = 3
# What takes less time is not worth naming, in microseconds.
_LEAST_OF_SCOPES = 100
_LEAST_OF_LINES = 1000


def accelerator_utilization(nodes: Nodes, step: int) -> list[str]:
    """Accelerators that compute less than half of the time between their first and last op."""
    busy: dict[str, int] = {}
    whole = 0
    for node in nodes.values():
        measures = node.measures(step)
        whole += measures.exec_micros
        if measures.accelerator_exec_micros:
            busy[node.device] = busy.get(node.device, 0) + measures.accelerator_exec_micros
    return [
        f"device: {device} low utilization: {time / whole:.2f}"
        for device, time in busy.items()
        if time < _LOW_UTILIZATION * whole
    ]


def operations(nodes: Nodes, step: int) -> list[str]:
    """Ops that are slower than need be on their device."""
    for node in nodes.values():
        if node.data_format == "NHWC" and node.measures(step).accelerator_exec_micros:
            return ["Found operation using NHWC data_format on GPU. Maybe NCHW is faster."]
    return []


def expensive_operations(nodes: Nodes, step: int) -> list[str]:
    """The op types, scopes and lines of code that take the most time."""
    if not any(node.measures(step).exec_micros for node in nodes.values()):
        return ["Missing run_meta for operations. Skip."]
    return [
        _expensive_types(nodes, step),
        "\n".join(_expensive_scopes(scope_view(nodes, _by_time(step)))),
        "\n".join(_expensive_lines(code_view(nodes, _by_time(step)))),
    ]


def _by_time(step: int) -> Options:
    options = {"order_by": "micros", "select": ["micros"], "step": step, "max_depth": 100}
    return complete(options)


def _expensive_types(nodes: Nodes, step: int) -> str:
    options = complete({"order_by": "micros", "step": step})
    whole, rows = op_view(nodes, options)
    lines = []
    for i, row in enumerate(rows[:3], 1):
        share = 100 * row.own.exec_micros / whole.exec_micros
        lines.append(f"top {i} operation type: {row.name}, {_times(row.own)} ({share:.2f}%)")
    return "\n".join(lines)


def _expensive(rows: list[Row], least: int) -> list[Row]:
    found = [row for row in in_order(rows, "micros") if row.totals.exec_micros >= least]
    return found[:_SHOWN_ROWS]


def _expensive_scopes(root: Row) -> list[str]:
    # As in TensorFlow, without the ops inside of a scope.
    return [
        f"top {i} graph node: {row.name}, {_times(row.own)}"
        for i, row in enumerate(_expensive(root.shown, _LEAST_OF_SCOPES), 1)
    ]


def _expensive_lines(root: Row) -> list[str]:
    """Lines of code, each with the lines that it calls below it."""
    rows = root.shown
    # The lines that everything comes from say nothing.
    while len(rows) == 1 and rows[0].shown:
        rows = rows[0].shown
    lines: list[str] = []

    def add(rows: list[Row], indent: str) -> None:
        for row in _expensive(rows, _LEAST_OF_LINES):
            lines.append(f"{indent}{row.name}, {_times(row.totals)}")
            if len(row.shown) > 1:
                add(row.shown, indent + "  ")

    add(rows, "")
    return lines


def _times(measures: Measures) -> str:
    return (
        f"cpu: {micros(measures.cpu_exec_micros)}, "
        f"accelerator: {micros(measures.accelerator_exec_micros)}, "
        f"total: {micros(measures.exec_micros)}"
    )


CHECKERS: dict[str, Callable[[Nodes, int], list[str]]] = {
    "ExpensiveOperationChecker": expensive_operations,
    "OperationChecker": operations,
    "AcceleratorUtilizationChecker": accelerator_utilization,
}
