"""What `slim.learning.train` makes before the Supervisor finalizes the graph."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from headwater.graph import build, group, name_scope
from headwater.model.lookup.interface import tables_initializer
from headwater.model.variables.variable_lists import (
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
)
from headwater.ops.array.constant import constant
from headwater.ops.summary.merge import merge_all
from headwater.train.optimizers.sync_replicas import SyncReplicasOptimizer

# Stands for the default where None means nothing.
USE_DEFAULT = 0


def is_default(value: Any) -> bool:
    """Tells whether an argument has its default."""
    return isinstance(value, int) and value == USE_DEFAULT


def check_arguments(
    train_op: Any,
    logdir: str | None,
    number_of_steps: int | None,
    summary_op: Any,
    saver: Any,
    trace_every_n_steps: int | None,
    sync_optimizer: Any,
    startup_delay_steps: int,
) -> None:
    """Checks the arguments of `slim.learning.train` that exclude each other.

    Raises:
        ValueError: if `train_op` is None, if something is to be written and there is no folder, if
            a synchronous worker has a delay, or if the number of steps is not positive.
    """
    if train_op is None:
        raise ValueError("train_op cannot be None.")
    if logdir is None:
        if summary_op is not None and not is_default(summary_op):
            raise ValueError("Cannot provide summary_op because logdir=None")
        if saver is not None:
            raise ValueError("Cannot provide saver because logdir=None")
        if trace_every_n_steps is not None:
            raise ValueError("Cannot provide trace_every_n_steps because logdir=None")
    if sync_optimizer is not None and startup_delay_steps > 0:
        raise ValueError("startup_delay_steps must be zero when sync_optimizer is supplied.")
    if number_of_steps is not None and number_of_steps <= 0:
        raise ValueError("`number_of_steps` must be either None or a positive number.")


@dataclass
class TrainingOps:
    """The ops that prepare a model; those that were not given are made."""

    init_op: Any
    ready_op: Any
    local_init_op: Any
    summary_op: Any
    ready_for_local_init_op: Any = None

    def complete(self, synchronous: list[SyncReplicasOptimizer], is_chief: bool) -> None:
        """Makes the ops that have their default.

        Args:
            synchronous: the optimizers that wait for other workers.
            is_chief: whether this is the chief.
        """
        with name_scope("init_ops"):
            if is_default(self.init_op):
                self.init_op = global_variables_initializer()
            if is_default(self.ready_op):
                self.ready_op = report_uninitialized_variables()
            if is_default(self.local_init_op):
                self.local_init_op = group(local_variables_initializer(), tables_initializer())
            if synchronous:
                local = [_local_init_op(opt, is_chief) for opt in synchronous]
                given = [] if self.local_init_op is None else [self.local_init_op]
                self.local_init_op = group(*given, *local)
                self.ready_for_local_init_op = synchronous[0].ready_for_local_init_op
        if is_default(self.summary_op):
            self.summary_op = merge_all()


def _local_init_op(optimizer: SyncReplicasOptimizer, is_chief: bool) -> Any:
    return optimizer.chief_init_op if is_chief else optimizer.local_step_init_op


@dataclass
class SyncReplicas:
    """What the chief of synchronous workers starts: their tokens and queue runners."""

    optimizers: list[SyncReplicasOptimizer]
    init_tokens_ops: list[Any] = field(default_factory=list)
    queue_runners: list[Any] = field(default_factory=list)

    @classmethod
    def of(cls, sync_optimizer: Any) -> SyncReplicas:
        """Takes one optimizer, a list of them, or None."""
        if sync_optimizer is None:
            return cls([])
        several = isinstance(sync_optimizer, (list, tuple))
        return cls(list(sync_optimizer) if several else [sync_optimizer])

    def prepare_chief(self) -> None:
        """Makes the ops of the chief, which have to be there before the graph is final."""
        self.init_tokens_ops = [opt.get_init_tokens_op() for opt in self.optimizers]
        self.queue_runners = [opt.get_chief_queue_runner() for opt in self.optimizers]


def step_arguments(
    global_step: Any,
    logdir: str | None,
    number_of_steps: int | None,
    log_every_n_steps: int,
    trace_every_n_steps: int | None,
) -> dict[str, Any]:
    """Makes what `train_step` takes as `train_step_kwargs`.

    Args:
        global_step: the variable that counts steps.
        logdir: the folder of traces.
        number_of_steps: the step to stop at; None for no end.
        log_every_n_steps: the interval of log lines in steps; 0 for none.
        trace_every_n_steps: the interval of traces in steps; None for none.

    Returns:
        {"should_stop": a bool scalar, "should_log": a bool scalar, ...}.
    """
    with name_scope("train_step"):
        arguments: dict[str, Any] = {}
        if number_of_steps:
            arguments["should_stop"] = build.GreaterEqual(global_step, number_of_steps)
        else:
            arguments["should_stop"] = constant(False)
        if log_every_n_steps > 0:
            arguments["should_log"] = build.Equal(build.FloorMod(global_step, log_every_n_steps), 0)
        if trace_every_n_steps is not None:
            arguments["should_trace"] = build.Equal(
                build.FloorMod(global_step, trace_every_n_steps), 0
            )
            arguments["logdir"] = logdir
        return arguments
