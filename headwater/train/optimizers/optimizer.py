"""The base of all optimizers: gradients, slots, and the order in which updates are applied."""

from __future__ import annotations

from collections.abc import Iterable, KeysView, ValuesView
from typing import TYPE_CHECKING, Any, TypeAlias

from headwater.base import dtypes
from headwater.base.dtypes import DType
from headwater.base.export import export
from headwater.base.typing import DTypeLike, InitializerLike, NestedTensors, ShapeLike, TensorLike
from headwater.graph import (
    Graph,
    IndexedSlices,
    Operation,
    Tensor,
    build,
    control_dependencies,
    convert_to_tensor,
    get_default_graph,
    gradients,
    group,
    name_scope,
    replication,
    shape_tensor,
    tuple_,
)
from headwater.graph.execution_mode import init_scope
from headwater.graph.graph_keys import GraphKeys
from headwater.graph.indexed_slices import convert_to_tensor_or_indexed_slices
from headwater.model.trackable.base import TrackableReference
from headwater.model.trackable.restoration import CheckpointPosition
from headwater.model.variables.resource_variable import is_resource_variable
from headwater.model.variables.variable import Variable
from headwater.model.variables.variable_lists import trainable_variables
from headwater.ops.array.getitem import getitem
from headwater.ops.math.cast import cast
from headwater.train.optimizers import replicated_updates
from headwater.train.optimizers.slot_creator import (
    create_slot,
    create_slot_with_initializer,
    create_zeros_slot,
)
from headwater.train.optimizers.update_hooks import UpdateHooks

if TYPE_CHECKING:
    from headwater.model.variables.resource_variable import UnreadVariable


# The pairs of `compute_gradients`: None for a variable that the loss does not depend on.
GradsAndVars: TypeAlias = Iterable[tuple[Tensor | IndexedSlices | None, Any]]


