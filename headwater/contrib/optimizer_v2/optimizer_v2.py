"""The base of the optimizers: hyperparameters by name, and a state for each graph."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from headwater.base.dtypes import as_dtype
from headwater.base.typing import DTypeLike, InitializerLike, ShapeLike, TensorLike
from headwater.graph import (
    Graph,
    IndexedSlices,
    Operation,
    Tensor,
    control_dependencies,
    convert_to_tensor,
    export,
    get_default_graph,
    group,
    name_scope,
    replication,
)
from headwater.graph.execution_mode import init_scope
from headwater.ops.math.cast import cast
from headwater.train.optimizers.optimizer import GradsAndVars, Optimizer, deduplicated


class OptimizerV2State:
    """What the hooks of an optimizer use of one graph: hyperparameters, slots, variables.

    Args:
        optimizer: the optimizer.
        graph: the graph.
    """

    def __init__(self, optimizer: Optimizer, graph: Graph) -> None:
        self._optimizer = optimizer
        self._graph = graph
        self._hyper: dict[str, Tensor] = {}

    def set_hyper(self, values: dict[str, Any]) -> None:
        """Makes tensors of hyperparameters, in the present name scope."""
        for name in sorted(values):
            self._hyper[name] = convert_to_tensor(values[name], name=name)

    def get_hyper(self, name: str, dtype: DTypeLike | None = None) -> Tensor:
        """A hyperparameter.

        Args:
            name: its name.
            dtype: the type that it is cast to; its own if None.

        Returns:
            A scalar.
        """
        value = self._hyper[name]
        if dtype is None or as_dtype(dtype) == value.dtype:
            return value
        return cast(value, dtype)

    def create_slot(
        self, var: Any, val: Tensor, slot_name: str, optional_op_name: str | None = None
    ) -> Any:
        """A slot of a variable, which is made if there is none.

        Args:
            var: the variable.
            val: the initial value.
            slot_name: the name of the slot.
            optional_op_name: the last part of the variable's name; the optimizer's if None.

        Returns:
            A variable.
        """
        return self._optimizer._get_or_make_slot(var, val, slot_name, self._name(optional_op_name))

    def create_slot_with_initializer(
        self,
        var: Any,
        initializer: InitializerLike,
        shape: ShapeLike,
        dtype: DTypeLike,
        slot_name: str,
        optional_op_name: str | None = None,
    ) -> Any:
        """A slot of a variable with an initializer; see `create_slot`."""
        return self._optimizer._get_or_make_slot_with_initializer(
            var, initializer, shape, dtype, slot_name, self._name(optional_op_name)
        )

    def zeros_slot(self, var: Any, slot_name: str, optional_op_name: str | None = None) -> Any:
        """A slot of a variable that begins with zeros; see `create_slot`."""
        return self._optimizer._zeros_slot(var, slot_name, self._name(optional_op_name))

    def _name(self, optional_op_name: str | None) -> str:
        return self._optimizer.get_name() if optional_op_name is None else optional_op_name

    def get_slot(self, var: Any, name: str) -> Any:
        """A slot of a variable, or None."""
        return self._optimizer.get_slot(var, name)

    def get_slot_names(self) -> list[str]:
        """The names of the slots."""
        return self._optimizer.get_slot_names()

    def create_non_slot(self, initial_value: Any, name: str, colocate_with: Any = None) -> Any:
        """A variable that belongs to the optimizer, which is made if there is none.

        Args:
            initial_value: the initial value.
            name: the name.
            colocate_with: the variable whose device it has.

        Returns:
            A variable.
        """
        return self._optimizer._create_non_slot_variable(initial_value, name, colocate_with)

    def get_non_slot(self, name: str) -> Any:
        """A variable of `create_non_slot`, or None."""
        return self._optimizer._get_non_slot_variable(name, graph=self._graph)


@export("contrib.optimizer_v2.OptimizerV2")
class OptimizerV2(Optimizer):
    """The base of optimizers whose hooks get the state of the graph as their last argument.

    A subclass calls `_set_hyper` in its constructor, and implements `_apply_dense`, and
    `_create_vars`, `_prepare`, `_apply_sparse`, `_resource_apply_dense`, `_resource_apply_sparse`
    and `_finish` where it needs them.

    Args:
        use_locking: whether updates of one variable exclude each other.
        name: the name of the ops that apply gradients.

    Raises:
        ValueError: if the name is empty.
    """

    def __init__(self, use_locking: bool, name: str) -> None:
        super().__init__(use_locking, name)
        self._hyper: dict[str, Any] = {}
        self._states: dict[Graph, OptimizerV2State] = {}
        self._step = _Step(self)

    def _set_hyper(self, name: str, value: Any) -> None:
        """Sets a hyperparameter: a number, a tensor, or a function that is called in each step."""
        self._hyper[name] = value

    def minimize(  # type: ignore[override]
        self,
        loss: TensorLike,
        global_step: TensorLike | None = None,
        var_list: Iterable[Any] | None = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: int | None = None,
        name: str | None = None,
        grad_loss: TensorLike | None = None,
        stop_gradients: Any = None,
        scale_loss_by_num_replicas: bool = False,
    ) -> Operation:
        """Builds an op that takes one step towards a smaller loss.

        Args:
            loss: the tensor to minimize, or a function without arguments that returns it.
            global_step: a variable that is incremented after each step.
            var_list: the variables; None means all trainable ones.
            gate_gradients: GATE_NONE, GATE_OP or GATE_GRAPH: what waits for what.
            aggregation_method: how gradients are added, see `tf.AggregationMethod`.
            name: the name of the op.
            grad_loss: the gradient of the loss; None means ones.
            stop_gradients: tensors that gradients do not go through.
            scale_loss_by_num_replicas: whether the loss is divided by the number of replicas.

        Returns:
            An Operation.

        Raises:
            ValueError: if no variable has a gradient.
        """
        pairs = self.compute_gradients(
            loss,
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            grad_loss=grad_loss,
            stop_gradients=stop_gradients,
            scale_loss_by_num_replicas=scale_loss_by_num_replicas,
        )
        if all(grad is None for grad, _ in pairs):
            raise ValueError(
                "No gradients provided for any variable, check your graph for ops that do not "
                f"support gradients, between variables {[str(v) for _, v in pairs]} and loss "
                f"{loss}."
            )
        return self.apply_gradients(pairs, global_step=global_step, name=name)

    def compute_gradients(  # type: ignore[override]
        self,
        loss: TensorLike,
        var_list: Iterable[Any] | None = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: int | None = None,
        grad_loss: TensorLike | None = None,
        stop_gradients: Any = None,
        scale_loss_by_num_replicas: bool = False,
    ) -> list[tuple[Any, Any]]:
        """Builds the gradients of a loss; the first half of `minimize`, with its arguments.

        Returns:
            A list of (gradient or None, variable).
        """
        if scale_loss_by_num_replicas:
            loss = self._scale_loss(loss() if callable(loss) else loss)
        return self._gradients_of(
            loss,
            var_list,
            gate_gradients,
            grad_ys=grad_loss,
            aggregation_method=aggregation_method,
            stop_gradients=stop_gradients,
        )

    @staticmethod
    def _scale_loss(loss_value: TensorLike) -> TensorLike:
        mode = replication.replicating()
        replicas = 1 if mode is None else mode.strategy.num_replicas_in_sync
        return loss_value * (1.0 / replicas) if replicas > 1 else loss_value

    def apply_gradients(
        self,
        grads_and_vars: GradsAndVars,
        global_step: TensorLike | None = None,
        name: str | None = None,
    ) -> Operation:
        """Builds an op that applies gradients; the second half of `minimize`.

        Args:
            grads_and_vars: pairs (gradient or None, variable).
            global_step: a variable that is incremented after the updates.
            name: the name of the op.

        Returns:
            The op.

        Raises:
            ValueError: if no variable has a gradient.
        """
        return self._step.apply_gradients(grads_and_vars, global_step=global_step, name=name)

    def _get_or_create_state(self, var_list: list[Any] | None = None) -> OptimizerV2State:
        graph = get_default_graph() if not var_list else var_list[0].graph
        if graph not in self._states:
            state = self._states[graph] = OptimizerV2State(self, graph)
            fixed = {name: x for name, x in self._hyper.items() if not callable(x)}
            scope = get_default_graph().get_name_scope()
            with init_scope(), name_scope(f"{scope}/" if scope else f"{self._name}/"):
                state.set_hyper(fixed)
        return self._states[graph]

    def _get_per_graph_state(self) -> OptimizerV2State | None:
        return self._states.get(get_default_graph())

    # For subclasses to override

    def _create_vars(self, var_list: list[Any], state: OptimizerV2State) -> None:
        """Makes slots and other variables."""

    def _prepare(self, state: OptimizerV2State) -> None:  # type: ignore[override]
        """Is called before the updates."""

    def _apply_dense(self, grad: Tensor, var: Any, state: OptimizerV2State) -> Any:  # type: ignore[override]
        raise NotImplementedError

    def _resource_apply_dense(self, grad: Tensor, handle: Any, state: OptimizerV2State) -> Any:  # type: ignore[override]
        raise NotImplementedError

    def _resource_apply_sparse_duplicate_indices(  # type: ignore[override]
        self, grad: Tensor, handle: Any, indices: Tensor, state: OptimizerV2State
    ) -> Any:
        values, unique = deduplicated(grad, indices)
        return self._resource_apply_sparse(values, handle, unique, state)

    def _resource_apply_sparse(  # type: ignore[override]
        self, grad: Tensor, handle: Any, indices: Tensor, state: OptimizerV2State
    ) -> Any:
        raise NotImplementedError

    def _apply_sparse_duplicate_indices(  # type: ignore[override]
        self, grad: IndexedSlices, var: Any, state: OptimizerV2State
    ) -> Any:
        values, indices = deduplicated(grad.values, grad.indices)
        return self._apply_sparse(IndexedSlices(values, indices, grad.dense_shape), var, state)

    def _apply_sparse(self, grad: IndexedSlices, var: Any, state: OptimizerV2State) -> Any:  # type: ignore[override]
        raise NotImplementedError

    def _finish(self, state: OptimizerV2State) -> Any:  # type: ignore[override]
        """Returns an op that runs after the updates, or None."""
        return None


class _Step(Optimizer):
    """The hooks that `Optimizer` calls, as calls of an OptimizerV2's with its state.

    Args:
        owner: the OptimizerV2.
    """

    def __init__(self, owner: OptimizerV2) -> None:
        super().__init__(owner._use_locking, owner._name)
        self._owner = owner
        self._variables: list[Any] = []
        self._state: Any = None

    def _create_slots(self, var_list: list[Any]) -> None:
        # Hyperparameters stand inside the scope of the step: see `_prepare`.
        self._variables = var_list

    def _prepare(self) -> None:
        owner = self._owner
        self._state = owner._get_or_create_state(self._variables)
        called = {name: x() for name, x in owner._hyper.items() if callable(x)}
        self._state.set_hyper(called)
        with init_scope(), name_scope(None):
            owner._create_vars(self._variables, self._state)
        owner._prepare(self._state)

    def _apply_dense(self, grad: Tensor, var: Any) -> Any:
        return self._owner._apply_dense(grad, var, self._state)

    def _resource_apply_dense(self, grad: Tensor, handle: Any) -> Any:
        return self._owner._resource_apply_dense(grad, handle, self._state)

    def _apply_sparse_duplicate_indices(self, grad: IndexedSlices, var: Any) -> Any:
        return self._owner._apply_sparse_duplicate_indices(grad, var, self._state)

    def _resource_apply_sparse_duplicate_indices(
        self, grad: Tensor, handle: Any, indices: Tensor
    ) -> Any:
        return self._owner._resource_apply_sparse_duplicate_indices(
            grad, handle, indices, self._state
        )

    def _finish(self, update_ops: list[Any], name_scope: str) -> Operation:
        updates = group(*update_ops)
        with control_dependencies([updates]):
            last = self._owner._finish(self._state)
        return (
            group(updates, name=name_scope)
            if last is None
            else group(updates, last, name=name_scope)
        )
