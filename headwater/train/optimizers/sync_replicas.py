"""Synchronous training: workers add up gradients, one of them applies the mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base import logging
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph import (
    Operation,
    Tensor,
    control_dependencies,
    group,
    name_scope,
)
from headwater.graph.default_graph import colocate_with, device
from headwater.graph.graph_keys import GraphKeys
from headwater.model.queues.accumulators import (
    ConditionalAccumulator,
    SparseConditionalAccumulator,
)
from headwater.model.queues.queue_kinds import FIFOQueue
from headwater.model.variables.variable import Variable
from headwater.model.variables.variable_lists import (
    global_variables,
    report_uninitialized_variables,
)
from headwater.ops.array.fill import fill
from headwater.ops.control.identity import no_op
from headwater.ops.state.assign import assign
from headwater.train.hooks.session_run_hook import SessionRunHook
from headwater.train.optimizers.optimizer import GradsAndVars, Optimizer
from headwater.train.queue_runner import QueueRunner


@export("train.SyncReplicasOptimizer", "train.SyncReplicasOptimizerV2")
class SyncReplicasOptimizer(Optimizer):
    """Applies the mean of the gradients of several workers with another optimizer.

    The workers put their gradients into accumulators, one per variable, which drop those that
    are late. When there are enough, the queue runner of the chief applies the means, counts the
    global step up and puts a token for each worker into a queue. A worker's training op waits for
    its token, which tells the step that it goes on with.

    Args:
        opt: the optimizer that applies the means.
        replicas_to_aggregate: how many gradients make a step.
        total_num_replicas: how many workers there are; None for as many as gradients.
        variable_averages: an ExponentialMovingAverage that is updated in each step, or None.
        variables_to_average: the variables that it averages.
        use_locking: whether updates of one variable exclude each other.
        name: the name scope of the accumulators.
        replica_id: accepted because releases before 0.12 have it.

    Those releases had `variable_averages` and `variables_to_average` in third and fourth place;
    types decide which is meant.
    """

    def __init__(
        self,
        opt: Optimizer,
        replicas_to_aggregate: int,
        total_num_replicas: int | None = None,
        variable_averages: Any = None,
        variables_to_average: Sequence[TensorLike] | None = None,
        use_locking: bool = False,
        name: str = "sync_replicas",
        replica_id: int | None = None,
    ) -> None:
        if hasattr(total_num_replicas, "apply"):
            # opt, replicas_to_aggregate, variable_averages, variables_to_average, replica_id,
            # total_num_replicas
            averages, averaged, total = total_num_replicas, variable_averages, use_locking
            variable_averages, variables_to_average = averages, averaged
            total_num_replicas, use_locking = int(total), False
        total_num_replicas = total_num_replicas or replicas_to_aggregate
        super().__init__(use_locking, name)
        logging.info(
            "SyncReplicasV2: replicas_to_aggregate=%s; total_num_replicas=%s",
            replicas_to_aggregate,
            total_num_replicas,
        )
        self._opt = opt
        self._replicas_to_aggregate = replicas_to_aggregate
        self._total_num_replicas = total_num_replicas
        self._tokens_per_step = max(total_num_replicas, replicas_to_aggregate)
        self._variable_averages = variable_averages
        self._variables_to_average = variables_to_average
        self._gradients_applied = False
        self._global_step: Any = None
        self._local_step: Any = None
        self._sync_token_queue: Any = None
        self._chief_queue_runner: QueueRunner | None = None
        self.local_step_init_op: Any = None
        self.ready_for_local_init_op: Tensor | Operation | None = None
        self.chief_init_op: Any = None

    def compute_gradients(self, *args: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        """The gradients of one worker; see `Optimizer.compute_gradients`."""
        return self._opt.compute_gradients(*args, **kwargs)

    def apply_gradients(
        self,
        grads_and_vars: GradsAndVars,
        global_step: TensorLike | None = None,
        name: str | None = None,
    ) -> Any:
        """Makes the op with which a worker submits its gradients and waits for the others.

        Args:
            grads_and_vars: pairs of gradient and variable.
            global_step: the variable that counts the steps.
            name: accepted as for other optimizers; the ops have names of their own.

        Returns:
            The training op of a worker.

        Raises:
            ValueError: if there is nothing to update, or no global step.
        """
        if not grads_and_vars:
            raise ValueError("Must supply at least one variable")
        if global_step is None:
            raise ValueError("Global step is required to check staleness")
        self._global_step = global_step
        # The local step of a worker is on its own device.
        with colocate_with(no_op()):
            self._local_step = Variable(
                initial_value=0,
                trainable=False,
                collections=[GraphKeys.LOCAL_VARIABLES],
                dtype=global_step.dtype.base_dtype,
                name="sync_rep_local_step",
            )
        self.local_step_init_op = assign(self._local_step, global_step)
        self.ready_for_local_init_op = report_uninitialized_variables(global_variables())
        with name_scope(None, self._name):
            accumulators, applied, means = self._accumulate(grads_and_vars)
            with device(global_step.device), name_scope(""):
                train_op = self._synchronize(applied, means)
            init_ops = [self.local_step_init_op]
            for accumulator, place in accumulators:
                with device(place):
                    init_ops.append(accumulator.set_global_step(global_step, name="SetGlobalStep"))
            self.chief_init_op = group(*init_ops)
        self._gradients_applied = True
        return train_op

    def _accumulate(
        self, grads_and_vars: GradsAndVars
    ) -> tuple[list[Any], list[Operation], list[Any]]:
        """An accumulator for each gradient.

        Returns:
            The accumulators with their devices, the ops that hand the gradients over, and pairs
            of mean and variable.
        """
        accumulators: list[Any] = []
        applied: list[Operation] = []
        means: list[Any] = []
        for grad, var in grads_and_vars:
            with device(var.device):
                mean = None
                if grad is not None:
                    shared_name = f"{var.name}/grad_accum"
                    accumulator: Any
                    if isinstance(grad, Tensor):
                        accumulator = ConditionalAccumulator(
                            grad.dtype, shape=var.get_shape(), shared_name=shared_name
                        )
                        applied.append(accumulator.apply_grad(grad, local_step=self._local_step))
                        mean = accumulator.take_grad(self._replicas_to_aggregate)
                    else:
                        accumulator = SparseConditionalAccumulator(
                            grad.dtype, shape=(), shared_name=shared_name
                        )
                        applied.append(
                            accumulator.apply_indexed_slices_grad(grad, local_step=self._local_step)
                        )
                        mean = accumulator.take_indexed_slices_grad(self._replicas_to_aggregate)
                    accumulators.append((accumulator, var.device))
                means.append((mean, var))
        return accumulators, applied, means

    def _synchronize(self, applied: list[Operation], means: list[Any]) -> Tensor:
        """The ops that apply the means and release the workers."""
        step = self._global_step
        update_op = self._opt.apply_gradients(means, step)
        tokens = self._sync_token_queue = FIFOQueue(
            -1, step.dtype.base_dtype, shapes=(), name="sync_token_q", shared_name="sync_token_q"
        )
        # A queue for the queue runner alone: closing the token queue would starve the workers.
        dummy = FIFOQueue(
            1, step.dtype.base_dtype, shapes=(), name="dummy_queue", shared_name="dummy_queue"
        )
        with control_dependencies(applied):
            token = tokens.dequeue()
        train_op = assign(self._local_step, token)
        with control_dependencies([update_op]):
            sync_op = tokens.enqueue_many((fill([self._tokens_per_step], step),))
        if self._variable_averages is not None:
            with control_dependencies([sync_op]), name_scope(""):
                sync_op = self._variable_averages.apply(self._variables_to_average)
        self._chief_queue_runner = QueueRunner(dummy, [sync_op])
        return train_op

    def get_chief_queue_runner(self) -> QueueRunner:
        """The queue runner that applies the means; the chief starts it.

        Raises:
            ValueError: if no gradients have been applied yet.
        """
        if not self._gradients_applied or self._chief_queue_runner is None:
            raise ValueError("Should be called after apply_gradients().")
        return self._chief_queue_runner

    def get_init_tokens_op(self, num_tokens: int = -1) -> Operation:
        """Makes the op that puts tokens for the first step into the queue; the chief runs it.

        Args:
            num_tokens: how many; -1 for as many as gradients make a step.

        Returns:
            An Operation.

        Raises:
            ValueError: if no gradients have been applied yet, or these are too few.
        """
        if not self._gradients_applied:
            raise ValueError("get_init_tokens_op() should be called after apply_gradients().")
        needed = self._replicas_to_aggregate - self._total_num_replicas
        if num_tokens == -1:
            num_tokens = self._replicas_to_aggregate
        elif num_tokens < needed:
            raise ValueError(
                f"Too few tokens to finish the first step: {num_tokens} (given) vs {needed} "
                "(needed)"
            )
        if num_tokens <= 0:
            return no_op(name="no_init_tokens")
        with device(self._global_step.device), name_scope(""):
            tokens = fill([num_tokens], self._global_step)
            return self._sync_token_queue.enqueue_many((tokens,))

    def get_clean_up_op(self) -> Operation:
        """Makes the op that releases all waiting workers, as in releases before 1.0.

        Raises:
            ValueError: if no gradients have been applied yet.
        """
        if not self._gradients_applied:
            raise ValueError("get_clean_up_op() should be called after apply_gradients().")
        return self._sync_token_queue.close(cancel_pending_enqueues=True)

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """A slot of the optimizer that applies the means."""
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> list[str]:
        """The names of the slots of the optimizer that applies the means."""
        return self._opt.get_slot_names(*args, **kwargs)

    def variables(self) -> list[Any]:
        """The variables of the optimizer that applies the means."""
        return self._opt.variables()

    def make_session_run_hook(self, is_chief: bool, num_tokens: int = -1) -> SessionRunHook:
        """Makes the hook that a monitored session needs for this optimizer.

        Args:
            is_chief: whether this worker is the chief.
            num_tokens: as for `get_init_tokens_op`.

        Returns:
            A SessionRunHook.
        """
        return _SyncReplicasOptimizerHook(self, is_chief, num_tokens)


class _SyncReplicasOptimizerHook(SessionRunHook):
    """Initializes the steps and, for the chief, starts the queue runner."""

    def __init__(self, sync_optimizer: SyncReplicasOptimizer, is_chief: bool, num_tokens: int):
        self._sync_optimizer = sync_optimizer
        self._is_chief = is_chief
        self._num_tokens = num_tokens

    def begin(self) -> None:
        """Looks up the ops."""
        opt = self._sync_optimizer
        if not opt._gradients_applied:
            raise ValueError(
                "SyncReplicasOptimizer.apply_gradient should be called before using the hook."
            )
        self._local_init_op = opt.chief_init_op if self._is_chief else opt.local_step_init_op
        self._ready_for_local_init_op = opt.ready_for_local_init_op
        self._q_runner = opt.get_chief_queue_runner() if self._is_chief else None
        self._init_tokens_op = opt.get_init_tokens_op(self._num_tokens) if self._is_chief else None

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Runs them."""
        missing = session.run(self._ready_for_local_init_op)
        if missing.size:
            names = ", ".join(name.decode() for name in missing.tolist())
            raise RuntimeError(
                "Init operations did not make model ready for SyncReplicasOptimizer local_init. "
                f"Init op: {self._local_init_op.name}, error: Variables not initialized: {names}"
            )
        session.run(self._local_init_op)
        if self._init_tokens_op is not None:
            session.run(self._init_tokens_op)
        if self._q_runner is not None:
            self._q_runner.create_threads(session, coord=coord, daemon=True, start=True)
