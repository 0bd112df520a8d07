"""Accumulated gradients: workers send the mean gradient of several local steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.contrib.opt.worker_copies import (
    WorkerCopyGetter,
    WorkerCopyHook,
    apply_locally,
    count_up,
    every,
    global_values_copied,
    make_local_step,
    updated_variables,
)
from headwater.graph import Operation, build, control_dependencies, group
from headwater.graph.default_graph import colocate_with, device
from headwater.ops.array.fill import zeros_like
from headwater.ops.state.assign import assign, assign_add
from headwater.train.optimizers.optimizer import GradsAndVars, Optimizer


@export("contrib.opt.AGNCustomGetter")
class AGNCustomGetter(WorkerCopyGetter):
    """Makes for each trainable variable a copy on the worker, a global one and a sum of gradients.

    Args:
        worker_device: the device of the worker.
    """

    _local_variables_on_worker = False

    def __init__(self, worker_device: str) -> None:
        super().__init__(worker_device)
        self._global_map: dict[Any, Any] = {}
        self._grad_map: dict[Any, Any] = {}

    def _add_copies(
        self, local: Any, getter: Callable[..., Any], name: str, *args: Any, **kwargs: Any
    ) -> None:
        self._global_map[local] = self._global(getter, name, *args, **kwargs)
        total = f"grad_variable/{name}"
        self._grad_map[local] = self._on_worker(getter, total, False, *args, **kwargs)


@export("contrib.opt.AGNOptimizer")
class AGNOptimizer(Optimizer):
    """An optimizer of a worker that applies the mean gradient of its steps to global variables.

    Args:
        optimizer: the optimizer of the local steps and of the global ones.
        num_worker: the number of workers.
        custom_getter: the AGNCustomGetter that has made the variables.
        communication_period: the number of local steps between two global ones.
        use_locking: whether updates hold a lock.
        name: the name scope of its ops.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        num_worker: int,
        custom_getter: AGNCustomGetter,
        communication_period: int = 10,
        use_locking: bool = True,
        name: str = "AGNOptimizer",
    ) -> None:
        super().__init__(use_locking, name)
        self._opt: Any = optimizer
        self._num_worker = num_worker
        self._period = communication_period
        self._global_map = custom_getter._global_map
        self._grad_map = custom_getter._grad_map
        self._local_step = make_local_step()
        self._opt._prepare()

    def apply_gradients(
        self,
        grads_and_vars: GradsAndVars,
        global_step: TensorLike | None = None,
        name: str | None = None,
    ) -> Any:
        """Makes a local step, and a global one if it is time.

        Args:
            grads_and_vars: pairs (gradient or None, variable).
            global_step: counts the global steps.
            name: accepted as for other optimizers.

        Returns:
            A bool tensor: whether there was a global step.

        Raises:
            ValueError: if no variable has a gradient.
        """
        pairs = [(g, v) for g, v in grads_and_vars if g is not None]
        step = apply_locally(self._opt, pairs)
        variables = updated_variables(pairs)
        sums = []
        for gradient, v in pairs:
            with device(v.device):
                sums.append(assign_add(self._grad_map[v], gradient))
        with control_dependencies([step, *sums]), colocate_with(self._local_step):
            return every(
                self._local_step, self._period, lambda: self._global_update(variables, global_step)
            )

    def _global_update(self, variables: list[Any], global_step: TensorLike | None) -> Operation:
        means = [
            assign(self._grad_map[v], build.RealDiv(self._grad_map[v], float(self._period)))
            for v in variables
        ]
        with control_dependencies(means):
            centers = [self._global_map[v] for v in variables]
            applied = self._opt.apply_gradients(list(zip(map(build.Identity, means), centers)))
        with control_dependencies([applied]):
            updates = count_up(global_step)
            for v in variables:
                updates.append(assign(v, self._global_map[v].read_value()))
            updates.extend(self._cleared(variables))
        return group(*updates)

    def _cleared(self, variables: Any) -> list[Any]:
        return [assign(self._grad_map[v], zeros_like(self._grad_map[v])) for v in variables]

    def get_init_op(self, task_index: int) -> Operation:
        """The op that gives a worker the global values.

        Args:
            task_index: the number of the worker; has no effect.

        Returns:
            The op.
        """
        copies = global_values_copied(self._global_map, self._global_map)
        return group(*copies, *self._cleared(self._grad_map))

    def make_session_run_hook(self, is_chief: bool, task_index: int) -> WorkerCopyHook:
        """A hook that initializes the variables of a worker.

        Args:
            is_chief: whether this worker initializes the global variables.
            task_index: the number of the worker.

        Returns:
            The hook.
        """
        return WorkerCopyHook(lambda: self.get_init_op(task_index), is_chief)
