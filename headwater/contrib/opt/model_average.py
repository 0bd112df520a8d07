"""Model averaging: workers replace their variables by the mean of all workers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.contrib.opt.worker_copies import (
    GLOBAL_CENTER,
    WorkerCopyGetter,
    WorkerCopyHook,
    every,
    global_values_copied,
    make_local_step,
    updated_variables,
)
from headwater.graph import Operation, Tensor, build, control_dependencies, group, name_scope
from headwater.graph.default_graph import colocate_with, device
from headwater.model.queues.accumulators import ConditionalAccumulator
from headwater.model.queues.queue_kinds import FIFOQueue
from headwater.model.variables.variable import Variable
from headwater.ops.array.fill import fill
from headwater.ops.state.assign import assign, assign_add
from headwater.train.optimizers.optimizer import GradsAndVars, Optimizer


@export("contrib.opt.ModelAverageCustomGetter")
class ModelAverageCustomGetter(WorkerCopyGetter):
    """Makes for each trainable variable a copy on the worker and a global one.

    Args:
        worker_device: the device of the worker.
    """

    def __init__(self, worker_device: str) -> None:
        super().__init__(worker_device)
        self._local_2_global: dict[Any, Any] = {}

    def _add_copies(
        self, local: Any, getter: Callable[..., Any], name: str, *args: Any, **kwargs: Any
    ) -> None:
        self._local_2_global[local] = Variable(
            local.initialized_value(), trainable=False, name=f"{GLOBAL_CENTER}/{name}"
        )


class ModelAverageHook(WorkerCopyHook):
    """Makes the initializers of one worker, for the caller to run."""

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Runs nothing: local and global variables start from the same values."""


@export("contrib.opt.ModelAverageOptimizer")
class ModelAverageOptimizer(Optimizer):
    """An optimizer of a worker that takes over the mean of all workers every few steps.

    The chief waits for all workers, stores the means, and releases the others by tokens.

    Args:
        opt: the optimizer of the local steps.
        num_worker: the number of workers.
        is_chief: whether this worker is the one that stores the means.
        ma_custom_getter: the ModelAverageCustomGetter that has made the variables.
        interval_steps: the number of local steps between two averagings.
        use_locking: whether updates hold a lock.
        name: the name scope of its ops.
    """

    def __init__(
        self,
        opt: Optimizer,
        num_worker: int,
        is_chief: bool,
        ma_custom_getter: ModelAverageCustomGetter,
        interval_steps: int = 100,
        use_locking: bool = True,
        name: str = "ModelAverageOptimizer",
    ) -> None:
        super().__init__(use_locking, name)
        self._opt: Any = opt
        self._num_worker = num_worker
        self._is_chief = is_chief
        self._local_2_global = ma_custom_getter._local_2_global
        self._interval_steps = interval_steps
        self._chief_init_op: Operation | None = None
        self._local_step = make_local_step()
        self._opt._prepare()

    def compute_gradients(self, *args: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        """The gradients of the inner optimizer; see `Optimizer.compute_gradients`."""
        return self._opt.compute_gradients(*args, **kwargs)

    def apply_gradients(
        self,
        grads_and_vars: GradsAndVars,
        global_step: TensorLike | None = None,
        name: str | None = None,
    ) -> Any:
        """Makes a local step, and averages with the other workers if it is time.

        Args:
            grads_and_vars: pairs (gradient or None, variable).
            global_step: counts the averagings.
            name: accepted as for other optimizers.

        Returns:
            A bool tensor: whether there was an averaging.

        Raises:
            ValueError: if no variable has a gradient, or there is no global step.
        """
        if not grads_and_vars:
            raise ValueError("Must supply at least one variable")
        if global_step is None:
            raise ValueError("Global step is required")
        pairs = list(grads_and_vars)
        step = self._opt.apply_gradients(pairs)
        variables = updated_variables(pairs)
        accumulators: list[tuple[ConditionalAccumulator, str]] = []
        with control_dependencies([step]), colocate_with(self._local_step):
            result = every(
                self._local_step,
                self._interval_steps,
                lambda: self._average(variables, global_step, accumulators),
            )
        resets = []
        for accumulator, place in accumulators:
            with device(place):
                resets.append(accumulator.set_global_step(global_step, name="SetGlobalStep"))
        self._chief_init_op = group(*resets)
        return result

    def _average(
        self,
        variables: list[Any],
        global_step: TensorLike,
        accumulators: list[tuple[ConditionalAccumulator, str]],
    ) -> Operation:
        tokens = FIFOQueue(-1, [dtypes.bool_], shapes=[[]], shared_name="sync_queue")
        applied: list[Any] = []
        means = []
        with name_scope(self._name + "/global"):
            for v in variables:
                center = self._local_2_global[v]
                with device(center.device):
                    accumulator = ConditionalAccumulator(
                        v.dtype.base_dtype,
                        shape=v.get_shape(),
                        shared_name=center.name + "/var_accum",
                    )
                    accumulators.append((accumulator, center.device))
                    applied.append(accumulator.apply_grad(v.read_value(), global_step))
                    means.append(accumulator.take_grad(self._num_worker))
        with control_dependencies(applied):
            released = (
                self._stored(variables, means, global_step, tokens)
                if self._is_chief
                else tokens.dequeue()
            )
        with control_dependencies([released]):
            return group(*global_values_copied(variables, self._local_2_global))

    def _stored(
        self, variables: list[Any], means: list[Tensor], global_step: TensorLike, tokens: FIFOQueue
    ) -> Operation:
        """Stores the means, then puts a token for each other worker into the queue."""
        updates: list[Any] = []
        for v, mean in zip(variables, means):
            with device(self._local_2_global[v].device):
                updates.append(assign(self._local_2_global[v], mean))
        updates.append(assign_add(global_step, 1))
        with control_dependencies(updates):
            return tokens.enqueue_many(fill([self._num_worker - 1], build.Identity(False)))

    def get_init_op(self) -> Operation:
        """The op that gives the worker the global values."""
        return group(*global_values_copied(self._local_2_global, self._local_2_global))

    def make_session_run_hook(self) -> ModelAverageHook:
        """A hook that makes the initializers of this worker."""
        return ModelAverageHook(self.get_init_op, self._is_chief)
