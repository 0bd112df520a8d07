"""The base of reference and resource variables: creation, loading, and saving."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headwater.base.dtypes import DType, as_dtype
from headwater.base.typing import DeviceLike, DTypeLike, ShapeLike, TensorLike
from headwater.graph import Tensor, get_default_graph, name_scope, stacks
from headwater.graph.default_graph import add_to_collections
from headwater.model.variables.initialized_value import value_or_initial
from headwater.model.variables.save_slices import in_scope, prepend_scope, strip_scope
from headwater.model.variables.variable import Variable, is_trainable, joined_collections
from headwater.model.variables.variable_creation import VariableAggregation, VariableSynchronization
from headwater.protos.lazy import variable_pb2

if TYPE_CHECKING:
    from headwater.protos.variable_pb2 import VariableDef
    from headwater.session.session import Session


class GraphVariable(Variable):
    """A variable that is one node of a graph; see `Variable` for the arguments.

    A kind of variables defines the nodes that it consists of: how they are made (`_make`), which
    a VariableDef names (`_take_variable`, `_take_snapshot`), and which it gets (`_named_tensors`).
    """

    _is_resource = False

    def __init__(
        self,
        initial_value: TensorLike | None = None,
        trainable: bool | None = None,
        collections: Sequence[str] | None = None,
        validate_shape: bool = True,
        caching_device: DeviceLike | None = None,
        name: str | None = None,
        variable_def: VariableDef | None = None,
        dtype: DTypeLike | None = None,
        expected_shape: ShapeLike = None,
        import_scope: str | None = None,
        constraint: Callable[..., Any] | None = None,
        synchronization: VariableSynchronization | None = None,
        aggregation: VariableAggregation | None = None,
        shape: ShapeLike | None = None,
    ) -> None:
        if variable_def is not None:
            if initial_value is not None:
                raise ValueError("variable_def and initial_value are mutually exclusive.")
            self._init_from_proto(variable_def, import_scope)
            return
        if initial_value is None:
            raise ValueError("initial_value must be specified.")
        joined = joined_collections(collections, trainable, synchronization)
        if constraint is not None and not callable(constraint):
            raise ValueError("The `constraint` argument must be a callable.")
        self._constraint = constraint
        self._synchronization = synchronization or VariableSynchronization.AUTO
        self._aggregation = aggregation or VariableAggregation.NONE
        self._trainable = is_trainable(trainable, synchronization)
        # Variables are made outside of the current control dependencies.
        with get_default_graph().control_dependencies(None):
            values = [] if callable(initial_value) else [initial_value]
            with name_scope(name, "Variable", values) as scope:
                kind = None if dtype is None else as_dtype(dtype)
                self._make(initial_value, kind, validate_shape, shape, caching_device, scope)
            add_to_collections(joined, self)

    def _make(
        self,
        initial_value: TensorLike,
        dtype: DType | None,
        validate_shape: bool,
        shape: ShapeLike | None,
        caching_device: DeviceLike | None,
        scope: str,
    ) -> None:
        """Builds the nodes of the variable in a name scope of its own."""
        raise NotImplementedError

    def _init_from_proto(self, proto: VariableDef, import_scope: str | None) -> None:
        if not isinstance(proto, variable_pb2.VariableDef):
            raise AssertionError(f"variable_def must be a VariableDef, got {type(proto).__name__}.")
        graph = get_default_graph()

        def element(name: str) -> Any:
            return graph.as_graph_element(prepend_scope(name, import_scope))

        self._take_variable(proto, element)
        self._initializer_op = element(proto.initializer_name)
        self._initial_value = (
            element(proto.initial_value_name) if proto.initial_value_name else None
        )
        self._take_snapshot(proto, element)
        self._take_attributes_of_proto(proto, import_scope)

    def _take_variable(self, proto: VariableDef, element: Callable[[str], Any]) -> None:
        raise NotImplementedError

    def _take_snapshot(self, proto: VariableDef, element: Callable[[str], Any]) -> None:
        raise NotImplementedError

    def _named_tensors(self) -> tuple[Tensor, Tensor]:
        """The tensors that a VariableDef names: of the variable, and of its snapshot."""
        raise NotImplementedError

    def initialized_value(self) -> Tensor:
        """The value, or the initial value where the variable has none yet."""
        with get_default_graph().control_dependencies(None):
            return value_or_initial(self)

    def load(self, value: TensorLike, session: Session | None = None) -> None:
        """Gives the variable a new value in a session.

        Args:
            value: an array.
            session: the session; the default session if None.

        Raises:
            ValueError: if there is no session.
        """
        session = session or stacks.sessions.top()
        if session is None:
            raise ValueError(
                "Either session argument should be provided or default session should be "
                "established"
            )
        session.run(self._initializer_op, {self._initializer_op.inputs[1]: value})

    def _check_conversion(self, dtype: DType | None) -> None:
        """Checks that the variable can be used as a tensor of a type.

        Raises:
            ValueError: if it has another type.
        """
        if dtype is not None and not dtype.is_compatible_with(self.dtype):
            raise ValueError(
                f"Incompatible type conversion requested to type '{dtype.name}' for variable of "
                f"type '{self.dtype.name}'"
            )

    def to_proto(self, export_scope: str | None = None) -> Any:
        """The variable as a VariableDef.

        Args:
            export_scope: a name scope that is taken off the names.

        Returns:
            A VariableDef, or None if the variable is not in that scope.
        """
        variable, snapshot = self._named_tensors()
        if not in_scope(variable.name, export_scope):
            return None
        proto = variable_pb2.VariableDef()
        proto.variable_name = strip_scope(variable.name, export_scope)
        if self._initial_value is not None:
            proto.initial_value_name = strip_scope(self._initial_value.name, export_scope)
        proto.initializer_name = strip_scope(self._initializer_op.name, export_scope)
        proto.snapshot_name = strip_scope(snapshot.name, export_scope)
        proto.is_resource = self._is_resource
        self._add_attributes_to_proto(proto, export_scope)
        return proto
