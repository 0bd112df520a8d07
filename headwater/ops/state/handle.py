"""Static information about the variable of a resource handle."""

from __future__ import annotations

from headwater.base.dtypes import DType, proto_name
from headwater.base.typing import Shape
from headwater.graph import ShapeContext, Tensor

_PASSAGES = ("Identity", "Enter", "Switch")


def check_dtype(c: ShapeContext) -> None:
    """Fails if the attr ``dtype`` of an op is not the type of the variable of its first input."""
    dtype = _handle_dtype(c.inputs[0])
    wanted = c.attr("dtype").base_dtype
    if dtype is not None and dtype is not wanted:
        c.fail(
            f"Trying to read variable with wrong dtype. Expected {proto_name(dtype)} got "
            f"{proto_name(wanted)}"
        )


def shape_update(c: ShapeContext) -> list[Shape]:
    """The shape function of an op that gives a variable a new value: it has no output."""
    check_dtype(c)
    c.merge(handle_shape(c.inputs[0]), c.shape("value"))
    return []


def _handle_dtype(handle: Tensor) -> DType | None:
    while handle.op.type in _PASSAGES and handle.op.inputs:
        handle = handle.op.inputs[0]
    return handle.op._attrs["dtype"].base_dtype if handle.op.type == "VarHandleOp" else None


def handle_shape(handle: Tensor) -> Shape:
    """The static shape of the variable of a handle; None if it is unknown.

    Handles that enter a subgraph carry it as their attribute ``_variable_shape``.
    """
    while True:
        if "_variable_shape" in handle.__dict__:
            return handle.__dict__["_variable_shape"]
        op = handle.op
        if op.type == "VarHandleOp":
            return op._attrs["shape"]
        if op.type not in _PASSAGES or not op.inputs:
            return None
        handle = op.inputs[0]
