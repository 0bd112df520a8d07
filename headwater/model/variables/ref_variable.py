"""Reference variables: the default kind, whose op gives a mutable tensor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headwater.base.deprecation import notice
from headwater.base.dtypes import DType
from headwater.base.tensor_shape import TensorShape, as_tuple
from headwater.base.typing import Array, DeviceLike, ShapeLike, TensorLike
from headwater.graph import (
    IndexedSlices,
    Operation,
    Tensor,
    build,
    colocate_with,
    convert_to_tensor,
    get_default_graph,
    name_scope,
    register_tensor_conversion_function,
)
from headwater.graph.default_graph import device
from headwater.model.variables.graph_variable import GraphVariable
from headwater.model.variables.initialized_value import guarded
from headwater.ops.state.assign import assign, assign_add, assign_sub

if TYPE_CHECKING:
    from headwater.protos.variable_pb2 import VariableDef
    from headwater.session.session import Session


class RefVariable(GraphVariable):
    """A variable whose op gives a mutable tensor; see `Variable` for the arguments."""

    def _make(
        self,
        initial_value: TensorLike,
        dtype: DType | None,
        validate_shape: bool,
        shape: ShapeLike | None,
        caching_device: DeviceLike | None,
        scope: str,
    ) -> None:
        if callable(initial_value):
            self._make_from_function(initial_value, dtype, validate_shape, shape, scope)
        else:
            self._initial_value = convert_to_tensor(initial_value, dtype, name="initial_value")
            self._make_node(validate_shape, shape, scope)
        self._initializer_op = build.Assign(
            self._variable,
            guarded(self._initial_value, self._variable.op),
            validate_shape=validate_shape,
        ).op
        if caching_device is not None:
            with device(caching_device):
                self._snapshot = build.Identity(self._variable, name="read")
        else:
            with colocate_with(self._variable.op):
                self._snapshot = build.Identity(self._variable, name="read")
        self._caching_device = caching_device

    def _make_from_function(
        self,
        function: Callable[[], Any],
        dtype: DType | None,
        validate_shape: bool,
        shape: ShapeLike | None,
        scope: str,
    ) -> None:
        """Makes initial value and variable in one colocation group, named after the variable."""
        with get_default_graph()._attr_scope({"_class": lambda op: [f"loc:@{scope[:-1]}"]}):
            with name_scope("Initializer"), device(None):
                self._initial_value = convert_to_tensor(function(), dtype, name="initial_value")
            self._make_node(validate_shape, shape, scope)

    def _make_node(self, validate_shape: bool, shape: ShapeLike | None, scope: str) -> None:
        if shape is not None:
            static = as_tuple(shape)
        else:
            static = self._initial_value._shape if validate_shape else None
        self._variable = build.VariableV2(
            shape=static, dtype=self._initial_value.dtype.base_dtype, name=scope
        )
        known = self._initial_value.get_shape()
        if validate_shape and not known.is_fully_defined():
            raise ValueError(f"initial_value must have a shape specified: {self._initial_value}")

    def _take_variable(self, proto: VariableDef, element: Callable[[str], Any]) -> None:
        self._variable = element(proto.variable_name)
        self._caching_device = None

    def _take_snapshot(self, proto: VariableDef, element: Callable[[str], Any]) -> None:
        self._snapshot = element(proto.snapshot_name)

    def _named_tensors(self) -> tuple[Tensor, Tensor]:
        return self._variable, self._snapshot

    # Properties

    @property
    def name(self) -> str:
        """The name, ``op_name:0``."""
        return self._variable.name

    @property
    def op(self) -> Operation:
        """The op that stands for the variable."""
        return self._variable.op

    @property
    def dtype(self) -> DType:
        """The type of the elements, as a reference type."""
        return self._variable.dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return self._variable.get_shape()

    def set_shape(self, shape: ShapeLike) -> None:
        """Refines the static shape.

        Args:
            shape: anything that describes a shape.
        """
        self._ref().set_shape(shape)
        self.value().set_shape(shape)

    # Value

    def _as_graph_element(self) -> Tensor:
        return self._variable

    def _ref(self) -> Tensor:
        return self._variable

    def ref(self) -> Tensor:
        """The variable as a reference that can be assigned: the name before release 0.11."""
        return self._variable

    def value(self) -> Tensor:
        """The last snapshot of the value as a tensor."""
        return self._snapshot

    def read_value(self) -> Tensor:
        """A tensor of the value when this node runs, after the control dependencies in force."""
        return build.Identity(self._variable, name="read")

    def eval(self, session: Session | None = None) -> Array:
        """The value in a session as an array.

        Args:
            session: the session; the default session if None.
        """
        return self._variable.eval(session=session)

    # Changes

    def assign(
        self,
        value: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Tensor | Operation:
        """Gives the variable a new value.

        Args:
            value: the new value.
            use_locking: has no effect.
            name: the name of the node.
            read_value: whether the result is the mutable tensor after the assignment.

        Returns:
            That tensor, or the Operation.
        """
        result = assign(self._variable, value, use_locking=use_locking, name=name)
        return result if read_value else result.op

    def assign_add(
        self,
        delta: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Adds `delta` to the value; see `assign`."""
        result = assign_add(self._variable, delta, use_locking=use_locking, name=name)
        return result if read_value else result.op

    def assign_sub(
        self,
        delta: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Subtracts `delta` from the value; see `assign`."""
        result = assign_sub(self._variable, delta, use_locking=use_locking, name=name)
        return result if read_value else result.op

    def count_up_to(self, limit: int) -> Tensor:
        """Adds 1 to the value until it reaches `limit`; then the op raises OutOfRangeError.

        Args:
            limit: the value that is not exceeded.

        Returns:
            A tensor of the value before the addition.
        """
        notice("Variable.count_up_to", "Dataset.range")
        return build.CountUpTo(self._variable, limit=limit)

    def _scatter(self, kind: str, sparse_delta: Any, use_locking: bool, name: str | None) -> Tensor:
        if not isinstance(sparse_delta, IndexedSlices):
            raise TypeError(f"sparse_delta is not IndexedSlices: {sparse_delta}")
        make = getattr(build, f"Scatter{kind}")
        return make(
            self._variable,
            sparse_delta.indices,
            sparse_delta.values,
            use_locking=use_locking,
            name=name,
        )

    def _scatter_nd(
        self, kind: str, indices: Sequence[Sequence[int]], updates: Sequence[Any], name: str | None
    ) -> Tensor:
        make = getattr(build, f"ScatterNd{kind}")
        return make(self._variable, indices, updates, use_locking=True, name=name)

    def _strided_slice_assign(
        self,
        begin: TensorLike,
        end: TensorLike,
        strides: TensorLike,
        value: TensorLike,
        name: str | None,
        **masks: int,
    ) -> Tensor:
        return build.StridedSliceAssign(
            self._variable, begin, end, strides, value, name=name, **masks
        )


def _to_tensor(
    value: RefVariable, dtype: DType | None = None, name: str | None = None, as_ref: bool = False
) -> Tensor:
    value._check_conversion(dtype)
    return value._ref() if as_ref else value.value()


register_tensor_conversion_function(RefVariable, _to_tensor)
