"""What is known of the variable behind a resource handle."""

from __future__ import annotations

from typing import Any

from headwater.graph import Tensor


def handle_shape(handle: Tensor) -> Any:
    """The static shape of the variable that a handle stands for; None if nothing is known.

    Handles that enter a subgraph carry it as their attribute ``_variable_shape``.
    """
    while True:
        if "_variable_shape" in handle.__dict__:
            return handle.__dict__["_variable_shape"]
        op = handle.op
        if op.type == "VarHandleOp":
            return op._attrs["shape"]
        if op.type not in ("Identity", "Enter", "Switch") or not op.inputs:
            return None
        handle = op.inputs[0]
