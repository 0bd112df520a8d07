"""Collective ops across devices: CollectiveReduce, NcclAllReduce, ..."""

from __future__ import annotations

import re
import threading
import weakref
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from headwater.base import dtypes, errors, process_group
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
    """The members of one instance of a group of devices, until all have come.

    Args:
        size: how many there will be.

    Attributes:
        members: the node, the value and the work of those who have come.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.members: list[tuple[Operation, Any, Waiting]] = []

    def join(self, op: Operation, value: Array | None) -> Waiting:
        """Adds a member; the work of all is done when the last one comes.

        Args:
            op: the node of the member.
            value: what it brings, None for nothing.
        """
        work = Waiting(f"Collective op {op.name} was cancelled.", self._withdraw)
        self.members.append((op, value, work))
        return work

    def complete(self) -> bool:
        """Tells whether all members have come."""
        return len(self.members) >= self.size

    def settle(self, combine: Callable[..., Any]) -> None:
        """Gives all members what `combine` makes of the values, in the order of the devices."""
        members = sorted(self.members, key=lambda member: _rank(member[0]))
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
                self.members = [m for m in self.members if m[2] is not work]
                work.fail(cancelled(work.cancelled_text))


# Numbers of what meets: a value that is sent meets those who receive it.
_KINDS = {
    "CollectiveReduce": 0,
    "CollectiveGather": 1,
    "CollectiveBcastSend": 2,
    "CollectiveBcastRecv": 2,
}
# As many dimensions as arrays of NumPy have.
_MOST_DIMS = 64
_lock = threading.Lock()
# The instances whose values have been found to have one static shape in all processes.
_checked: weakref.WeakKeyDictionary[Any, set[tuple[int, int]]] = weakref.WeakKeyDictionary()
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
        meeting = open_meetings.get(keys)
        if meeting is None or not meeting.members:
            # All who had come have been cancelled, perhaps.
            meeting = open_meetings[keys] = Meeting(size)
        if meeting.size != size:
            raise errors.InternalError(
                None,
                None,
                f"{op.name} joins the group {keys[0]} with {size} members, but that group has "
                f"size {meeting.size}",
            )
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
                if other.type in _KINDS
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
                None, None, _mismatch(instance_key, values[0].shape, value.shape)
            )
        if value.dtype != values[0].dtype:
            raise errors.InvalidArgumentError(
                None, None, _type_mismatch(instance_key, values[0].dtype, value.dtype)
            )


def _mismatch(instance_key: Any, one: Sequence[int], another: Sequence[int]) -> str:
    return (
        f"Shape mismatch in the collective instance {instance_key}. One member has shape "
        f"{shapes.show(tuple(one))}, another one {shapes.show(tuple(another))}."
    )


def _type_mismatch(instance_key: Any, one: Any, another: Any) -> str:
    names = [dtypes.as_dtype(dtype).name for dtype in (one, another)]
    return (
        f"Type mismatch in the collective instance {instance_key}. One member has type "
        f"{names[0]}, another one {names[1]}."
    )


def _check_processes(op: Operation, group: ProcessGroup, shape: Sequence[int], dtype: Any) -> None:
    """Checks that all processes bring values of one shape and type to a collective.

    The first time only, if the shape is static: all processes have the same graph.

    Raises:
        InvalidArgumentError: if they do not.
    """
    instance_key: int = op.get_attr("instance_key")
    keys = op.get_attr("group_key"), instance_key
    with _lock:
        checked = _checked.setdefault(op.graph, set())
    if keys in checked:
        return
    kind = _KINDS[op.type]
    number = dtypes.as_dtype(dtype).as_datatype_enum
    dims = [*shape, *[-1] * (_MOST_DIMS - len(shape))]
    mine = [*keys, kind, number, len(shape), *dims]

    def text(other: Sequence[int]) -> str:
        if tuple(other[:2]) != keys or other[2] != kind:
            return (
                f"Collective instance {instance_key} meets another collective op, of instance "
                f"{other[1]}: all processes must run the same steps."
            )
        if other[3] != number:
            return _type_mismatch(instance_key, number, other[3])
        return _mismatch(instance_key, shape, other[5 : 5 + other[4]])

    group.check_equal(mine, text)
    tensor = op.inputs[0] if op.inputs else op.outputs[0]
    if tensor.shape.is_fully_defined():
        checked.add(keys)


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
            _check_processes(op, group, total.shape, total.dtype)
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
        if group is None:
            return joined
        _check_processes(op, group, joined.shape, joined.dtype)
        return group.all_gather(joined)

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
        if group is None:
            return sent
        _check_processes(op, group, sent.shape, sent.dtype)
        return group.broadcast(sent, sent.shape, sent.dtype)

    return _meet(op, np.asarray(value), here, (group_key, instance_key), combine)


def kernel_receive(
    xp: ArrayModule, *, op: Operation, group_size: int, group_key: int, instance_key: int
) -> Waiting:
    here, group = _spread(op, group_size)

    def combine(values: list[Any]) -> Array:
        if group is None or values:
            return values[0]
        received = op.outputs[0]
        shape = tuple(size or 0 for size in received.shape.as_list())
        _check_processes(op, group, shape, received.dtype)
        return group.broadcast(None, shape, received.dtype.as_numpy_dtype)

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
