"""Rules for ops that draw random numbers: for rows what successive runs would draw."""

from __future__ import annotations

from headwater.graph.row_functions.row_op import RowOp, Value, row_rule


@row_rule("RandomUniform", "RandomUniformInt", "RandomStandardNormal", "TruncatedNormal")
def draws(op: RowOp) -> list[Value]:
    return op.in_rows([op.shared(i) for i in range(len(op.inputs))])


@row_rule("StatelessMultinomial")
def stateless_multinomial(op: RowOp) -> list[Value]:
    return op.in_rows([op.stacked(0), op.shared(1), op.stacked(2)])
