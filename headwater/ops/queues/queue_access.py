"""The ops that use queues: enqueue, dequeue, close, size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base.checks import fail
from headwater.base.dtypes import DType
from headwater.base.handles import resource_of
from headwater.base.typing import Array, ArrayModule
from headwater.base.waiting import Waiting
from headwater.graph import NOT_DIFFERENTIABLE, Operation, RunsOn, register_op, shapes
from headwater.ops.queues.queue_resource import Queue
from headwater.ops.queues.resource import types_text


def _queue(op: Operation, handle: np.ndarray, given: list[DType], rest: str, output: bool) -> Queue:
    """The queue of a handle, if the node has its types."""
    queue = resource_of(handle)
    if given == queue.types:
        return queue
    first = types_text([op.inputs[0].dtype.base_dtype])
    if op.inputs[0].dtype._is_ref_dtype:
        first += "_ref"
    signatures = []
    for types in (given, queue.types):
        types_part = types_text(types)
        signatures.append(f"{first}{rest}->{types_part}" if output else f"{first}, {types_part}->")
    fail(f"Signature mismatch, have: {signatures[0]} expected: {signatures[1]}")


def _kept(components: list[Any]) -> list[np.ndarray]:
    """Private copies of arrays."""
    return [np.array(component) for component in components]


def kernel_enqueue(
    xp: ArrayModule,
    handle: np.ndarray,
    components: list[Any],
    *,
    Tcomponents: list[DType],
    op: Operation,
) -> Waiting:
    queue = _queue(op, handle, Tcomponents, "", output=False)
    return queue.enqueue(_kept(components))


def kernel_enqueue_many(
    xp: ArrayModule,
    handle: np.ndarray,
    components: list[Any],
    *,
    Tcomponents: list[DType],
    op: Operation,
) -> Waiting:
    queue = _queue(op, handle, Tcomponents, "", output=False)
    return queue.enqueue_many(_kept(components))


def kernel_dequeue(
    xp: ArrayModule, handle: np.ndarray, *, component_types: list[DType], op: Operation
) -> Waiting:
    queue = _queue(op, handle, component_types, "", output=True)
    return queue.dequeue()


def kernel_dequeue_many(
    xp: ArrayModule, handle: np.ndarray, n: Array, *, component_types: list[DType], op: Operation
) -> Waiting:
    queue = _queue(op, handle, component_types, ", int32", output=True)
    return queue.dequeue_many(int(n), "DequeueManyOp")


def kernel_dequeue_up_to(
    xp: ArrayModule, handle: np.ndarray, n: Array, *, component_types: list[DType], op: Operation
) -> Waiting:
    queue = _queue(op, handle, component_types, ", int32", output=True)
    return queue.dequeue_many(int(n), "DequeueUpToOp", allow_small_batch=True)


def kernel_close(xp: ArrayModule, handle: np.ndarray, *, cancel_pending_enqueues: bool) -> Waiting:
    return resource_of(handle).close(cancel_pending_enqueues)


def kernel_is_closed(xp: ArrayModule, handle: np.ndarray) -> np.ndarray:
    return np.asarray(resource_of(handle).closed)


def kernel_size(xp: ArrayModule, handle: np.ndarray) -> np.ndarray:
    return np.asarray(resource_of(handle).size(), np.int32)


def shape_dequeue_many(c: shapes.ShapeContext) -> Any:
    n = c.value("n")
    if n is not None and n.ndim == 0 and n < 0:
        c.fail(f"Input 'n' must be >= 0, but is {n}")
    return shapes.unknown(c)


_COMPONENTS = "component_types: list(type) >= 1, timeout_ms: int = -1"
_T_COMPONENTS = "Tcomponents: list(type) >= 1, timeout_ms: int = -1"


def _register_access(
    old_name: str,
    new_name: str,
    *,
    inputs: str = "",
    outputs: str = "",
    attrs: str = "",
    shape: Callable[..., Any],
    kernel: Callable[..., Any],
    marked: bool = True,
) -> None:
    for name, handle in ((old_name, "handle: Ref(string)"), (new_name, "handle: resource")):
        register_op(
            name,
            inputs=", ".join(filter(None, (handle, inputs))),
            outputs=outputs,
            attrs=attrs,
            shape=shape,
            kernel=kernel,
            exchanges=True,
            stateful=name == new_name,
            runs_on=RunsOn.HOST,
            gradient=NOT_DIFFERENTIABLE if marked and name == old_name else None,
        )


_register_access(
    "QueueEnqueue",
    "QueueEnqueueV2",
    inputs="components: Tcomponents",
    attrs=_T_COMPONENTS,
    shape=shapes.none,
    kernel=kernel_enqueue,
)
_register_access(
    "QueueEnqueueMany",
    "QueueEnqueueManyV2",
    inputs="components: Tcomponents",
    attrs=_T_COMPONENTS,
    shape=shapes.none,
    kernel=kernel_enqueue_many,
)
_register_access(
    "QueueDequeue",
    "QueueDequeueV2",
    outputs="components: component_types",
    attrs=_COMPONENTS,
    shape=shapes.unknown,
    kernel=kernel_dequeue,
)
_register_access(
    "QueueDequeueMany",
    "QueueDequeueManyV2",
    inputs="n: int32",
    outputs="components: component_types",
    attrs=_COMPONENTS,
    shape=shape_dequeue_many,
    kernel=kernel_dequeue_many,
)
_register_access(
    "QueueDequeueUpTo",
    "QueueDequeueUpToV2",
    inputs="n: int32",
    outputs="components: component_types",
    attrs=_COMPONENTS,
    shape=shapes.unknown,
    kernel=kernel_dequeue_up_to,
)
_register_access(
    "QueueClose",
    "QueueCloseV2",
    attrs="cancel_pending_enqueues: bool = false",
    shape=shapes.none,
    kernel=kernel_close,
)
_register_access(
    "QueueSize", "QueueSizeV2", outputs="size: int32", shape=shapes.scalar, kernel=kernel_size
)
_register_access(
    "QueueIsClosed",
    "QueueIsClosedV2",
    outputs="is_closed: bool",
    shape=shapes.scalar,
    kernel=kernel_is_closed,
    marked=False,
)
