"""Stacks: what loops keep of each iteration for their gradients."""

from __future__ import annotations

import numpy as np

from headwater.base import errors
from headwater.base.dtypes import DType
from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import NOT_DIFFERENTIABLE, RunsOn, ShapeContext, register_op, shapes
from headwater.ops.control.stack_resource import StackResource


def kernel_stack(
    xp: ArrayModule, *, elem_type: DType, stack_name: str, op_name: str
) -> StackResource:
    return StackResource(stack_name or op_name, elem_type)


def kernel_stack_v2(
    xp: ArrayModule, max_size: Array, *, elem_type: DType, stack_name: str, op_name: str
) -> StackResource:
    if np.ndim(max_size) > 0:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Stack size must be a scalar, but had shape: {shapes.show(np.shape(max_size))}",
        )
    return StackResource(stack_name or op_name, elem_type, int(max_size))


def kernel_push(xp: ArrayModule, handle: StackResource, elem: Array, *, T: DType) -> Array:
    if T is not handle.dtype:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Must have type {handle.dtype.as_datatype_enum} but got {T.as_datatype_enum}",
        )
    handle.push(elem)
    return elem


def kernel_pop(xp: ArrayModule, handle: StackResource) -> Array:
    return handle.pop()


def kernel_close(xp: ArrayModule, handle: StackResource) -> tuple[()]:
    handle.close()
    return ()


def shape_handle(c: ShapeContext) -> Shape:
    return (2,)


def shape_push(c: ShapeContext) -> Shape:
    return c.shape("elem")


register_op(
    "Stack",
    outputs="handle: Ref(string)",
    attrs="elem_type: type, stack_name: string = ''",
    shape=shape_handle,
    kernel=kernel_stack,
    runs_on=RunsOn.HOST,
    stateful=True,
    gradient=NOT_DIFFERENTIABLE,
)
register_op(
    "StackV2",
    inputs="max_size: int32",
    outputs="handle: resource",
    attrs="elem_type: type, stack_name: string = ''",
    shape=shape_handle,
    kernel=kernel_stack_v2,
    runs_on=RunsOn.HOST,
    stateful=True,
)


def _register_stack_access(push: str, pop: str, close: str, handle: str, newer: bool) -> None:
    register_op(
        push,
        inputs=f"handle: {handle}, elem: T",
        outputs="output: T",
        attrs="T: type, swap_memory: bool = false",
        shape=shape_push,
        kernel=kernel_push,
        runs_on=RunsOn.HOST,
        opaque=True,
        stateful=newer,
        gradient=None if newer else NOT_DIFFERENTIABLE,
    )
    register_op(
        pop,
        inputs=f"handle: {handle}",
        outputs="elem: elem_type",
        attrs="elem_type: type",
        shape=shapes.unknown,
        kernel=kernel_pop,
        runs_on=RunsOn.HOST,
        opaque=True,
        stateful=newer,
        gradient=None if newer else NOT_DIFFERENTIABLE,
    )
    register_op(
        close,
        inputs=f"handle: {handle}",
        shape=shapes.none,
        kernel=kernel_close,
        runs_on=RunsOn.HOST,
        stateful=newer,
        gradient=None if newer else NOT_DIFFERENTIABLE,
    )


_register_stack_access("StackPush", "StackPop", "StackClose", "Ref(string)", newer=False)
_register_stack_access("StackPushV2", "StackPopV2", "StackCloseV2", "resource", newer=True)
