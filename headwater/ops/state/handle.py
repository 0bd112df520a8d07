"""Static information about the variable of a resource handle."""

from __future__ import annotations

from headwater.base.dtypes import DType, proto_name
from headwater.base.typing import Shape
from headwater.graph import ShapeContext, Tensor
from headwater.graph.functions import FunctionGraph

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
    while (source := _source(handle)) is not None:
        handle = source
    return handle.op._attrs["dtype"].base_dtype if handle.op.type == "VarHandleOp" else None


def handle_shape(handle: Tensor) -> Shape:
    """The static shape of the variable of a handle; None if it is unknown.

    Handles that enter a subgraph carry it as their attribute ``_variable_shape``.
    """
    while "_variable_shape" not in handle.__dict__:
        if handle.op.type == "VarHandleOp":
            return handle.op._attrs["shape"]
        source = _source(handle)
        if source is None:
            return None
        handle = source
    return handle.__dict__["_variable_shape"]


def _source(handle: Tensor) -> Tensor | None:
    """The tensor whose value a handle is, in the same graph or around it."""
    op = handle.op
    if op.type in _PASSAGES:
        return op.inputs[0] if op.inputs else None
    if op.type == "Placeholder" and isinstance(op.graph, FunctionGraph):
        return op.graph.captured_from(handle)
    return None
