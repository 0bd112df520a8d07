"""Rules for ops on images."""

from __future__ import annotations

from headwater.graph.row_functions.row_op import NotRowWise, RowOp, Value, row_rule


@row_rule("DecodePng")
def files(op: RowOp) -> list[Value]:
    shape = op.op._outputs[0]._shape
    if shape is None or None in shape:
        # Images of different sizes are not rows.
        raise NotRowWise
    return op.in_rows([op.stacked(0)])


@row_rule("RGBToHSV", "HSVToRGB")
def pixels(op: RowOp) -> list[Value]:
    return op.again([op.stacked(0)])


@row_rule("AdjustHue", "AdjustSaturation", "AdjustContrastv2")
def adjustment(op: RowOp) -> list[Value]:
    if op.inputs[1].stacked:
        return op.in_rows([op.stacked(0), op.stacked(1)])
    return op.again([op.stacked(0), op.shared(1)])
