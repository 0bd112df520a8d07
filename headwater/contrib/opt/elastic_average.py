"""Elastic averaging: workers explore around a center that all of them pull."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.contrib.opt.worker_copies import (
    WorkerCopyGetter,
    WorkerCopyHook,
    apply_locally,
    count_up,
    every,
    make_local_step,
    updated_variables,
)
from headwater.graph import (
    Operation,
    Tensor,
    build,
    control_dependencies,
    group,
)
from headwater.graph.default_graph import colocate_with, device
from headwater.model.queues.queue_kinds import FIFOQueue
from headwater.model.variables.variable_lists import trainable_variables
from headwater.ops.array.constant import constant
from headwater.ops.control.identity import no_op
from headwater.ops.math.add_n import add_n
from headwater.ops.state.assign import assign, assign_add, assign_sub
from headwater.train.checkpoints.saver import Saver
from headwater.train.optimizers.optimizer import GradsAndVars, Optimizer

if TYPE_CHECKING:
    from headwater.model.variables.variable import Variable


@export("contrib.opt.ElasticAverageCustomGetter")
class ElasticAverageCustomGetter(WorkerCopyGetter):
    """Makes for each trainable variable a copy on the worker, a center and the last known center.

    Args:
        worker_device: the device of the worker.
    """

    def __init__(self, worker_device: str) -> None:
        super().__init__(worker_device)
        self._local_map: dict[Any, Any] = {}
        self._global_map: dict[Any, Any] = {}

    def _add_copies(
        self, local: Any, getter: Callable[..., Any], name: str, *args: Any, **kwargs: Any
    ) -> None:
        self._global_map[local] = self._global(getter, name, *args, **kwargs)
        copy = f"local_center_variable/{name}"
        self._local_map[local] = self._on_worker(getter, copy, False, *args, **kwargs)


@export("contrib.opt.ElasticAverageOptimizer")
class ElasticAverageOptimizer(Optimizer):
    """An optimizer of a worker that exchanges an elastic difference with a global center.

    The loss grows by rho times half the squared distance from the center. After each
    `communication_period` steps the worker moves by `moving_rate` times its distance to the
    center, and the center by as much towards the worker.
    Source: Zhang, Choromanska, LeCun, "Deep learning with Elastic Averaging SGD", 2015.

    Args:
        opt: the optimizer of the local steps, with a learning rate.
        num_worker: the number of workers.
        ea_custom_getter: the ElasticAverageCustomGetter that has made the variables.
        communication_period: the number of local steps between two exchanges.
        moving_rate: the part of the distance that is exchanged;
            None for 0.9 / communication_period / num_worker.
        rho: the weight of the distance; None for moving_rate / learning rate.
        use_locking: whether updates hold a lock.
        synchronous: whether the initializers of all workers wait for each other.
        name: the name scope of its ops.
    """

    # The product of moving rate, period and number of workers that the paper recommends.
    BETA = 0.9

    def __init__(
        self,
        opt: Any,
        num_worker: int,
        ea_custom_getter: ElasticAverageCustomGetter,
        communication_period: int = 10,
        moving_rate: float | None = None,
        rho: float | None = None,
        use_locking: bool = True,
        synchronous: bool = False,
        name: str = "ElasticAverageOptimizer",
    ) -> None:
        super().__init__(use_locking, name)
        self._opt = opt
        self._num_worker = num_worker
        self._period = communication_period
        self._local_map = ea_custom_getter._local_map
        self._global_map = ea_custom_getter._global_map
        self._synchronous = synchronous
        if moving_rate is None:
            moving_rate = self.BETA / communication_period / num_worker
        self._moving_rate = moving_rate
        self._rho = moving_rate / self._opt._learning_rate if rho is None else rho
        self._local_step = make_local_step()
        self._opt._prepare()

    def compute_gradients(
        self,
        loss: TensorLike,
        var_list: Iterable[Variable] | None = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: TensorLike | None = None,
    ) -> list[tuple[Any, Any]]:
        """The gradients of the loss and of the distance from the center.

        Args:
            loss: the tensor to minimize.
            var_list: the variables; all trainable ones if None.
            gate_gradients: as for `Optimizer.compute_gradients`.
            aggregation_method: as there.
            colocate_gradients_with_ops: as there.
            grad_loss: as there.

        Returns:
            Pairs (gradient or None, variable).
        """
        variables = list(var_list) if var_list else trainable_variables()
        differences = [build.Sub(v, self._local_map[v]) for v in variables]
        distance = self._rho * add_n([build.L2Loss(d) for d in differences])
        return self._opt.compute_gradients(
            loss + distance,
            variables,
            gate_gradients,
            aggregation_method,
            colocate_gradients_with_ops,
            grad_loss,
        )

    def apply_gradients(
        self,
        grads_and_vars: GradsAndVars,
        global_step: TensorLike | None = None,
        name: str | None = None,
    ) -> Any:
        """Makes a local step, and an exchange with the center if it is time.

        Args:
            grads_and_vars: pairs (gradient or None, variable).
            global_step: counts the exchanges.
            name: accepted as for other optimizers.

        Returns:
            A bool tensor: whether there was an exchange.

        Raises:
            ValueError: if no variable has a gradient.
        """
        pairs = list(grads_and_vars)
        step = apply_locally(self._opt, pairs)
        variables = updated_variables(pairs)
        with control_dependencies([step]), colocate_with(self._local_step):
            return every(
                self._local_step, self._period, lambda: self._exchange(variables, global_step)
            )

    def _exchange(self, variables: list[Any], global_step: TensorLike | None) -> Operation:
        refreshed = [
            assign(self._local_map[v], self._global_map[v].read_value()) for v in variables
        ]
        differences = []
        with control_dependencies(refreshed):
            for v, center in zip(variables, refreshed):
                with device(v.device):
                    differences.append(build.Sub(v.read_value(), center))
        updates: list[Any] = []
        with control_dependencies(refreshed):
            for v, difference in zip(variables, differences):
                with device(v.device):
                    updates.append(assign_sub(v, build.Mul(self._moving_rate, difference)))
            for v, difference in zip(variables, differences):
                center = self._global_map[v]
                with device(center.device):
                    updates.append(assign_add(center, build.Mul(self._moving_rate, difference)))
            updates.extend(count_up(global_step))
        return group(*updates)

    def get_init_op(self, task_index: int) -> Operation:
        """The op that gives a worker the values of the center.

        Args:
            task_index: the number of the worker.

        Returns:
            The op; with `synchronous` it waits for the other workers.
        """
        copies: list[Any] = []
        for v, center in self._global_map.items():
            with device(v.device):
                copies.append(assign(v, center.read_value()))
                copies.append(assign(self._local_map[v], center.read_value()))
        copied = group(*copies)
        return self._barrier(copied, task_index) if self._synchronous else copied

    def _barrier(self, done: Operation, task_index: int) -> Operation:
        """An op that ends when each worker has run its own `done`."""
        queues = [
            FIFOQueue(
                self._num_worker,
                [dtypes.bool_],
                shapes=[[]],
                shared_name=f"variable_init_sync_queue{i}",
            )
            for i in range(self._num_worker)
        ]
        with control_dependencies([done]):
            token = constant(False)
            arrivals: list[Any] = [
                no_op() if i == task_index else queue.enqueue(token)
                for i, queue in enumerate(queues)
            ]
        arrivals.append(queues[task_index].dequeue_many(len(queues) - 1))
        return group(*[a.op if isinstance(a, Tensor) else a for a in arrivals])

    def make_session_run_hook(self, is_chief: bool, task_index: int) -> WorkerCopyHook:
        """A hook that initializes the variables of a worker.

        Args:
            is_chief: whether this worker initializes the global variables.
            task_index: the number of the worker.

        Returns:
            The hook.
        """
        return WorkerCopyHook(lambda: self.get_init_op(task_index), is_chief)

    def swapping_saver(
        self,
        var_list: Sequence[Variable] | dict[str, Variable] | None = None,
        name: str = "swapping_saver",
        **kwargs: Any,
    ) -> Saver:
        """A Saver that writes the centers under the names of the variables.

        Args:
            var_list: the variables; all trainable ones if None.
            name: the name of the saver's ops.
            **kwargs: further arguments of Saver.

        Returns:
            The Saver.
        """
        if not isinstance(var_list, dict):
            found = trainable_variables() if var_list is None else var_list
            var_list = {v.op.name: v for v in found}
        centers = {key: self._global_map.get(v, v) for key, v in var_list.items()}
        return Saver(centers, name=name, **kwargs)
