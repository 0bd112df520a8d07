"""Advice: what in a profile is expensive or unusual."""

from __future__ import annotations

from collections.abc import Callable

from headwater.profiling.formatting import micros
from headwater.profiling.nodes import ProfiledNode
from headwater.profiling.op_view import op_view
from headwater.profiling.options import Options, complete
from headwater.profiling.tree import Row, in_order
from headwater.profiling.views import code_view, scope_view

Nodes = dict[str, ProfiledNode]

_LOW_UTILIZATION = 0.5


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
        "\n".join(_expensive_rows("graph node", scope_view(nodes, _by_time(step)), 2)),
        "\n".join(_expensive_rows("line", code_view(nodes, _by_time(step)), 2)),
    ]


def _by_time(step: int) -> Options:
    return complete({"order_by": "micros", "select": ["micros"], "step": step, "max_depth": 2})


def _expensive_types(nodes: Nodes, step: int) -> str:
    options = complete({"order_by": "micros", "step": step})
    whole, rows = op_view(nodes, options)
    lines = []
    for i, row in enumerate(rows[:3], 1):
        own = row.own
        lines.append(
            f"top {i} operation type: {row.name}, cpu: {micros(own.cpu_exec_micros)}, "
            f"accelerator: {micros(own.accelerator_exec_micros)}, "
            f"total: {micros(own.exec_micros)} ({100 * own.exec_micros / whole.exec_micros:.2f}%)"
        )
    return "\n".join(lines)


def _expensive_rows(kind: str, root: Row, count: int) -> list[str]:
    return [
        f"top {i} {kind}: {row.name}, cpu: {micros(row.own.cpu_exec_micros)}, "
        f"accelerator: {micros(row.own.accelerator_exec_micros)}, "
        f"total: {micros(row.own.exec_micros)}"
        for i, row in enumerate(in_order(root.shown, "micros")[:count], 1)
    ]


CHECKERS: dict[str, Callable[[Nodes, int], list[str]]] = {
    "ExpensiveOperationChecker": expensive_operations,
    "OperationChecker": operations,
    "AcceleratorUtilizationChecker": accelerator_utilization,
}
