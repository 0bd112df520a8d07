"""The nodes of branches: Switch sends a value one of two ways, Merge takes the one that arrives.

A value that is not taken is `DEAD`. The engine hands deadness on from the inputs of an op (and from
what it waits for) to its outputs; only the kernels of Merge see dead inputs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base.checks import fail
from headwater.base.dead import DEAD
from headwater.base.typing import Array, ArrayModule
from headwater.graph import ShapeContext, register_op, shapes
from headwater.graph.control_flow.flow_gradients import gradient_merge, gradient_switch


def shape_switch(c: ShapeContext) -> list[Any]:
    """Both outputs have the shape of the data; the predicate is a scalar."""
    c.with_rank("pred", 0)
    data = c.inputs[0]._shape
    return [data, data]


def shape_merge(c: ShapeContext) -> list[Any]:
    """What the shapes of all inputs have in common; the index is a scalar."""
    first, *others = c.shapes
    for other in others:
        if first is None or other is None or len(first) != len(other):
            return [None, ()]
        first = tuple(a if a == b else None for a, b in zip(first, other))
    return [first, ()]


def shape_ref_select(c: ShapeContext) -> Any:
    """The shape of the inputs if they are known and equal."""
    c.with_rank("index", 0)
    first, *others = c.shapes[1:]
    if first is None or None in first or any(other != first for other in others):
        return None
    return first


def kernel_switch(xp: ArrayModule, data: Array, pred: Array) -> tuple[Any, ...]:
    if np.ndim(pred):
        fail(f"The second input must be a scalar, but it has shape {shapes.show(np.shape(pred))}")
    return (DEAD, data) if pred else (data, DEAD)


def kernel_ref_select(xp: ArrayModule, index: np.ndarray, inputs: list[Any]) -> Any:
    if not 0 <= index < len(inputs):
        fail(f"Index must be in the range [0, {len(inputs)}) but got {index}")
    return inputs[int(index)]


def kernel_merge(xp: ArrayModule, inputs: list[Any]) -> tuple[Any, ...]:
    for i, value in enumerate(inputs):
        if value is not DEAD:
            return value, np.int32(i)
    return DEAD, DEAD


register_op(
    "Switch",
    inputs="data: T, pred: bool",
    outputs="output_false: T, output_true: T",
    attrs="T: type",
    shape=shape_switch,
    kernel=kernel_switch,
    gradient=gradient_switch,
    concrete=("pred",),
)
register_op(
    "RefSwitch",
    inputs="data: Ref(T), pred: bool",
    outputs="output_false: Ref(T), output_true: Ref(T)",
    attrs="T: type",
    shape=shape_switch,
    kernel=kernel_switch,
    gradient=gradient_switch,
    concrete=("pred",),
    allows_uninitialized=True,
)
register_op(
    "RefSelect",
    inputs="index: int32, inputs: Ref(N * T)",
    outputs="output: Ref(T)",
    attrs="T: type, N: int >= 1",
    shape=shape_ref_select,
    kernel=kernel_ref_select,
    concrete=("index",),
)
register_op(
    "Merge",
    inputs="inputs: N * T",
    outputs="output: T, value_index: int32",
    attrs="T: type, N: int >= 1",
    shape=shape_merge,
    kernel=kernel_merge,
    gradient=gradient_merge,
    joins=True,
)
register_op(
    "RefMerge",
    inputs="inputs: Ref(N * T)",
    outputs="output: Ref(T), value_index: int32",
    attrs="T: type, N: int >= 1",
    shape=shape_merge,
    kernel=kernel_merge,
    gradient=gradient_merge,
    joins=True,
)
