"""Ops of many handlers, run together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from headwater.base.typing import TensorLike
from headwater.graph import Tensor
from headwater.graph.default_graph import device as device_scope


class ScheduledOp:
    """An op that can be run with others of its kind."""

    def batching_key(self) -> Any:
        """What ops have to have in common to be run together."""
        raise NotImplementedError()

    def batch_runner_fn(self) -> Callable[..., Any]:
        """The function that makes the op of several."""
        raise NotImplementedError()


class ScheduledStampedResourceOp(ScheduledOp):
    """An op on a resource with a stamp.

    Args:
        resource_handle: the handle of the resource.
        op: the function of the op, which takes lists.
        kwargs: its further arguments.
    """

    def __init__(self, resource_handle: Tensor, op: Callable[..., Any], **kwargs: Any) -> None:
        self.resource_handle = resource_handle
        self.op = op
        self.args = kwargs

    def batching_key(self) -> Any:
        """The device of the resource, and the op."""
        return self.resource_handle.device, self.op

    def batch_runner_fn(self) -> Callable[..., Any]:
        """The function that makes the op of several."""
        return _run_stamped


def _run_stamped(batch: Sequence[ScheduledStampedResourceOp], stamp: TensorLike) -> list[Any]:
    """Makes one op of several.

    Returns:
        For each of them, what it returns: a tensor or a list; the op if it returns nothing.
    """
    first = batch[0]
    columns = {name: [each.args[name] for each in batch] for name in first.args}
    result = first.op([each.resource_handle for each in batch], stamp, **columns)
    if isinstance(result, (list, tuple)):
        return [list(outputs) for outputs in zip(*result)]
    return [result] * len(batch)


def run_handler_scheduled_ops(
    per_handler_ops: Mapping[Any, Sequence[ScheduledOp]], stamp: TensorLike, worker_device: Any
) -> dict[Any, list[Any]]:
    """Makes the ops of handlers, those of a kind as one.

    Args:
        per_handler_ops: for each handler, its ops.
        stamp: the stamp of the resources.
        worker_device: the device of the ops.

    Returns:
        For each handler, what each of its ops returns.
    """
    batches: dict[Any, list[tuple[Any, int, ScheduledOp]]] = {}
    results = {handler: [None] * len(ops) for handler, ops in per_handler_ops.items()}
    for handler, ops in per_handler_ops.items():
        for place, op in enumerate(ops):
            batches.setdefault(op.batching_key(), []).append((handler, place, op))
    with device_scope(worker_device):
        for members in batches.values():
            ops = [op for _, _, op in members]
            made = ops[0].batch_runner_fn()(ops, stamp)
            for (handler, place, _), result in zip(members, made):
                results[handler][place] = result
    return results
