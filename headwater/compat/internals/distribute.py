"""tensorflow.python.distribute: the modules that libraries import for the default strategy."""

from __future__ import annotations

from typing import Any

from headwater.compat.internals import internal
from headwater.distributed.replicas import (
    contexts,
    inputs,
    mirrored,
    mirrored_variables,
    reductions,
    strategy,
    values,
)

for _name in (
    "experimental_set_strategy",
    "get_cross_replica_context",
    "get_replica_context",
    "get_strategy",
    "get_strategy_and_replica_context",
    "has_strategy",
    "in_cross_replica_context",
):
    internal(f"distribute.distribution_strategy_context.{_name}")(getattr(contexts, _name))
# Their names before 1.13.
internal("training.distribution_strategy_context.get_distribution_strategy")(contexts.get_strategy)
internal("distribute.distribution_strategy_context.get_distribution_strategy")(
    contexts.get_strategy
)
internal("distribute.distribution_strategy_context.has_distribution_strategy")(
    contexts.has_strategy
)
for _module, _classes in (
    (inputs, ("InputContext", "InputReplicationMode")),
    (strategy, ("ReplicaContext", "Strategy")),
):
    for _name in _classes:
        internal(f"distribute.distribute_lib.{_name}")(getattr(_module, _name))
internal("distribute.distribute_lib.StrategyV1")(strategy.Strategy)
for _name in ("StrategyExtendedV1", "StrategyExtendedV2"):
    internal(f"distribute.distribute_lib.{_name}")(strategy.StrategyExtended)
internal("distribute.distribute_lib.get_update_device")(contexts.get_update_device)
internal("distribute.distribute_lib.get_loss_reduction")(reductions.get_loss_reduction)
internal("distribute.reduce_util.ReduceOp")(reductions.ReduceOp)
internal("distribute.one_device_strategy.OneDeviceStrategy")(strategy.OneDeviceStrategy)
for _class in (
    values.DistributedValues,
    values.PerReplica,
    values.Mirrored,
    mirrored_variables.DistributedVariable,
    mirrored_variables.MirroredVariable,
    mirrored_variables.SyncOnReadVariable,
):
    internal(f"distribute.values.{_class.__name__}")(_class)
internal("distribute.mirrored_strategy.MirroredStrategy")(mirrored.MirroredStrategy)
internal("distribute.mirrored_strategy.MirroredExtended")(mirrored.MirroredExtended)


@internal("distribute.summary_op_util.skip_summary")
def skip_summary() -> Any:
    """Tells whether summaries are left out: in all replicas but the first."""
    context = contexts.get_replica_context()
    return context.replica_id_in_sync_group > 0 if contexts.has_strategy() and context else False


@internal("distribute.values.AggregatingVariable")
class AggregatingVariable:
    """A variable that adds up what replicas assign: the strategies here make none."""
