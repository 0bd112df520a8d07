"""Variables with a copy on each device of a strategy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any, NamedTuple

from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import Array, TensorLike
from headwater.distributed.replicas import contexts, values
from headwater.distributed.replicas.reductions import ReduceOp
from headwater.graph import (
    Operation,
    Tensor,
    build,
    convert_to_tensor,
    register_tensor_conversion_function,
    replication,
)
from headwater.graph import group as group_ops
from headwater.graph.default_graph import control_dependencies
from headwater.graph.default_graph import device as in_device
from headwater.model.trackable.restoration import VARIABLE_VALUE_KEY
from headwater.model.trackable.saveable import SaveableObject, SaveSpec
from headwater.model.variables.initialized_value import value_or_initial
from headwater.model.variables.variable import Variable
from headwater.model.variables.variable_creation import VariableAggregation, VariableSynchronization
from headwater.train.checkpoints.saveables import ResourceSaveable

_NO_AGGREGATION = (
    "You must specify an aggregation method to update a MirroredVariable in Replica Context. You "
    "can do so by passing an explicit value for argument `aggregation` to tf.Variable(..).e.g. "
    "`tf.Variable(..., aggregation=tf.VariableAggregation.SUM)``tf.VariableAggregation` lists the "
    "possible aggregation methods.This is required because MirroredVariable should always be kept "
    "in sync. When updating them or assigning to them in a replica context, we automatically try "
    "to aggregate the values before updating the variable. For this aggregation, we need to know "
    "the aggregation method. Another alternative is to not try to update such MirroredVariable in "
    "replica context, but in cross replica context. You can enter cross replica context by "
    "calling `tf.distribute.get_replica_context().merge_call(merge_fn, ..)`.Inside `merge_fn`, "
    "you can then update the MirroredVariable using "
    "`tf.distribute.StrategyExtended.update()`."
)
_NO_HANDLE = (
    "`handle` is not available outside the replica context or a `tf.distribute.Strategy.update()` "
    "call."
)


class DistributedVarOp(NamedTuple):
    """What stands for the op of a variable where no single copy is meant."""

    name: str
    graph: Any
    traceback: Any
    type: str


class DistributedVariable(values.DistributedValues, Variable):
    """A variable with a copy on each device.

    Args:
        strategy: its Strategy.
        devices: the devices.
        copies: a resource variable on each.
        aggregation: how values of replicas are put together.
        synchronization: when.
    """

    _should_act_as_resource_variable = True
    # Made when they are asked for, or given by what starts from a checkpoint.
    _initializer_op: Any = None
    _initial_value: Any = None

    def __init__(
        self,
        strategy: Any,
        devices: Sequence[str],
        copies: Sequence[Any],
        aggregation: VariableAggregation,
        synchronization: VariableSynchronization,
    ) -> None:
        super().__init__(devices, copies)
        self._distribute_strategy = strategy
        self._aggregation = aggregation
        self._synchronization = synchronization
        for copy in copies:
            copy._copied_variable = self

    def __getattr__(self, name: str) -> Any:
        # What only resource variables have.
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.get(), name)

    def _local_copy(self) -> Any:
        return self.get()

    def _holder(self) -> Tensor:
        """What ops are colocated with that are placed with the variable."""
        handle: Tensor = self.get().handle
        return handle

    def _is_crossing(self) -> bool:
        """Whether the variable as a whole is meant, not one of its copies."""
        return contexts.in_cross_replica_context() and contexts.get_update_device() is None

    # Properties

    @property
    def distribute_strategy(self) -> Any:
        """The strategy."""
        return self._distribute_strategy

    @property
    def name(self) -> str:
        """The name of the first copy."""
        name: str = self.primary.name
        return name

    @property
    def op(self) -> Any:
        """The op of the current copy; across replicas, what names the variable."""
        if self._is_crossing():
            first = self.primary.op
            return DistributedVarOp(first.name, first.graph, first.traceback, first.type)
        return self.get().op

    @property
    def handle(self) -> Tensor:
        """The handle of the current copy.

        Raises:
            ValueError: across replicas.
        """
        if self._is_crossing():
            raise ValueError(_NO_HANDLE)
        return self.get().handle

    @property
    def graph(self) -> Any:
        """The Graph of the variable."""
        return self.primary.graph

    @property
    def device(self) -> str:
        """The device of the current copy."""
        device: str = self.get().device
        return device

    @property
    def dtype(self) -> Any:
        """The type of the elements."""
        return self.primary.dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return self.primary.shape

    @property
    def initializer(self) -> Operation:
        """The op that gives all copies the initial value."""
        if self._initializer_op is None:
            with self.graph.control_dependencies(None):
                self._initializer_op = group_ops(*(copy.initializer for copy in self.values))
        made: Operation = self._initializer_op
        return made

    @property
    def create(self) -> Operation:
        """The op that gives all copies the initial value."""
        return self.initializer

    @property
    def initial_value(self) -> Tensor:
        """The tensor of the initial value."""
        return self.primary.initial_value if self._initial_value is None else self._initial_value

    @property
    def trainable(self) -> bool:
        """Whether optimizers change it by default."""
        trainable: bool = self.primary.trainable
        return trainable

    @property
    def constraint(self) -> Callable[..., Any] | None:
        """The function that optimizers apply to new values, or None."""
        constraint: Callable[..., Any] | None = self.primary.constraint
        return constraint

    @property
    def _shared_name(self) -> str:
        return self.name.rpartition(":")[0]

    @property
    def _in_graph_mode(self) -> bool:
        return True

    # Value

    def _current(self) -> Any:
        """The copy that is read."""
        return self.get()

    def _gradient_handle(self) -> Tensor:
        return self.get().handle

    def _as_graph_element(self) -> Any:
        return self._current()._as_graph_element()

    def value(self) -> Tensor:
        """A tensor of the value when this node runs."""
        return self._current().value()

    def read_value(self) -> Tensor:
        """A tensor of the value when this node runs, after the control dependencies in force."""
        return self._current().read_value()

    def _dense_var_to_tensor(
        self, dtype: Any = None, name: str | None = None, as_ref: bool = False
    ) -> Tensor:
        return self._current()._dense_var_to_tensor(dtype, name, as_ref)

    def eval(self, session: Any = None) -> Array:
        """The value in a session as an array.

        Args:
            session: the session; the default session if None.
        """
        return self._as_graph_element().eval(session=session)

    def initialized_value(self) -> Tensor:
        """The value, or the initial value where the variable has none yet."""
        return value_or_initial(self)

    def is_initialized(self, name: str | None = None) -> Tensor:
        """A boolean scalar: whether all copies have a value."""
        result = self.primary.is_initialized()
        for copy in self.values[1:]:
            result = build.LogicalAnd(result, copy.is_initialized())
        return result

    def sparse_read(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """Rows of the variable.

        Args:
            indices: integers: the rows, of any shape.
            name: the name of the node.

        Returns:
            A Tensor of shape ``indices.shape + shape[1:]``.
        """
        return self.get().sparse_read(indices, name)

    def gather_nd(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """Elements or slices of the variable.

        Args:
            indices: integers of shape [..., d]: vectors that name an element or slice.
            name: the name of the node.

        Returns:
            A Tensor of shape ``indices.shape[:-1] + shape[d:]``.
        """
        return self.get().gather_nd(indices, name)

    def load(self, value: TensorLike, session: Any = None) -> None:
        """Gives all copies a new value in a session.

        Args:
            value: an array.
            session: the session; the default session if None.

        Raises:
            ValueError: if there is no session.
        """
        for copy in self.values:
            copy.load(value, session)

    def set_shape(self, shape: Any) -> None:
        """Refines the static shape.

        Args:
            shape: anything that describes a shape.
        """
        for copy in self.values:
            copy.set_shape(shape)

    def to_proto(self, export_scope: str | None = None) -> Any:
        """The first copy as a VariableDef.

        Args:
            export_scope: a name scope that is taken off the names.

        Returns:
            A VariableDef, or None if the variable is not in that scope.
        """
        return self.primary.to_proto(export_scope)

    # Changes

    def _change(self, method: str, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    def _change_copies(
        self, method: str, *args: Any, name: str | None = None, **kwargs: Any
    ) -> Any:
        # A name that is final can be that of one copy only.
        kept = name if name is None or not name.endswith("/") else None
        return self._change(method, *args, name=kept, **kwargs)

    def assign(self, *args: Any, **kwargs: Any) -> Any:
        """Gives all copies a new value; see `Variable.assign`."""
        return self._change_copies("assign", *args, **kwargs)

    def assign_add(self, *args: Any, **kwargs: Any) -> Any:
        """Adds to all copies; see `Variable.assign_add`."""
        return self._change_copies("assign_add", *args, **kwargs)

    def assign_sub(self, *args: Any, **kwargs: Any) -> Any:
        """Subtracts from all copies; see `Variable.assign_sub`."""
        return self._change_copies("assign_sub", *args, **kwargs)

    def _scatter(self, kind: str, sparse_delta: Any, use_locking: bool, name: str | None) -> Any:
        return self.get()._scatter(kind, sparse_delta, use_locking, name)

    def _scatter_nd(self, kind: str, indices: Any, updates: Any, name: str | None) -> Any:
        return self.get()._scatter_nd(kind, indices, updates, name)


class MirroredVariable(DistributedVariable, values.Mirrored):
    """A variable whose copies are equal at all times."""

    def _as_graph_element(self) -> Any:
        return self.get()._as_graph_element()

    def _change(self, method: str, *args: Any, **kwargs: Any) -> Any:
        strategy = self._distribute_strategy
        inside = contexts.get_strategy() is strategy
        with nullcontext() if inside else strategy.scope():
            mode = contexts.current()
            if mode.update_device is not None:
                return getattr(self.get(), method)(*args, **kwargs)
            if mode.replica_context is None:
                return self._change_all(strategy, method, *args, **kwargs)
            if self._aggregation is VariableAggregation.NONE:
                raise ValueError(_NO_AGGREGATION)
            return mode.replica_context.merge_call(
                partial(self._change_together, method), args=args, kwargs=kwargs
            )

    def _scatter(self, kind: str, sparse_delta: Any, use_locking: bool, name: str | None) -> Any:
        return self._change_rows("_scatter", kind, sparse_delta, use_locking, name)

    def _scatter_nd(self, kind: str, indices: Any, updates: Any, name: str | None) -> Any:
        return self._change_rows("_scatter_nd", kind, indices, updates, name)

    def _change_rows(self, method: str, *args: Any) -> Any:
        """Makes the same change of rows of all copies; replicas cannot ask for different ones."""
        mode = replication.replicating()
        if mode is not None and mode.replica_context is not None:
            raise ValueError(_NO_AGGREGATION)
        if mode is not None and mode.update_device is not None:
            return getattr(self.get(), method)(*args)
        strategy = self._distribute_strategy
        with nullcontext() if mode is not None else strategy.scope():
            return self._change_all(strategy, method, *args)

    def _change_all(self, strategy: Any, method: str, *args: Any, **kwargs: Any) -> Any:
        """Makes the same change of all copies."""

        def change(copy: Any, *args: Any, **kwargs: Any) -> Any:
            return getattr(copy, method)(*args, **kwargs)

        return strategy.extended.update(self, change, args=args, kwargs=kwargs)

    def _change_together(
        self, method: str, strategy: Any, value: Any, *args: Any, **kwargs: Any
    ) -> Any:
        """Makes the change of all copies that the values of all replicas ask for."""
        if self._aggregation is VariableAggregation.ONLY_FIRST_REPLICA:
            value = strategy.extended.broadcast_to(strategy.unwrap(value)[0], self)
        else:
            kind = ReduceOp.from_variable_aggregation(self._aggregation)
            value = strategy.extended.reduce_to(kind, value, self)
        return self._change_all(strategy, method, value, *args, **kwargs)

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        return {VARIABLE_VALUE_KEY: partial(MirroredSaveable, self)}


class SyncOnReadVariable(DistributedVariable):
    """A variable whose copies differ; across replicas their sum or mean is read."""

    def _reduction(self) -> Any:
        """The ReduceOp; None if the first copy is read."""
        if self._aggregation in (VariableAggregation.SUM, VariableAggregation.MEAN):
            return ReduceOp.from_variable_aggregation(self._aggregation)
        return None

    def _read_across(self) -> Tensor:
        kind = self._reduction()
        if kind is None:
            return self.primary.value()
        return self._distribute_strategy.reduce(kind, self, axis=None)

    def _as_graph_element(self) -> Any:
        return self._read_across() if self._is_crossing() else self.get()._as_graph_element()

    def value(self) -> Tensor:
        """A tensor of the value when this node runs; across replicas, of the sum or mean."""
        return self._read_across() if self._is_crossing() else self.get().value()

    def read_value(self) -> Tensor:
        """A tensor of the value when this node runs; across replicas, of the sum or mean."""
        return self._read_across() if self._is_crossing() else self.get().read_value()

    def _dense_var_to_tensor(
        self, dtype: Any = None, name: str | None = None, as_ref: bool = False
    ) -> Tensor:
        if self._is_crossing():
            return self._read_across()
        return self.get()._dense_var_to_tensor(dtype, name, as_ref)

    def _change(self, method: str, *args: Any, **kwargs: Any) -> Any:
        if not self._is_crossing():
            return getattr(self.get(), method)(*args, **kwargs)
        if self._aggregation is not VariableAggregation.SUM:
            return self._change_each(method, [args[0]] * len(self.values), *args[1:], **kwargs)
        # The sum of the copies is the value: the first one takes the change.
        value = convert_to_tensor(args[0], self.dtype)
        rest = [build.ZerosLike(value)] * (len(self.values) - 1)
        return self._change_each(method, [value, *rest], *args[1:], **kwargs)

    def _change_each(self, method: str, given: Sequence[Any], *args: Any, **kwargs: Any) -> Tensor:
        """Changes all copies by one value each; returns what the first one is then."""
        changes = []
        for copy, value in zip(self.values, given, strict=True):
            with in_device(copy.device):
                changes.append(getattr(copy, method)(value, *args, **kwargs))
        with control_dependencies([group_ops(*changes)]), in_device(self.primary.device):
            changed: Tensor = self.primary.read_value()
        return changed

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        return {VARIABLE_VALUE_KEY: partial(SyncOnReadSaveable, self)}


class MirroredSaveable(ResourceSaveable):
    """Saves the first copy of a variable, and restores all.

    Args:
        variable: the variable.
        name: its name in the checkpoint.
    """

    def __init__(self, variable: MirroredVariable, name: str = VARIABLE_VALUE_KEY) -> None:
        super().__init__(variable.primary, "", name)
        self._whole = variable

    def restore(self, restored_tensors: list[Tensor], restored_shapes: Any) -> Operation:
        """Assigns the restored tensor to all copies."""
        return _assigned(self._whole, restored_tensors[0], restored_shapes)


class SyncOnReadSaveable(SaveableObject):
    """Saves the sum or mean of the copies of a variable.

    Args:
        variable: the variable.
        name: its name in the checkpoint.
    """

    def __init__(self, variable: SyncOnReadVariable, name: str = VARIABLE_VALUE_KEY) -> None:
        first = variable.primary
        spec = SaveSpec(self._aggregated, "", name, variable.dtype, first.device)
        super().__init__(first.op, [spec], name)
        self._whole = variable

    def _aggregated(self) -> Tensor:
        # The copies of this process only: other processes do not save.
        copies = self._whole.values
        if self._whole._reduction() is None:
            return copies[0].value()
        total: Tensor = build.AddN([copy.value() for copy in copies])
        return total / len(copies) if self._whole._reduction() is ReduceOp.MEAN else total

    def restore(self, restored_tensors: list[Tensor], restored_shapes: Any) -> Operation:
        """Assigns the restored tensor, or its share of the sum, to all copies."""
        tensor = restored_tensors[0]
        if self._whole.aggregation is VariableAggregation.SUM:
            tensor = tensor / len(self._whole.values)
        return _assigned(self._whole, tensor, restored_shapes)


def _assigned(variable: DistributedVariable, tensor: Tensor, shapes: Any) -> Operation:
    if shapes is not None:
        tensor = build.Reshape(tensor, shapes[0])
    assigned = []
    for copy in variable.values:
        with in_device(copy.device):
            value = build.Identity(tensor)
            copy.shape.assert_is_compatible_with(value.get_shape())
            assigned.append(build.AssignVariableOp(copy.handle, value))
    return group_ops(*assigned)


def _to_tensor(
    variable: DistributedVariable, dtype: Any = None, name: str | None = None, as_ref: bool = False
) -> Tensor:
    return variable._dense_var_to_tensor(dtype, name, as_ref)


# Before what a mirrored value is converted by.
register_tensor_conversion_function(DistributedVariable, _to_tensor, 99)
