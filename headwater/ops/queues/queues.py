"""The ops that make queues."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base.handles import handle_of
from headwater.base.typing import ArrayModule, Shape
from headwater.graph import Operation, RunsOn, register_op, shapes
from headwater.ops.queues.queue_orders import PaddingFIFOQueue, PriorityQueue, RandomShuffleQueue
from headwater.ops.queues.queue_resource import Queue


def make_fifo_queue(attrs: dict[str, Any]) -> Queue:
    return Queue(attrs["component_types"], attrs["shapes"], attrs["capacity"])


def make_padding_fifo_queue(attrs: dict[str, Any]) -> Queue:
    return PaddingFIFOQueue(attrs["component_types"], attrs["shapes"], attrs["capacity"])


def make_priority_queue(attrs: dict[str, Any]) -> Queue:
    return PriorityQueue(attrs["component_types"], attrs["shapes"], attrs["capacity"])


def make_random_shuffle_queue(attrs: dict[str, Any]) -> Queue:
    return RandomShuffleQueue(
        attrs["component_types"],
        attrs["shapes"],
        attrs["capacity"],
        attrs["min_after_dequeue"],
        attrs["seed"],
        attrs["seed2"],
    )


def kernel_queue(make: Callable[[dict[str, Any]], Queue]) -> Callable[..., Any]:
    """The kernel of an op that makes a queue."""

    def kernel(
        xp: ArrayModule, *, op: Operation, op_name: str, shared_name: str, state: Queue
    ) -> tuple[Queue | np.ndarray, ...]:
        if state.checked is not op:
            declared = make(op._attrs)
            declared.check_arguments()
            state.set_name(op_name, shared_name)
            state.check_same(op.type, declared)
            state.checked = op
        return handle_of(state), state

    return kernel


def kernel_fake_queue(xp: ArrayModule, handle: np.ndarray) -> np.ndarray:
    return handle


def shape_old_handle(c: shapes.ShapeContext) -> Shape:
    return (2,)


_TYPES = "component_types: list(type) >= 1, shapes: list(shape) >= 0 = []"
_PRIORITY_TYPES = "component_types: list(type) >= 0 = [], shapes: list(shape) >= 0"
_NAMES = "container: string = '', shared_name: string = ''"
_CAPACITY = "capacity: int = -1"
_RANDOM = f"{_CAPACITY}, min_after_dequeue: int = 0, seed: int = 0, seed2: int = 0"


def _register_queue(old_name: str, new_name: str, *, attrs: str, state: Callable[..., Any]) -> None:
    for name, handle in ((old_name, "handle: Ref(string)"), (new_name, "handle: resource")):
        register_op(
            name,
            outputs=handle,
            attrs=f"{attrs}, {_NAMES}",
            shape=shapes.scalar if name == new_name else shape_old_handle,
            kernel=kernel_queue(state),
            state=state,
            resource="queue",
            stateful=True,
            runs_on=RunsOn.HOST,
        )


_register_queue("FIFOQueue", "FIFOQueueV2", attrs=f"{_TYPES}, {_CAPACITY}", state=make_fifo_queue)
_register_queue(
    "PaddingFIFOQueue",
    "PaddingFIFOQueueV2",
    attrs=f"{_TYPES}, {_CAPACITY}",
    state=make_padding_fifo_queue,
)
_register_queue(
    "PriorityQueue",
    "PriorityQueueV2",
    attrs=f"{_PRIORITY_TYPES}, {_CAPACITY}",
    state=make_priority_queue,
)
_register_queue(
    "RandomShuffleQueue",
    "RandomShuffleQueueV2",
    attrs=f"{_TYPES}, {_RANDOM}",
    state=make_random_shuffle_queue,
)
register_op(
    "FakeQueue",
    inputs="resource: resource",
    outputs="handle: Ref(string)",
    shape=shapes.scalar,
    kernel=kernel_fake_queue,
    stateful=True,
    runs_on=RunsOn.HOST,
)
