"""What optimizers share whose workers train copies of their own between synchronizations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headwater.base.typing import TensorLike
from headwater.graph import Operation, Tensor, build, control_dependencies, get_default_graph
from headwater.graph.default_graph import device
from headwater.graph.graph_keys import GraphKeys
from headwater.model.variables.variable import Variable
from headwater.model.variables.variable_lists import (
    global_variables,
    global_variables_initializer,
    local_variables_initializer,
)
from headwater.ops.control.cond import cond
from headwater.ops.control.identity import no_op
from headwater.ops.state.assign import assign, assign_add
from headwater.train.hooks.session_run_hook import SessionRunHook
from headwater.train.optimizers.optimizer import GradsAndVars, Optimizer

if TYPE_CHECKING:
    from headwater.session.session import Session
    from headwater.train.coordinator import Coordinator

GLOBAL_CENTER = "global_center_variable"


class WorkerCopyGetter:
    """A custom getter that puts each trainable variable on the worker, as a local variable.

    Args:
        worker_device: the device of the worker.
    """

    # Whether local variables that are not trained are on the worker as well.
    _local_variables_on_worker = True

    def __init__(self, worker_device: str) -> None:
        self._worker_device = worker_device

    def __call__(
        self,
        getter: Callable[..., Any],
        name: str,
        trainable: bool | None,
        collections: Sequence[str] | None,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        """Makes the variable, and its further copies if it is trained.

        Args:
            getter: the function that makes a variable.
            name: the name of the variable.
            trainable: whether it is trained; None counts as yes.
            collections: its collections; those of a trained variable are replaced.
            *args: handed on to `getter`.
            **kwargs: handed on to `getter`.

        Returns:
            The variable that the worker trains.
        """
        if trainable is None or trainable:
            local = self._on_worker(getter, name, True, *args, **kwargs)
            self._add_copies(local, getter, name, *args, **kwargs)
            return local
        options = {"trainable": False, "collections": collections}
        if self._local_variables_on_worker and GraphKeys.LOCAL_VARIABLES in (collections or ()):
            with device(self._worker_device):
                return getter(name, *args, **options, **kwargs)
        return getter(name, *args, **options, **kwargs)

    def _add_copies(
        self, local: Any, getter: Callable[..., Any], name: str, *args: Any, **kwargs: Any
    ) -> None:
        """Makes the further copies of a variable that is trained."""
        raise NotImplementedError

    def _on_worker(
        self, getter: Callable[..., Any], name: str, trainable: bool, *args: Any, **kwargs: Any
    ) -> Any:
        with device(self._worker_device):
            return getter(
                name,
                *args,
                trainable=trainable,
                collections=[GraphKeys.LOCAL_VARIABLES],
                **kwargs,
            )

    @staticmethod
    def _global(getter: Callable[..., Any], name: str, *args: Any, **kwargs: Any) -> Any:
        return getter(
            f"{GLOBAL_CENTER}/{name}",
            *args,
            trainable=False,
            collections=[GraphKeys.GLOBAL_VARIABLES],
            **kwargs,
        )


class WorkerCopyHook(SessionRunHook):
    """Makes the initializers of one worker, and gives it the values of all workers at the start.

    Args:
        make_init_op: builds the op that copies the global values.
        is_chief: whether this worker initializes the global variables.
    """

    def __init__(self, make_init_op: Callable[[], Operation], is_chief: bool) -> None:
        self._make_init_op = make_init_op
        self._is_chief = is_chief
        self._local_init_op: Operation | None = None
        self._global_init_op: Operation | None = None
        self._variable_init_op: Operation | None = None

    def begin(self) -> None:
        """Makes the initializers."""
        self._local_init_op = local_variables_initializer()
        self._global_init_op = global_variables_initializer() if self._is_chief else None
        self._variable_init_op = self._make_init_op()

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        """Copies the global values to the worker.

        Args:
            session: the session.
            coord: the Coordinator of its threads.
        """
        session.run(self._variable_init_op)


def make_local_step() -> Variable:
    """The variable that counts the steps of one worker."""
    return Variable(0, trainable=False, collections=[GraphKeys.LOCAL_VARIABLES], name="local_step")


def every(local_step: Any, period: int, synchronize: Callable[[], Operation]) -> Tensor:
    """Counts a step, and synchronizes after each `period` steps.

    Args:
        local_step: the variable that counts.
        period: the number of steps between two synchronizations.
        synchronize: builds the op of one synchronization.

    Returns:
        A bool tensor, the result of the branch.
    """
    step = assign_add(local_step, 1, name="local_step_update")
    with control_dependencies([step]):
        remainder = build.FloorMod(build.Identity(step), period)
        return cond(build.Equal(remainder, 0), synchronize, no_op)


def apply_locally(optimizer: Optimizer, grads_and_vars: GradsAndVars) -> Operation:
    """Applies gradients; the variables that the optimizer makes are local.

    Args:
        optimizer: the optimizer of the worker.
        grads_and_vars: pairs (gradient or None, variable).

    Returns:
        The op.
    """
    before = set(global_variables())
    step = optimizer.apply_gradients(grads_and_vars)
    graph = get_default_graph()
    collection = graph.get_collection_ref(GraphKeys.GLOBAL_VARIABLES)
    for variable in [v for v in collection if v not in before]:
        graph.add_to_collection(GraphKeys.LOCAL_VARIABLES, variable)
    collection[:] = [v for v in collection if v in before]
    return step


def updated_variables(grads_and_vars: GradsAndVars) -> list[Any]:
    """The variables that have gradients.

    Raises:
        ValueError: if there are none.
    """
    pairs = list(grads_and_vars)
    if not pairs:
        raise ValueError("No variables provided.")
    found = [variable for gradient, variable in pairs if gradient is not None]
    if not found:
        raise ValueError(f"No gradients provided for any variable: {[str(v) for _, v in pairs]}.")
    return found


def global_values_copied(copies: Iterable[Any], centers: Mapping[Any, Any]) -> list[Any]:
    """The ops that give the copies of a worker the global values.

    Args:
        copies: the variables of the worker.
        centers: the global variable of each.
    """
    assigned = []
    for v in copies:
        with device(v.device):
            assigned.append(assign(v, centers[v].read_value()))
    return assigned


def count_up(global_step: TensorLike | None) -> list[Any]:
    """The op that adds 1 to a global step, if there is one."""
    return [] if global_step is None else [assign_add(global_step, 1)]
