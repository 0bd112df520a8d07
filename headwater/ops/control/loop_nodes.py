"""The nodes of loops: Enter, Exit and NextIteration move values between frames and iterations.

The engine knows these op types: they have no kernels.
"""

from __future__ import annotations

from typing import NoReturn

from headwater.base import errors
from headwater.base.typing import ArrayModule, Shape
from headwater.graph import RunsOn, ShapeContext, register_op
from headwater.graph.control_flow.flow_gradients import (
    gradient_enter,
    gradient_exit,
    gradient_loop_cond,
    gradient_next_iteration,
)
from headwater.graph.shapes import like_first, none


def shape_enter(c: ShapeContext) -> Shape:
    """A loop variable may change its shape; a constant of the loop cannot."""
    return c.inputs[0]._shape if c.attr("is_constant") else None


def shape_loop_cond(c: ShapeContext) -> Shape:
    """A scalar."""
    return c.with_rank("input", 0)


def kernel_control_trigger(xp: ArrayModule) -> None:
    return None


def kernel_abort(xp: ArrayModule, *, error_msg: str, exit_without_error: bool) -> NoReturn:
    if exit_without_error:
        raise SystemExit(0)
    raise errors.AbortedError(None, None, error_msg)


_FRAME_ATTRS = (
    "T: type, frame_name: string, is_constant: bool = false, parallel_iterations: int = 10"
)

register_op(
    "Enter",
    inputs="data: T",
    outputs="output: T",
    attrs=_FRAME_ATTRS,
    shape=shape_enter,
    gradient=gradient_enter,
)
register_op(
    "RefEnter",
    inputs="data: Ref(T)",
    outputs="output: Ref(T)",
    attrs=_FRAME_ATTRS,
    shape=like_first,
    gradient=gradient_enter,
)
register_op(
    "Exit",
    inputs="data: T",
    outputs="output: T",
    attrs="T: type",
    shape=like_first,
    gradient=gradient_exit,
)
register_op(
    "RefExit",
    inputs="data: Ref(T)",
    outputs="output: Ref(T)",
    attrs="T: type",
    shape=like_first,
    gradient=gradient_exit,
)
register_op(
    "NextIteration",
    inputs="data: T",
    outputs="output: T",
    attrs="T: type",
    shape=like_first,
    gradient=gradient_next_iteration,
)
register_op(
    "RefNextIteration",
    inputs="data: Ref(T)",
    outputs="output: Ref(T)",
    attrs="T: type",
    shape=like_first,
    gradient=gradient_next_iteration,
)
register_op(
    "LoopCond",
    inputs="input: bool",
    outputs="output: bool",
    shape=shape_loop_cond,
    kernel=lambda xp, x: x,
    gradient=gradient_loop_cond,
)
register_op(
    "ControlTrigger",
    shape=none,
    kernel=kernel_control_trigger,
)
register_op(
    "Abort",
    attrs="error_msg: string = '', exit_without_error: bool = false",
    shape=none,
    kernel=kernel_abort,
    runs_on=RunsOn.HOST,
)
