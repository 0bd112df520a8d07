"""Integer scalars of a loop, such as its counter, which are computed on the host."""

from __future__ import annotations

from collections.abc import Collection

from headwater.engine.analysis.control_flow import SWITCHES
from headwater.graph import Operation, RunsOn, Tensor


def scalar_ops(
    own: list[Operation], variables: list[tuple[Operation, Tensor, Tensor]]
) -> set[Operation]:
    """Ops on integer scalars, such as loop counters, whose results are needed on the host."""
    merges = {merge: later for merge, _, later in variables}
    found = {op for op in own if _is_scalar_op(op)}
    while True:
        members = {*found, *(m for m, later in merges.items() if later._op in found)}
        kept = {
            op
            for op in found
            if all(_is_scalar(t) and _stays_scalar(t, members) for t in op._inputs)
        }
        if len(kept) == len(found):
            return kept
        found = kept


def _is_scalar_op(op: Operation) -> bool:
    record = op._record
    return (
        not (record.runs_on is RunsOn.XLA or record.stateful or record.updates or record.state)
        and bool(op._inputs)
        and all(_is_scalar(t) for t in op._outputs)
    )


def _is_scalar(tensor: Tensor) -> bool:
    dtype = tensor._dtype.base_dtype
    return tensor._shape == () and (dtype.is_integer or dtype.is_bool)


def _stays_scalar(tensor: Tensor, members: Collection[Operation]) -> bool:
    """Whether a scalar is known on the host: it comes in, is constant, or is computed there."""
    op = tensor._op
    while op._record.name in SWITCHES:
        op = op._inputs[0]._op
    return op in members or op._record.name in ("Const", "Enter")
