"""`tf.Variable`: the base of all kinds of variables, and how one is made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headwater.base.export import export
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import Array, DeviceLike, DTypeLike, ShapeLike, TensorLike
from headwater.graph import IndexedSlices, Operation, Tensor
from headwater.graph.graph_base import GraphBase
from headwater.graph.graph_keys import GraphKeys
from headwater.graph.reference import Reference
from headwater.model.trackable.base import Trackable
from headwater.model.trackable.restoration import VARIABLE_VALUE_KEY
from headwater.model.variables.batch_scatter import batch_scatter_update
from headwater.model.variables.save_slices import SaveSliceInfo
from headwater.model.variables.variable_creation import (
    VariableAggregation,
    VariableSynchronization,
    VariableType,
    create_variable,
)
from headwater.ops.array.getitem import getitem

if TYPE_CHECKING:
    from headwater.protos.variable_pb2 import VariableDef
    from headwater.session.session import Session


@export("Variable")
class Variable(Trackable, metaclass=VariableType):
    """A value that lives in a session and that ops change.

    Args:
        initial_value: what converts to a tensor, or a function without arguments that returns it.
        trainable: whether optimizers change it by default; None means True.
        collections: keys of the collections that it joins; None means the global variables.
        validate_shape: whether the shape of `initial_value` must be known and is kept.
        caching_device: the device that reads are cached on.
        name: the name, made unique; ``"Variable"`` by default.
        variable_def: a VariableDef of an existing variable instead of an `initial_value`.
        dtype: the type that `initial_value` is converted to.
        expected_shape: ignored.
        import_scope: a name scope before the names in `variable_def`.
        constraint: a function from the new value to the value that is kept, for optimizers.
        use_resource: True makes a resource variable, False a reference variable; None leaves it to
            the scope.
        synchronization: a VariableSynchronization.
        aggregation: a VariableAggregation.
        shape: the static shape if it differs from that of `initial_value`.

    Raises:
        ValueError: if `initial_value` is missing or its shape unknown though it is validated.
    """

    # Calling this very class makes a variable of the kind that the scopes ask for.
    _is_made_by_scopes = True
    # NumPy leaves `array + variable` to the operators of this class.
    __array_priority__ = 100

    _variable: Tensor
    _snapshot: Tensor
    _initializer_op: Operation
    _initial_value: TensorLike
    _trainable: bool
    _save_slice_info: SaveSliceInfo | None = None
    _synchronization = VariableSynchronization.AUTO
    _aggregation = VariableAggregation.NONE
    _constraint: Callable[..., Any] | None = None

    if TYPE_CHECKING:
        # Defined by one or both of the kinds.
        _ref: Callable[[], Tensor]

        # Those of tensors.
        def _operator(self, other: TensorLike) -> Tensor: ...

        __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _operator
        __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = _operator
        __mod__ = __rmod__ = __pow__ = __rpow__ = __matmul__ = __rmatmul__ = _operator
        __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = _operator
        __lt__ = __le__ = __gt__ = __ge__ = _operator

        def __neg__(self) -> Tensor: ...
        def __invert__(self) -> Tensor: ...
        def __abs__(self) -> Tensor: ...

        # Arguments of the metaclass.
        def __init__(
            self,
            initial_value: TensorLike | None = None,
            trainable: bool | None = None,
            collections: Sequence[str] | None = None,
            validate_shape: bool = True,
            caching_device: DeviceLike | None = None,
            name: str | None = None,
            variable_def: Any = None,
            dtype: DTypeLike = None,
            expected_shape: ShapeLike = None,
            import_scope: str | None = None,
            constraint: Callable[..., Any] | None = None,
            use_resource: bool | None = None,
            synchronization: VariableSynchronization = VariableSynchronization.AUTO,
            aggregation: VariableAggregation = VariableAggregation.NONE,
            shape: Any = None,
        ) -> None: ...

    # Properties

    @property
    def name(self) -> str:
        """The name, ``op_name:0``."""
        raise NotImplementedError

    @property
    def op(self) -> Operation:
        """The op that stands for the variable."""
        raise NotImplementedError

    @property
    def dtype(self) -> Any:
        """The type of the elements."""
        raise NotImplementedError

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        raise NotImplementedError

    def get_shape(self) -> TensorShape:
        """The static shape."""
        return self.shape

    def _shape_as_list(self) -> list[int | None] | None:
        return None if self.shape.ndims is None else self.shape.as_list()

    @property
    def graph(self) -> GraphBase:
        """The Graph of the variable."""
        return self.op.graph

    @property
    def device(self) -> str:
        """The device that the variable asks for."""
        return self.op.device

    @property
    def _in_graph_mode(self) -> bool:
        return True

    @property
    def _graph_key(self) -> str:
        return self.graph._graph_key

    @property
    def _shared_name(self) -> str:
        return self.op.name

    @property
    def initializer(self) -> Operation:
        """The op that gives the variable its initial value."""
        return self._initializer_op

    @property
    def initial_value(self) -> Tensor:
        """The tensor of the initial value."""
        return self._initial_value

    @property
    def trainable(self) -> bool:
        """Whether optimizers change it by default."""
        return self._trainable

    @property
    def constraint(self) -> Callable[..., Any] | None:
        """The function that optimizers apply to new values, or None."""
        return self._constraint

    @property
    def synchronization(self) -> VariableSynchronization:
        """When the copies of a replicated variable are synchronized."""
        return self._synchronization

    @property
    def aggregation(self) -> VariableAggregation:
        """How the copies of a replicated variable are aggregated."""
        return self._aggregation

    # Value

    def value(self) -> Tensor:
        """The last snapshot of the value as a tensor."""
        raise NotImplementedError

    def read_value(self) -> Tensor:
        """A tensor of the value when this node runs, after the control dependencies in force."""
        raise NotImplementedError

    def eval(self, session: Session | None = None) -> Array:
        """The value in a session as an array.

        Args:
            session: the session; the default session if None.
        """
        raise NotImplementedError

    def initialized_value(self) -> Tensor:
        """The value, or the initial value where the variable has none yet."""
        raise NotImplementedError

    def load(self, value: TensorLike, session: Session | None = None) -> None:
        """Gives the variable a new value in a session.

        Args:
            value: an array.
            session: the session; the default session if None.

        Raises:
            ValueError: if there is no session.
        """
        raise NotImplementedError

    # Changes of parts

    def experimental_ref(self) -> Reference:
        """A hashable reference to this variable; two are equal if they mean one variable."""
        return Reference(self)

    # Changes: each kind of variable has its own ops

    def set_shape(self, shape: ShapeLike) -> None:
        """Refines the static shape.

        Args:
            shape: anything that describes a shape.
        """
        raise NotImplementedError

    def assign(
        self,
        value: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Gives the variable a new value.

        Args:
            value: the new value.
            use_locking: has no effect.
            name: the name of the node.
            read_value: whether the result is the new value; otherwise the operation.

        Returns:
            What holds the new value once it has run, or the operation.
        """
        raise NotImplementedError

    def assign_add(
        self,
        delta: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Adds `delta` to the value; see `assign`."""
        raise NotImplementedError

    def assign_sub(
        self,
        delta: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Subtracts `delta` from the value; see `assign`."""
        raise NotImplementedError

    def count_up_to(self, limit: int) -> Tensor:
        """Adds 1 to the value until it reaches `limit`; then the op raises OutOfRangeError.

        Args:
            limit: the value that is not exceeded.

        Returns:
            A tensor of the value before the addition.
        """
        raise NotImplementedError

    def _scatter(
        self, kind: str, sparse_delta: IndexedSlices, use_locking: bool, name: str | None
    ) -> Any:
        raise NotImplementedError

    def _scatter_nd(
        self, kind: str, indices: Sequence[Sequence[int]], updates: Sequence[Any], name: str | None
    ) -> Any:
        raise NotImplementedError

    def scatter_update(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Tensor | Variable:
        """Puts new values into rows.

        Args:
            sparse_delta: IndexedSlices with the rows and their values.
            use_locking: has no effect.
            name: the name of the node.

        Returns:
            The value after the change.

        Raises:
            TypeError: if `sparse_delta` is something else.
        """
        return self._scatter("Update", sparse_delta, use_locking, name)

    def scatter_add(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Tensor | Variable:
        """Adds to rows; see `scatter_update`."""
        return self._scatter("Add", sparse_delta, use_locking, name)

    def scatter_sub(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Tensor | Variable:
        """Subtracts from rows; see `scatter_update`."""
        return self._scatter("Sub", sparse_delta, use_locking, name)

    def scatter_mul(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Variable:
        """Multiplies rows; see `scatter_update`."""
        return self._scatter("Mul", sparse_delta, use_locking, name)

    def scatter_div(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Variable:
        """Divides rows; see `scatter_update`."""
        return self._scatter("Div", sparse_delta, use_locking, name)

    def scatter_min(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Variable:
        """Updates rows with the minimum of old and new values; see `scatter_update`."""
        return self._scatter("Min", sparse_delta, use_locking, name)

    def scatter_max(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Variable:
        """Updates rows with the maximum of old and new values; see `scatter_update`."""
        return self._scatter("Max", sparse_delta, use_locking, name)

    def scatter_nd_update(
        self, indices: TensorLike, updates: TensorLike, name: str | None = None
    ) -> Tensor | Variable:
        """Puts new values into elements or slices; see `tf.scatter_nd_update`.

        Args:
            indices: integers of shape [..., d]: vectors that name an element or slice.
            updates: the values, of shape ``indices.shape[:-1] + shape[d:]``.
            name: the name of the node.

        Returns:
            The value after the change.
        """
        return self._scatter_nd("Update", indices, updates, name)

    def scatter_nd_add(
        self, indices: TensorLike, updates: TensorLike, name: str | None = None
    ) -> Tensor | Variable:
        """Adds to elements or slices; see `scatter_nd_update`."""
        return self._scatter_nd("Add", indices, updates, name)

    def scatter_nd_sub(
        self, indices: TensorLike, updates: TensorLike, name: str | None = None
    ) -> Tensor | Variable:
        """Subtracts from elements or slices; see `scatter_nd_update`."""
        return self._scatter_nd("Sub", indices, updates, name)

    def batch_scatter_update(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Tensor | Variable:
        """Updates rows within batch dimensions shared with the indices.

        Args:
            sparse_delta: IndexedSlices; see `tf.batch_scatter_update`.
            use_locking: has no effect.
            name: has no effect.

        Returns:
            The value after the change.
        """
        indices, values = sparse_delta.indices, sparse_delta.values
        return batch_scatter_update(self, indices, values, use_locking=use_locking, name=name)

    def sparse_read(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """Rows of the variable, for kinds that can read them alone."""
        raise AttributeError(f"{type(self).__name__} cannot read single rows.")

    def gather_nd(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """Elements or slices of the variable, for kinds that can read them alone."""
        raise AttributeError(f"{type(self).__name__} cannot read single elements.")

    # Protos and slices

    def _set_save_slice_info(self, save_slice_info: SaveSliceInfo) -> None:
        self._save_slice_info = save_slice_info

    def _get_save_slice_info(self) -> Any:
        return self._save_slice_info

    def to_proto(self, export_scope: str | None = None) -> VariableDef:
        """The variable as a VariableDef.

        Args:
            export_scope: a name scope that is taken off the names.

        Returns:
            A VariableDef, or None if the variable is not in that scope.
        """
        raise NotImplementedError

    @staticmethod
    def from_proto(variable_def: VariableDef, import_scope: str | None = None) -> Variable:
        """The variable that a VariableDef describes, from the current graph.

        Args:
            variable_def: a VariableDef.
            import_scope: a name scope that is put before the names.
        """
        use_resource = getattr(variable_def, "is_resource", False)
        return create_variable(
            variable_def=variable_def, import_scope=import_scope, use_resource=use_resource
        )

    def _add_attributes_to_proto(self, proto: Any, export_scope: str | None) -> None:
        proto.trainable = self._trainable
        proto.synchronization = self._synchronization.value
        proto.aggregation = self._aggregation.value
        if self._save_slice_info is not None:
            info = self._save_slice_info.to_proto(export_scope)
            proto.save_slice_info_def.MergeFrom(info)

    def _take_attributes_of_proto(self, proto: VariableDef, import_scope: str | None) -> None:
        self._trainable = proto.trainable
        self._synchronization = VariableSynchronization(proto.synchronization)
        self._aggregation = VariableAggregation(proto.aggregation)
        if proto.HasField("save_slice_info_def"):
            self._save_slice_info = Variable.SaveSliceInfo(
                save_slice_info_def=proto.save_slice_info_def, import_scope=import_scope
            )

    SaveSliceInfo = SaveSliceInfo

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        return {VARIABLE_VALUE_KEY: self}

    # Python operators

    @classmethod
    def _OverloadAllOperators(cls) -> None:
        """Nothing to do: the operators that classes inherit use what their `value` returns."""

    def __getitem__(self, key: TensorLike) -> Tensor:
        """A part of the value; its ``assign`` method changes that part of the variable."""
        return getitem(self.value(), key, self)

    def __iter__(self) -> Tensor:
        raise TypeError("'Variable' object is not iterable.")

    def __repr__(self) -> str:
        return f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype.name}>"


def _operator_of_value(name: str) -> Callable[..., Any]:
    def operator(self: Variable, *args: Any) -> Tensor:
        return getattr(Tensor, name)(self.value(), *args)

    operator.__name__ = name
    return operator


for _name in sorted(Tensor.OVERLOADABLE_OPERATORS - {"__getitem__"}):
    setattr(Variable, _name, _operator_of_value(_name))


def is_trainable(trainable: bool | None, synchronization: VariableSynchronization | None) -> bool:
    """Whether a variable is trainable; by default, unless its copies are synchronized on read."""
    if trainable is None:
        return synchronization is not VariableSynchronization.ON_READ
    return bool(trainable)


def joined_collections(
    collections: Sequence[str] | None,
    trainable: bool | None,
    synchronization: VariableSynchronization | None,
) -> list[Any]:
    """The keys of the collections that a new variable joins.

    Raises:
        ValueError: if `collections` is not a list, tuple or set.
    """
    if collections is None:
        collections = [GraphKeys.GLOBAL_VARIABLES]
    if not isinstance(collections, (list, tuple, set)):
        raise ValueError(
            "collections argument to Variable constructor must be a list, tuple, or set. Got "
            f"{collections} of type {type(collections)}"
        )
    keys = list(collections)
    trains = is_trainable(trainable, synchronization)
    if trains and GraphKeys.TRAINABLE_VARIABLES not in keys:
        keys.append(GraphKeys.TRAINABLE_VARIABLES)
    return keys
