"""Collective ops across devices: CollectiveReduce, NcclAllReduce, ..."""

from __future__ import annotations

import re
import threading
import weakref
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from headwater.base import errors, process_group
from headwater.base.cancellation import uninterrupted
from headwater.base.process_group import ProcessGroup
from headwater.base.typing import Array, ArrayModule, Shape
from headwater.base.waiting import Waiting
from headwater.graph import Operation, RunsOn, Tensor, build, register_op, shapes
from headwater.graph.default_graph import device
from headwater.ops.queues.resource import cancelled

_COMMON = "group_size: int, group_key: int, instance_key: int"
_NUMBERS = "T: {float, half, double, int32, int64}"
_MERGES = {"Min": np.minimum, "Max": np.maximum, "Mul": np.multiply, "Add": np.add}
_REDUCTIONS = {"min": np.minimum, "max": np.maximum, "prod": np.multiply, "sum": np.add}
_NCCL = "T: {half, float, double, int32, int64}"
_REDUCTION = "reduction: {'min', 'max', 'prod', 'sum'}"


class Meeting:
    """The members of one instance of a group of devices, until all have come."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._members: list[tuple[Operation, Any, Waiting]] = []

    def join(self, op: Operation, value: Array | None) -> Waiting:
        """Adds a member; the work of all is done when the last one comes.

        Args:
            op: the node of the member.
            value: what it brings, None for nothing.
        """
        work = Waiting(f"Collective op {op.name} was cancelled.", self._withdraw)
        self._members.append((op, value, work))
        return work

    def complete(self) -> bool:
        """Tells whether all members have come."""
        return len(self._members) >= self._size

    def settle(self, combine: Callable[..., Any]) -> None:
        """Gives all members what `combine` makes of the values, in the order of the devices."""
        members = sorted(self._members, key=lambda member: _rank(member[0]))
        try:
            result = combine([value for _, value, _ in members if value is not None])
        except errors.OpError as error:
            for _, _, work in members:
                work.fail(error)
        else:
            for _, _, work in members:
                work.finish(result)

    def _withdraw(self, work: Waiting) -> None:
        with uninterrupted(), _lock:
            if not work.done:
                self._members = [m for m in self._members if m[2] is not work]
                work.fail(cancelled(work.cancelled_text))


_COLLECTIVES = (
    "CollectiveReduce",
    "CollectiveGather",
    "CollectiveBcastSend",
    "CollectiveBcastRecv",
)
_lock = threading.Lock()
# {graph: (its version, the number of members by group and instance)}.
_members: weakref.WeakKeyDictionary[Any, tuple[int, Counter[tuple[int, int]]]] = (
    weakref.WeakKeyDictionary()
)
_meetings: weakref.WeakKeyDictionary[Any, dict[tuple[Any, Any], Meeting]] = (
    weakref.WeakKeyDictionary()
)


def _rank(op: Operation) -> list[Any]:
    """The place of a device among the others: numbers count as numbers."""
    parts = re.split(r"(\d+)", f"{op.device} {op.name}")
    return [(part.isdigit(), int(part) if part.isdigit() else part) for part in parts]


def _meet(
    op: Operation,
    value: Array | None,
    size: int,
    keys: tuple[Any, Any],
    combine: Callable[..., Any],
) -> Waiting:
    with uninterrupted(), _lock:
        open_meetings = _meetings.setdefault(op.graph, {})
        meeting = open_meetings.setdefault(keys, Meeting(size))
        work = meeting.join(op, value)
        complete = meeting.complete()
        if complete:
            del open_meetings[keys]
    if complete:
        meeting.settle(combine)
    return work


def _members_here(op: Operation) -> int:
    """The number of members of the instance of a collective op in its graph."""
    keys = op.get_attr("group_key"), op.get_attr("instance_key")
    graph = op.graph
    with _lock:
        version, counts = _members.get(graph, (-1, Counter()))
        if version != graph.version:
            counts = Counter(
                (other.get_attr("group_key"), other.get_attr("instance_key"))
                for other in graph.get_operations()
                if other.type in _COLLECTIVES
            )
            _members[graph] = graph.version, counts
    return counts[keys]


def _spread(op: Operation, group_size: int) -> tuple[int, ProcessGroup | None]:
    """How many members of a group are in this process, and the processes that have the others."""
    group = process_group.current()
    if group is not None:
        here = _members_here(op)
        if here * group.size == group_size:
            return here, group
    return group_size, None


def _check_shapes(values: list[Any], instance_key: Any) -> None:
    for value in values:
        if value.shape != values[0].shape:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"Shape mismatch in the collective instance {instance_key}. One member has shape "
                f"{shapes.show(values[0].shape)}, another one {shapes.show(value.shape)}.",
            )


def kernel_reduce(
    xp: ArrayModule,
    value: Array,
    *,
    op: Operation,
    group_size: int,
    group_key: int,
    instance_key: int,
    merge_op: str,
    final_op: str,
) -> Waiting:
    here, group = _spread(op, group_size)

    def combine(values: list[Any]) -> Array:
        _check_shapes(values, instance_key)
        total = values[0]
        for other in values[1:]:
            total = _MERGES[merge_op](total, other)
        if group is not None:
            return group.all_reduce(total, merge_op, group_size if final_op == "Div" else 1)
        if final_op == "Div":
            divide = np.floor_divide if total.dtype.kind == "i" else np.divide
            total = divide(total, np.asarray(group_size, total.dtype))
        return np.asarray(total, value.dtype)

    return _meet(op, np.asarray(value), here, (group_key, instance_key), combine)


def kernel_gather(
    xp: ArrayModule,
    value: Array,
    *,
    op: Operation,
    group_size: int,
    group_key: int,
    instance_key: int,
) -> Waiting:
    here, group = _spread(op, group_size)

    def combine(values: list[Any]) -> Array:
        _check_shapes(values, instance_key)
        joined = np.concatenate(values)
        return joined if group is None else group.all_gather(joined)

    return _meet(op, np.asarray(value), here, (group_key, instance_key), combine)


def kernel_send(
    xp: ArrayModule,
    value: Array,
    *,
    op: Operation,
    group_size: int,
    group_key: int,
    instance_key: int,
) -> Waiting:
    here, group = _spread(op, group_size)

    def combine(values: list[Any]) -> Array:
        sent = values[0]
        return sent if group is None else group.broadcast(sent, sent.shape, sent.dtype)

    return _meet(op, np.asarray(value), here, (group_key, instance_key), combine)


def kernel_receive(
    xp: ArrayModule, *, op: Operation, group_size: int, group_key: int, instance_key: int
) -> Waiting:
    here, group = _spread(op, group_size)

    def combine(values: list[Any]) -> Array:
        if group is None or values:
            return values[0]
        received = op.outputs[0]
        return group.broadcast(
            None,
            tuple(size or 0 for size in received.shape.as_list()),
            received.dtype.as_numpy_dtype,
        )

    return _meet(op, None, here, (group_key, instance_key), combine)


def kernel_nccl_all_reduce(
    xp: ArrayModule,
    value: Array,
    *,
    op: Operation,
    reduction: str,
    num_devices: int,
    shared_name: str,
) -> Waiting:
    def combine(values: list[Any]) -> Array:
        _check_shapes(values, shared_name)
        return np.asarray(_reduced(values, reduction), value.dtype)

    return _meet(op, np.asarray(value), num_devices, ("nccl", shared_name), combine)


def _reduced(values: Sequence[Any], reduction: str) -> Any:
    total = values[0]
    for other in values[1:]:
        total = _REDUCTIONS[reduction](total, other)
    return total


def gradient_nccl_all_reduce(op: Operation, grad: Tensor) -> Tensor:
    if op.get_attr("reduction") != b"sum":
        raise LookupError("No gradient defined for NcclAllReduce except sum.")
    with device(op.device):
        return build.NcclAllReduce(
            grad,
            reduction="sum",
            num_devices=op.get_attr("num_devices"),
            shared_name=op.get_attr("shared_name").decode() + "_grad",
        )


def kernel_nccl_reduce(xp: ArrayModule, values: list[Array], *, reduction: str) -> Array:
    return np.asarray(_reduced(values, reduction), values[0].dtype)


def gradient_nccl_reduce(op: Operation, grad: Tensor) -> list[Tensor]:
    if op.get_attr("reduction") != b"sum":
        raise LookupError("No gradient defined for NcclReduce except sum.")
    return [build.NcclBroadcast(grad, shape=grad.shape)] * len(op.inputs)


def kernel_nccl_broadcast(xp: ArrayModule, value: Array, *, shape: Any) -> Array:
    return value


def gradient_nccl_broadcast(op: Operation, grad: Tensor) -> Tensor:
    return grad  # the sum of the gradients of all devices


def shape_gather(c: shapes.ShapeContext) -> Shape:
    shape = c.shape("input")
    if shape is None:
        return None
    if not shape:
        c.fail("Shape must be at least rank 1 but is rank 0")
    first = shape[0]
    return (None if first is None else first * c.attr("group_size"), *shape[1:])


register_op(
    "CollectiveReduce",
    inputs="input: T",
    outputs="data: T",
    attrs=f"{_NUMBERS}, {_COMMON}, merge_op: {{'Min', 'Max', 'Mul', 'Add'}}, "
    "final_op: {'Id', 'Div'}, subdiv_offsets: list(int), wait_for: list(int) = [], "
    "communication_hint: string = 'auto'",
    shape=shapes.like_first,
    kernel=kernel_reduce,
    exchanges=True,
    stateful=True,
    runs_on=RunsOn.HOST,
)
register_op(
    "CollectiveGather",
    inputs="input: T",
    outputs="data: T",
    attrs=f"{_NUMBERS}, {_COMMON}, shape: shape, communication_hint: string = 'auto'",
    shape=shape_gather,
    kernel=kernel_gather,
    exchanges=True,
    stateful=True,
    runs_on=RunsOn.HOST,
)
register_op(
    "CollectiveBcastSend",
    inputs="input: T",
    outputs="data: T",
    attrs=f"{_NUMBERS}, {_COMMON}, shape: shape, communication_hint: string = 'auto'",
    shape=lambda c: c.attr("shape"),
    kernel=kernel_send,
    exchanges=True,
    stateful=True,
    runs_on=RunsOn.HOST,
)
register_op(
    "CollectiveBcastRecv",
    outputs="data: T",
    attrs=f"{_NUMBERS}, {_COMMON}, shape: shape, communication_hint: string = 'auto'",
    shape=lambda c: c.attr("shape"),
    kernel=kernel_receive,
    exchanges=True,
    stateful=True,
    runs_on=RunsOn.HOST,
)
register_op(
    "NcclAllReduce",
    inputs="input: T",
    outputs="data: T",
    attrs=f"{_REDUCTION}, {_NCCL}, num_devices: int, shared_name: string",
    shape=shapes.like_first,
    kernel=kernel_nccl_all_reduce,
    gradient=gradient_nccl_all_reduce,
    exchanges=True,
    stateful=True,
    runs_on=RunsOn.HOST,
)
register_op(
    "NcclReduce",
    inputs="input: num_devices * T",
    outputs="data: T",
    attrs=f"{_REDUCTION}, {_NCCL}, num_devices: int >= 1",
    shape=shapes.like_first,
    kernel=kernel_nccl_reduce,
    gradient=gradient_nccl_reduce,
    stateful=True,
    runs_on=RunsOn.HOST,
)
register_op(
    "NcclBroadcast",
    inputs="input: T",
    outputs="output: T",
    attrs=f"{_NCCL}, shape: shape",
    shape=lambda c: c.attr("shape"),
    kernel=kernel_nccl_broadcast,
    gradient=gradient_nccl_broadcast,
    stateful=True,
    runs_on=RunsOn.HOST,
)
