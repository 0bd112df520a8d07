"""The ops that make barriers and use them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base.checks import fail
from headwater.base.dtypes import DType
from headwater.base.handles import handle_of, resource_of
from headwater.base.typing import Array, ArrayModule, Shape
from headwater.base.waiting import Waiting
from headwater.graph import Operation, RunsOn, register_op, shapes
from headwater.ops.queues.barrier_resource import Barrier
from headwater.ops.queues.resource import types_text


def make_barrier(attrs: dict[str, Any]) -> Barrier:
    return Barrier(attrs["component_types"], attrs["shapes"])


def kernel_barrier(
    xp: ArrayModule, *, op: Operation, op_name: str, shared_name: str, state: Barrier
) -> tuple[Barrier | np.ndarray, ...]:
    if state.checked is not op:
        state.set_name(op_name, shared_name)
        state.check_same(make_barrier(op._attrs))
        state.checked = op
    return handle_of(state), state


def kernel_insert(
    xp: ArrayModule, handle: Array, keys: Array, values: Array, *, T: DType, component_index: int
) -> Waiting:
    barrier = resource_of(handle)
    types = barrier.types
    if not 0 <= component_index < len(types):
        fail(
            f"The component ID is out of range {component_index} > num_components (= {len(types)})"
        )
    if T is not types[component_index]:
        have, expected = types_text([T]), types_text([types[component_index]])
        fail(
            f"Signature mismatch, have: string_ref, string, {have}-> expected: string_ref, "
            f"string, {expected}->"
        )
    return barrier.insert(component_index, keys, values)


def kernel_take(
    xp: ArrayModule,
    handle: Array,
    num_elements: Array,
    *,
    component_types: list[DType],
    allow_small_batch: bool,
    timeout_ms: int,
) -> Waiting:
    barrier = resource_of(handle)
    if component_types != barrier.types:
        have, expected = types_text(component_types), types_text(barrier.types)
        fail(
            f"Signature mismatch, have: string_ref, int32->int64, string, {have} expected: "
            f"string_ref, int32->int64, string, {expected}"
        )
    if timeout_ms != -1:
        fail("Timeout not supported yet.")
    return barrier.take(int(num_elements), allow_small_batch)


def kernel_close(xp: ArrayModule, handle: Array, *, cancel_pending_enqueues: bool) -> Waiting:
    return resource_of(handle).close(cancel_pending_enqueues)


def kernel_ready_size(xp: ArrayModule, handle: Array) -> np.ndarray:
    return np.asarray(resource_of(handle).ready_size(), np.int32)


def kernel_incomplete_size(xp: ArrayModule, handle: Array) -> np.ndarray:
    return np.asarray(resource_of(handle).incomplete_size(), np.int32)


def shape_handle(c: shapes.ShapeContext) -> Shape:
    return (2,)


def shape_insert(c: shapes.ShapeContext) -> list[Shape]:
    keys, values = c.with_rank("keys", 1), c.with_rank_at_least("values", 1)
    if values is not None:
        c.merge(keys, values[:1])
    return []


_HANDLE = "handle: Ref(string)"

register_op(
    "Barrier",
    outputs=_HANDLE,
    attrs="component_types: list(type) >= 1, shapes: list(shape) >= 0 = [], capacity: int = -1, "
    "container: string = '', shared_name: string = ''",
    shape=shape_handle,
    kernel=kernel_barrier,
    state=make_barrier,
    resource="barrier",
    stateful=True,
    runs_on=RunsOn.HOST,
)


def _register_barrier_access(
    name: str,
    inputs: str,
    outputs: str,
    attrs: str,
    shape: Callable[..., Any],
    kernel: Callable[..., Any],
) -> None:
    register_op(
        name,
        inputs=inputs,
        outputs=outputs,
        attrs=attrs,
        shape=shape,
        kernel=kernel,
        exchanges=True,
        runs_on=RunsOn.HOST,
    )


_register_barrier_access(
    "BarrierInsertMany",
    inputs=f"{_HANDLE}, keys: string, values: T",
    outputs="",
    attrs="T: type, component_index: int",
    shape=shape_insert,
    kernel=kernel_insert,
)
_register_barrier_access(
    "BarrierTakeMany",
    inputs=f"{_HANDLE}, num_elements: int32",
    outputs="indices: int64, keys: string, values: component_types",
    attrs="component_types: list(type) >= 1, allow_small_batch: bool = false, "
    "wait_for_incomplete: bool = false, timeout_ms: int = -1",
    shape=shapes.unknown,
    kernel=kernel_take,
)
_register_barrier_access(
    "BarrierClose",
    inputs=_HANDLE,
    outputs="",
    attrs="cancel_pending_enqueues: bool = false",
    shape=shapes.none,
    kernel=kernel_close,
)
_register_barrier_access(
    "BarrierReadySize",
    inputs=_HANDLE,
    outputs="size: int32",
    attrs="",
    shape=shapes.scalar,
    kernel=kernel_ready_size,
)
_register_barrier_access(
    "BarrierIncompleteSize",
    inputs=_HANDLE,
    outputs="size: int32",
    attrs="",
    shape=shapes.scalar,
    kernel=kernel_incomplete_size,
)
