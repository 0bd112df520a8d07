"""How an optimizer updates variables that have a copy on each device of a strategy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base.typing import TensorLike
from headwater.graph import (
    IndexedSlices,
    Tensor,
    build,
    control_dependencies,
    get_default_graph,
    gradients,
    name_scope,
    replication,
)
from headwater.graph.execution_mode import init_scope
from headwater.graph.graph_keys import GraphKeys
from headwater.graph.indexed_slices import concatenated
from headwater.ops.state.assign import assign_add


def share_of_loss(loss: Any) -> Any:
    """A loss divided by the number of replicas, if the strategy takes the mean of their losses."""
    mode = replication.replicating()
    if mode is None or not mode.strategy.extended._averages_losses():
        return loss
    count = mode.strategy.num_replicas_in_sync
    return loss * (1.0 / count) if count > 1 else loss


def of_replica(
    optimizer: Any,
    mode: replication.Mode,
    pairs: Sequence[tuple[Any, Any]],
    global_step: TensorLike | None,
    name: str | None,
) -> Any:
    """Builds the update of all copies from the gradients of one replica and of the others.

    Args:
        optimizer: the Optimizer.
        mode: what the thread is doing.
        pairs: pairs (gradient or None, variable) of this replica.
        global_step: a variable that is incremented after the updates; None for none.
        name: the name of the op.

    Returns:
        What the optimizer's `_distributed_apply` returns.

    Raises:
        RuntimeError: across replicas.
        ValueError: if no variable has a gradient.
    """
    if mode.replica_context is None:
        raise RuntimeError(
            "Use `_distributed_apply()` instead of `apply_gradients()` in a cross-replica context."
        )
    present = [(grad, variable) for grad, variable in pairs if grad is not None]
    if not present:
        names = [str(variable) for _, variable in pairs]
        raise ValueError(f"No gradients provided for any variable: {names}.")
    return mode.replica_context.merge_call(
        optimizer._distributed_apply, args=(present, global_step, name)
    )


def gradients_of_copies(loss: Any, variables: Sequence[Any], **options: Any) -> list[Any]:
    """The gradients of a loss; for a variable with copies, the sum of the gradients of these.

    Args:
        loss: the loss of all replicas of this process, which have read their own copies.
        variables: variables.
        **options: those of `tf.gradients`.

    Returns:
        A list of tensors, IndexedSlices or None.
    """
    copies = [v.values if replication.has_copies(v) else (v,) for v in variables]
    flat = iter(gradients(loss, [copy for each in copies for copy in each], **options))
    return [_sum([next(flat) for _ in each]) for each in copies]


def sums_over_processes(grads: Sequence[Any]) -> list[Any]:
    """The sums of gradients over all processes that train synchronously.

    Args:
        grads: the gradients of this process: tensors, IndexedSlices or None.

    Returns:
        A list of the same kind.
    """
    mode = replication.replicating()
    if mode is None or mode.replica_context is not None:
        return list(grads)
    present = [grad for grad in grads if grad is not None]
    totals = iter(mode.strategy.extended._sums_over_workers(present))
    return [None if grad is None else next(totals) for grad in grads]


def _sum(grads: list[Any]) -> Any:
    present = [grad for grad in grads if grad is not None]
    if len(present) <= 1:
        return present[0] if present else None
    if all(isinstance(grad, IndexedSlices) for grad in present):
        return concatenated(present)
    return build.AddN(present)


def of_all_replicas(
    optimizer: Any,
    strategy: Any,
    grads_and_vars: Any,
    global_step: TensorLike | None,
    name: str | None,
) -> Any:
    """Builds the update of all copies from the gradients of all replicas.

    Args:
        optimizer: the Optimizer.
        strategy: the Strategy.
        grads_and_vars: pairs (gradient of all replicas, variable with copies).
        global_step: a variable that is incremented after the updates; None for none.
        name: the name of the op.

    Returns:
        The op, or the value of the step after it on all devices.
    """
    pairs = list(grads_and_vars)
    sums = strategy.extended.batch_reduce_to("SUM", pairs)
    summed = [(total, variable) for total, (_, variable) in zip(sums, pairs)]
    return of_sums(optimizer, strategy, summed, global_step, name)


def of_sums(
    optimizer: Any,
    strategy: Any,
    pairs: Sequence[tuple[Any, Any]],
    global_step: TensorLike | None,
    name: str | None,
) -> Any:
    """Builds the update of all copies from sums of gradients; see `of_all_replicas`."""
    extended = strategy.extended
    variables = [variable for _, variable in pairs]
    with init_scope():
        optimizer._create_slots(variables)

    def update(copy: Any, grad: Any) -> Any:
        with name_scope(f"update_{copy.op.name}"):
            return optimizer._update(grad, copy)

    def finish(update_ops: Sequence[Any]) -> Any:
        return optimizer._finish(list(update_ops), "update")

    with name_scope(name, optimizer._name) as scope:
        optimizer._prepare()
        updates: list[Any] = []
        for grad, variable in pairs:
            updates += extended.update(variable, update, args=(grad,), group=False)
        devices = extended.non_slot_devices(variables)
        finished = extended.update_non_slot(devices, finish, args=(updates,), group=False)
        if global_step is None:
            done = strategy.group(finished, name=scope)
        else:
            with control_dependencies(list(finished)):
                done = extended.update(global_step, assign_add, args=(1,))
    operation = done.op if isinstance(done, Tensor) else done
    collection = get_default_graph().get_collection_ref(GraphKeys.TRAIN_OP)
    if operation not in collection:
        collection.append(operation)
    return operation
