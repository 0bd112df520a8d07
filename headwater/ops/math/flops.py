"""The number of floating-point operations of elementwise ops and reductions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.graph import Operation
from headwater.graph.statistics import elements, register_flops, static_shape

# Operations per element of the output.
_PER_ELEMENT = {
    "Add": 1,
    "AssignAdd": 1,
    "AssignSub": 1,
    "Equal": 1,
    "Greater": 1,
    "GreaterEqual": 1,
    "Less": 1,
    "LessEqual": 1,
    "Log": 1,
    "Maximum": 1,
    "Minimum": 1,
    "Mul": 1,
    "Neg": 1,
    "NotEqual": 1,
    "Pow": 1,
    "RealDiv": 1,
    "Reciprocal": 1,
    "Rsqrt": 2,
    "RsqrtGrad": 4,
    "Square": 1,
    "SquaredDifference": 2,
    "Sub": 1,
}
# The reductions that finish with one operation per element of the output, and those that do not.
_WITH_DIVISION = ("Mean",)
_WITHOUT_DIVISION = ("ArgMax", "ArgMin", "Sum")


def _per_element(count: int) -> Callable[[Operation], int]:
    return lambda op: count * elements(op.outputs[0])


def _add_n(op: Operation) -> int:
    return (len(op.inputs) - 1) * elements(op.outputs[0])


def _reduction(op: Operation) -> int:
    return elements(op.inputs[0]) - elements(op.outputs[0])


def _reduction_with_division(op: Operation) -> int:
    return elements(op.inputs[0])


def _batch_matmul(op: Operation) -> int:
    terms = static_shape(op.inputs[0])[-2 if op.get_attr("adj_x") else -1]
    return 2 * terms * elements(op.outputs[0])


_COUNTS: dict[str, Callable[[Operation], Any]] = {
    **{op_type: _per_element(count) for op_type, count in _PER_ELEMENT.items()},
    **dict.fromkeys(_WITHOUT_DIVISION, _reduction),
    **dict.fromkeys(_WITH_DIVISION, _reduction_with_division),
    "AddN": _add_n,
    "BatchMatMul": _batch_matmul,
}
for _op_type, _count in _COUNTS.items():
    register_flops(_op_type, _count)
