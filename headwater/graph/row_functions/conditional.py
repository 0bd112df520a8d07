"""Rules for tf.cond: both branches are computed, and each element takes its own."""

from __future__ import annotations

import numpy as np

from headwater.graph.builders import build
from headwater.graph.operation import Operation, Tensor
from headwater.graph.row_functions.row_op import (
    NotRowWise,
    RowOp,
    Value,
    repeated,
    row_rule,
)

# The predicates on which a value depends, as tensors of the original body, each with the branch.
Guards = dict[Tensor, int]


@row_rule("Switch")
def switch(op: RowOp) -> list[Value]:
    return [op.inputs[0], op.inputs[0]]


@row_rule("Merge")
def merge(op: RowOp) -> list[Value]:
    if op.chosen is None:
        raise NotRowWise
    position, predicate = op.chosen
    shapes = [op.shape(0), op.shape(1)]
    if shapes[0] != shapes[1] or None in shapes[0]:
        raise NotRowWise
    false, true = op.stacked(position), op.stacked(1 - position)
    wanted = predicate.tensor
    if not predicate.stacked:
        wanted = repeated(wanted, 0, op.size())
    branches = np.array([position, 1 - position], np.int32)
    return [
        Value(build.Select(wanted, true, false), True),
        Value(build.Gather(branches, build.Cast(wanted, DstT=np.int32)), True),
    ]


def predicate_of(op: Operation) -> Tensor:
    """The tensor that decides which output of a Switch is alive."""
    tensor = op._inputs[1]
    while tensor._op._record.name == "Identity":
        tensor = tensor._op._inputs[0]
    return tensor


def merged_guards(first: Guards, second: Guards) -> tuple[Guards, Tensor, int]:
    """The guards of a Merge; the predicate that chooses, and the input that is alive without it.

    Raises:
        NotRowWise: if it does not join the branches of one tf.cond.
    """
    different = [p for p in first if p in second and first[p] != second[p]]
    if len(different) != 1:
        raise NotRowWise
    predicate = different[0]
    guards = {p: side for p, side in first.items() if second.get(p) == side}
    return guards, predicate, 0 if first[predicate] == 0 else 1