@export("train.Optimizer")
class Optimizer(UpdateHooks):
    """Computes gradients and applies them to variables; subclasses define the update.

    A subclass implements `_apply_dense`, and `_create_slots`, `_prepare`, `_apply_sparse`,
    `_resource_apply_dense`, `_resource_apply_sparse` and `_finish` where it needs them.

    Args:
        use_locking: whether updates of one variable exclude each other.
        name: the name of the ops that apply gradients.

    Raises:
        ValueError: if the name is empty.
    """

    GATE_NONE = 0
    GATE_OP = 1
    GATE_GRAPH = 2

    def __init__(self, use_locking: bool, name: str) -> None:
        if not name:
            raise ValueError("Must specify the optimizer name")
        self._use_locking = use_locking
        self._name = name
        # slot name -> variable key -> slot
        self._slots: dict[str, dict[Any, Any]] = {}
        self._non_slot_dict: dict[tuple[str, Any], Any] = {}
        # slot name -> variable key -> what checkpoints have for a slot that is not made yet
        self._deferred_slot_restorations: dict[str, dict[Any, list[CheckpointPosition]]] = {}

    def get_name(self) -> str:
        """The name of the optimizer."""
        return self._name

    def minimize(
        self,
        loss: TensorLike,
        global_step: TensorLike | None = None,
        var_list: Iterable[Variable] | None = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: TensorLike | None = None,
    ) -> Operation:
        """Builds an op that takes one step towards a smaller loss.

        Args:
            loss: the tensor to minimize.
            global_step: a variable that is incremented after each step.
            var_list: the variables; None means all trainable ones.
            gate_gradients: GATE_NONE, GATE_OP or GATE_GRAPH: what waits for what.
            aggregation_method: how gradients are added, see `tf.AggregationMethod`.
            colocate_gradients_with_ops: places each gradient with its op.
            name: the name of the op.
            grad_loss: the gradient of the loss; None means ones.

        Returns:
            An Operation (or, with a `global_step`, the op that increments it).

        Raises:
            ValueError: if no variable has a gradient.
        """
        pairs = self.compute_gradients(
            loss,
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            grad_loss=grad_loss,
        )
        if all(grad is None for grad, _ in pairs):
            raise ValueError(
                "No gradients provided for any variable, check your graph for ops that do not "
                f"support gradients, between variables {[str(v) for _, v in pairs]} and loss "
                f"{loss}."
            )
        return self.apply_gradients(pairs, global_step=global_step, name=name)

    def compute_gradients(
        self,
        loss: TensorLike,
        var_list: Iterable[Variable] | None = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: TensorLike | None = None,
    ) -> list[tuple[Any, Any]]:
        """Builds the gradients of a loss; the first half of `minimize`.

        Args:
            loss: the tensor to minimize, or a function without arguments that returns it.
            var_list: the variables; None means all trainable ones.
            gate_gradients: GATE_NONE, GATE_OP or GATE_GRAPH.
            aggregation_method: how gradients are added.
            colocate_gradients_with_ops: places each gradient with its op.
            grad_loss: the gradient of the loss; None means ones.

        Returns:
            A list of (gradient or None, variable).

        Raises:
            TypeError: if `var_list` has something else than variables.
            ValueError: if there are no variables or an argument is invalid.
        """
        return self._gradients_of(
            loss,
            var_list,
            gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            grad_ys=grad_loss,
        )

    def _gradients_of(
        self,
        loss: TensorLike,
        var_list: Iterable[Variable] | None,
        gate_gradients: int,
        grad_ys: TensorLike | None,
        **options: Any,
    ) -> list[tuple[Any, Any]]:
        """What `compute_gradients` returns; `options` are those of `tf.gradients`."""
        if callable(loss):
            loss = loss()
        loss = replicated_updates.share_of_loss(loss)
        if gate_gradients not in (self.GATE_NONE, self.GATE_OP, self.GATE_GRAPH):
            raise ValueError(
                "gate_gradients must be one of: Optimizer.GATE_NONE, Optimizer.GATE_OP, "
                f"Optimizer.GATE_GRAPH.  Not {gate_gradients}"
            )
        self._assert_valid_dtypes([loss])
        if grad_ys is not None:
            self._assert_valid_dtypes([grad_ys])
        variables = _variables_of(var_list)
        if not variables:
            raise ValueError("No variables to optimize.")
        grads = gradients(
            loss,
            [_target(v) for v in variables],
            grad_ys=grad_ys,
            gate_gradients=gate_gradients == self.GATE_OP,
            **options,
        )
        if gate_gradients == self.GATE_GRAPH:
            grads = _gated(grads)
        pairs = list(zip(grads, variables))
        self._assert_valid_dtypes(
            [v for g, v in pairs if g is not None and v.dtype is not dtypes.resource]
        )
        return pairs

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
            TypeError: if a gradient or variable is of a wrong kind.
            ValueError: if no variable has a gradient.
        """
        pairs = [(_checked(grad), var) for grad, var in tuple(grads_and_vars)]
        if not pairs:
            raise ValueError("No variables provided.")
        mode = replication.replicating()
        if mode is not None:
            return replicated_updates.of_replica(self, mode, pairs, global_step, name)
        updated = [var for grad, var in pairs if grad is not None]
        if not updated:
            raise ValueError(
                f"No gradients provided for any variable: {[str(v) for _, v in pairs]}."
            )
        graph = get_default_graph()
        with init_scope():
            self._create_slots(updated)
        with name_scope(name, self._name) as scope:
            self._prepare()
            update_ops = []
            for grad, var in pairs:
                if grad is None:
                    continue
                with name_scope(f"update_{var.op.name}"), graph.colocate_with(var):
                    update_ops.append(self._update(grad, var))
            if global_step is None:
                train_op = self._finish(update_ops, scope)
            else:
                with (
                    control_dependencies([self._finish(update_ops, "update")]),
                    graph.colocate_with(global_step),
                ):
                    train_op = _increment(global_step, scope)
            if isinstance(train_op, Tensor):
                train_op = train_op.op
            collection = graph.get_collection_ref(GraphKeys.TRAIN_OP)
            if train_op not in collection:
                collection.append(train_op)
            return train_op

    def _distributed_apply(
        self,
        distribution: Any,
        grads_and_vars: GradsAndVars,
        global_step: TensorLike | None = None,
        name: str | None = None,
    ) -> Any:
        """Applies the sums of the gradients of all replicas, on each device of a strategy."""
        return replicated_updates.of_all_replicas(
            self, distribution, grads_and_vars, global_step, name
        )

    def _update(
        self, grad: Tensor | IndexedSlices, var: TensorLike
    ) -> Operation | Tensor | UnreadVariable:
        """Builds the update of one variable, and its constraint."""
        if not isinstance(var, Variable):
            raise NotImplementedError("Trying to update a Tensor ", var)
        is_resource = hasattr(var, "handle")
        constraint = getattr(var, "constraint", None)
        if isinstance(grad, IndexedSlices):
            if constraint is not None:
                raise RuntimeError("Cannot use a constraint function on a sparse variable.")
            if is_resource:
                return self._resource_apply_sparse_duplicate_indices(grad.values, var, grad.indices)
            return self._apply_sparse_duplicate_indices(grad, var)
        update = (
            self._resource_apply_dense(grad, var) if is_resource else self._apply_dense(grad, var)
        )
        if constraint is None:
            return update
        with control_dependencies([update]):
            return var.assign(constraint(var))

    # Slots

    def get_slot(self, var: Variable, name: str) -> Any:
        """A slot of a variable.

        Args:
            var: a variable given to `minimize` or `apply_gradients`.
            name: the name of the slot.

        Returns:
            The slot variable, or None.
        """
        return replication.local(self._slots.get(name, {}).get(slot_key(var)))

    def get_slot_names(self) -> list[str]:
        """The names of the slots that this optimizer has made."""
        return sorted(self._slots)

    def variables(self) -> list[Any]:
        """The variables that this optimizer has made in the default graph."""
        graph = get_default_graph()
        found = [v for (_, g), v in self._non_slot_dict.items() if g is graph]
        for slots in self._slots.values():
            found.extend(s for s in slots.values() if s.graph is graph)
        return sorted(found, key=lambda v: v.name)

    def _slot_dict(self, slot_name: str) -> dict[Any, Any]:
        return self._slots.setdefault(slot_name, {})

    def _get_or_make_slot(
        self, var: Variable, val: Tensor, slot_name: str, op_name: str
    ) -> Variable:
        slots = self._slot_dict(slot_name)
        if slot_key(var) not in slots:
            slots[slot_key(var)] = create_slot(var, val, op_name)
            self._restore_slot_variable(slot_name, var, slots[slot_key(var)])
        return slots[slot_key(var)]

    def _get_or_make_slot_with_initializer(
        self,
        var: Variable,
        initializer: InitializerLike,
        shape: ShapeLike,
        dtype: DTypeLike,
        slot_name: str,
        op_name: str,
    ) -> Variable:
        slots = self._slot_dict(slot_name)
        if slot_key(var) not in slots:
            slots[slot_key(var)] = create_slot_with_initializer(
                var, initializer, shape, dtype, op_name
            )
            self._restore_slot_variable(slot_name, var, slots[slot_key(var)])
        return slots[slot_key(var)]

    def _zeros_slot(self, var: Variable, slot_name: str, op_name: str) -> Variable:
        slots = self._slot_dict(slot_name)
        if slot_key(var) not in slots:
            slots[slot_key(var)] = create_zeros_slot(var, op_name)
            self._restore_slot_variable(slot_name, var, slots[slot_key(var)])
        return slots[slot_key(var)]

    def _create_non_slot_variable(
        self, initial_value: Any, name: str, colocate_with: Variable
    ) -> Variable:
        graph = colocate_with.graph
        if (name, graph) not in self._non_slot_dict:
            with replication.colocated(colocate_with):
                variable = Variable(
                    initial_value,
                    name=name,
                    trainable=False,
                    use_resource=is_resource_variable(colocate_with),
                )
            self._handle_deferred_dependencies(name=name, trackable=variable)
            self._non_slot_dict[name, graph] = variable
        return self._non_slot_dict[name, graph]

    def _get_non_slot_variable(self, name: str, graph: Graph | None = None) -> Any:
        return replication.local(self._non_slot_dict.get((name, graph)))

    def _non_slot_variables(self) -> Any:
        return self._non_slot_dict.values()

    # Checkpoints of objects

    @property
    def _checkpoint_dependencies(self) -> list[TrackableReference]:
        # Those variables that belong to the default graph.
        graph = get_default_graph()
        own = [
            TrackableReference(name=name, ref=variable)
            for (name, owner), variable in sorted(
                self._non_slot_dict.items(), key=lambda item: item[0][0]
            )
            if owner is graph
        ]
        return super()._checkpoint_dependencies + own

    def _lookup_dependency(self, name: str) -> Any:
        found = super()._lookup_dependency(name)
        return self._get_non_slot_variable(name, get_default_graph()) if found is None else found

    def _restore_slot_variable(self, slot_name: str, variable: Any, slot_variable: Any) -> None:
        """Restores a new slot from the checkpoints that wait for it, the latest first."""
        waiting = self._deferred_slot_restorations.get(slot_name, {}).pop(slot_key(variable), [])
        for position in sorted(waiting, key=lambda item: item.restore_uid, reverse=True):
            position.restore(slot_variable)

    def _create_or_restore_slot_variable(
        self, slot_variable_position: CheckpointPosition, slot_name: str, variable: Any
    ) -> None:
        """Restores a slot, or lets the checkpoint wait until it is made."""
        slot = self._slot_dict(slot_name).get(slot_key(variable))
        if slot is not None:
            slot_variable_position.restore(slot)
        else:
            waiting = self._deferred_slot_restorations.setdefault(slot_name, {})
            waiting.setdefault(slot_key(variable), []).append(slot_variable_position)

    # For subclasses to override

    def _valid_dtypes(self) -> set[DType]:
        return {dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64}

    def _assert_valid_dtypes(self, tensors: list[Any]) -> None:
        valid = self._valid_dtypes()
        for tensor in tensors:
            dtype = tensor.dtype.base_dtype
            if dtype not in valid:
                raise ValueError(
                    f"Invalid type {dtype!r} for {tensor.name}, expected: {list(valid)}."
                )

    def _finish(self, update_ops: list[Any], name_scope: str) -> Operation:
        """Builds the op that groups all updates."""
        return group(*update_ops, name=name_scope)

    def _apply_sparse_duplicate_indices(
        self, grad: IndexedSlices, var: Variable
    ) -> Tensor | Operation:
        values, indices = deduplicated(grad.values, grad.indices)
        return self._apply_sparse(IndexedSlices(values, indices, grad.dense_shape), var)

    def _resource_apply_sparse_duplicate_indices(
        self, grad: Tensor, handle: TensorLike, indices: Tensor
    ) -> Operation | UnreadVariable:
        values, unique = deduplicated(grad, indices)
        return self._resource_apply_sparse(values, handle, unique)

    def _call_if_callable(self, param: TensorLike) -> NestedTensors:
        return param() if callable(param) else param

    @staticmethod
    def _cast(tensor: TensorLike, dtype: DType) -> Any:
        """A hyperparameter cast to the type of a variable."""
        # Resource variables of the type are read by the op that takes them.
        return tensor if getattr(tensor, "dtype", None) is dtype else cast(tensor, dtype)


def deduplicated(values: Tensor, indices: Tensor) -> tuple[Tensor, Tensor]:
    """Slices with the sums of those of equal index, and the unique indices."""
    unique, positions = build.Unique(indices)
    return build.UnsortedSegmentSum(values, positions, getitem(shape_tensor(unique), 0)), unique


# What `var_list` may be besides one variable; views are those of dictionaries.
_MANY = (list, tuple, set, KeysView, ValuesView)


def _variables_of(var_list: Iterable[Variable] | None) -> list[Any]:
    if var_list is None:
        graph = get_default_graph()
        found = trainable_variables() + graph.get_collection(GraphKeys.TRAINABLE_RESOURCE_VARIABLES)
    else:
        found = list(var_list) if isinstance(var_list, _MANY) else [var_list]
        found = [v for item in found for v in (item if isinstance(item, (list, tuple)) else [item])]
    for item in found:
        if not isinstance(item, (Variable, Tensor)):
            raise TypeError(f"Argument is not a tf.Variable: {item}")
    return found


def _target(var: TensorLike) -> Tensor:
    if hasattr(var, "handle"):
        return var.handle
    return var._ref() if isinstance(var, Variable) else var


def _checked(grad: TensorLike) -> Tensor | IndexedSlices | None:
    if grad is None:
        return None
    try:
        grad = convert_to_tensor_or_indexed_slices(grad)
    except TypeError:
        raise TypeError(
            f"Gradient must be convertible to a Tensor or IndexedSlices, or None: {grad}"
        ) from None
    if not isinstance(grad, (Tensor, IndexedSlices)):
        raise TypeError(f"Gradient must be a Tensor, IndexedSlices, or None: {grad}")
    return grad


def _gated(grads: list[Any]) -> list[Any]:
    return tuple_(grads) if any(g is not None for g in grads) else grads


def _increment(global_step: TensorLike, scope: str) -> Any:
    if hasattr(global_step, "handle"):
        one = convert_to_tensor(1, global_step.dtype.base_dtype)
        return build.AssignAddVariableOp(global_step.handle, one, name=scope)
    return build.AssignAdd(_target(global_step), 1, name=scope)


def slot_key(var: Variable) -> Any:
    """The key of a variable among the slots: its graph and its name."""
    whole = replication.container(var)
    return (whole.graph, getattr(whole, "_shared_name", None) or whole.op.name)
