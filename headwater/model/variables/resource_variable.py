"""Resource variables: the kind behind a handle, where every read is a node of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np

from headwater.base.deprecation import notice
from headwater.base.dtypes import DType
from headwater.base.export import export
from headwater.base.tensor_shape import TensorShape, as_tuple
from headwater.base.typing import DeviceLike, ShapeLike, TensorLike
from headwater.graph import (
    IndexedSlices,
    Operation,
    Tensor,
    build,
    colocate_with,
    control_dependencies,
    convert_to_tensor,
    get_default_graph,
    name_scope,
    register_tensor_conversion_function,
)
from headwater.graph.default_graph import device
from headwater.model.variables.graph_variable import GraphVariable
from headwater.model.variables.initialized_value import guarded

if TYPE_CHECKING:
    from headwater.model.variables.variable import Variable
    from headwater.protos.variable_pb2 import VariableDef
    from headwater.session.session import Session


@export("contrib.eager.Variable")
class ResourceVariable(GraphVariable):
    """A variable behind a resource handle; see `Variable` for the arguments."""

    _is_resource = True
    _handle: Tensor
    _graph_element: Tensor
    _cached_value: Tensor | None = None
    _parent_op: Operation | None = None

    def _make(
        self,
        initial_value: Any,
        dtype: DType | None,
        validate_shape: bool,
        shape: ShapeLike | None,
        caching_device: DeviceLike | None,
        scope: str,
    ) -> None:
        name = scope[:-1]
        group = [f"loc:@{name}"]
        with get_default_graph()._attr_scope({"_class": lambda op: list(group)}):
            with name_scope("Initializer"), device(None):
                value = initial_value() if callable(initial_value) else initial_value
                self._initial_value = convert_to_tensor(value, dtype, name="initial_value")
            self._dtype = self._initial_value.dtype.base_dtype
            static = self._initial_value._shape if shape is None else as_tuple(shape)
            self._shape = TensorShape(static)
            self._handle = build.VarHandleOp(
                dtype=self._dtype, shape=static, shared_name=name, name=scope
            )
        with name_scope("IsInitialized"):
            self._is_initialized_op = build.VarIsInitializedOp(self._handle)
        with name_scope("Assign") as assign_scope, device(self._handle.device):
            self._initializer_op = build.AssignVariableOp(
                self._handle, guarded(self._initial_value, self._handle.op), name=assign_scope
            )
        with name_scope("Read"):
            with device(self._handle.device):
                read = build.ReadVariableOp(self._handle, dtype=self._dtype)
            self._graph_element = read
            if caching_device is not None:
                with device(caching_device):
                    self._cached_value = build.Identity(read)

    def _take_variable(self, proto: VariableDef, element: Callable[[str], Any]) -> None:
        if not proto.is_resource:
            raise ValueError("Trying to restore Variable as ResourceVariable.")
        self._handle = element(proto.variable_name)
        self._dtype = self._handle.op._attrs["dtype"]
        self._shape = TensorShape(self._handle.op._attrs["shape"])

    def _take_snapshot(self, proto: VariableDef, element: Callable[[str], Any]) -> None:
        if proto.snapshot_name:
            snapshot = element(proto.snapshot_name)
            if snapshot.op.type != "ReadVariableOp":
                self._cached_value = snapshot
                snapshot = snapshot.op.inputs[0]
            self._graph_element = snapshot
        else:
            self._graph_element = element(self._handle.op.name + "/Read/ReadVariableOp:0")

    def _named_tensors(self) -> tuple[Tensor, Tensor]:
        cached = self._cached_value
        return self._handle, self._graph_element if cached is None else cached

    # Properties

    @property
    def handle(self) -> Tensor:
        """The handle that ops of the variable take."""
        return self._handle

    @property
    def name(self) -> str:
        """The name, ``op_name:0``."""
        return self._handle.op.name + ":0"

    @property
    def op(self) -> Operation:
        """The op of the handle."""
        return self._handle.op

    @property
    def create(self) -> Operation:
        """The op that gives the variable its initial value."""
        return self._initializer_op

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return self._shape

    @property
    def _handle_name(self) -> str:
        return self.name

    @property
    def _unique_id(self) -> str:
        return self._shared_name

    def numpy(self) -> Any:
        """The value of a variable that ops change at once.

        Raises:
            NotImplementedError: always: there are none here.
        """
        raise NotImplementedError("numpy() is only available when eager execution is enabled.")

    def _read_variable_op(self) -> Tensor:
        return self._read()

    def set_shape(self, shape: ShapeLike) -> None:
        """Refines the static shape.

        Args:
            shape: anything that describes a shape.
        """
        self._shape = self._shape.merge_with(shape)
        self._handle.__dict__["_variable_shape"] = self._shape.to_tuple()

    # Value

    def _as_graph_element(self) -> Tensor:
        return self._graph_element

    def _gradient_handle(self) -> Tensor:
        return self._handle

    def _read(self) -> Tensor:
        parents = (
            nullcontext() if self._parent_op is None else control_dependencies([self._parent_op])
        )
        with parents:
            read = build.ReadVariableOp(self._handle, dtype=self._dtype)
        read.set_shape(self._shape)
        return read

    def value(self) -> Tensor:
        """A tensor of the value when this node runs, or the cached value."""
        if self._cached_value is not None:
            return self._cached_value
        with colocate_with(None, ignore_existing=True), device(self._handle.device):
            return self._read()

    def _dense_var_to_tensor(
        self, dtype: DType | None = None, name: str | None = None, as_ref: bool = False
    ) -> Tensor:
        self._check_conversion(dtype)
        return self.read_value().op.inputs[0] if as_ref else self.value()

    def read_value(self) -> Tensor:
        """A tensor of the value when this node runs, after the control dependencies in force."""
        with name_scope("Read"), device(self._handle.device):
            value = self._read()
        return build.Identity(value)

    def sparse_read(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """Rows of the variable.

        Args:
            indices: integers: the rows, of any shape.
            name: the name of the node.

        Returns:
            A Tensor of shape ``indices.shape + shape[1:]``.
        """
        with name_scope("Gather" if name is None else name) as scope:
            rows = build.ResourceGather(self._handle, indices, dtype=self._dtype, name=scope)
        return build.Identity(rows)

    def gather_nd(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """Elements or slices of the variable.

        Args:
            indices: integers of shape [..., d]: vectors that name an element or slice.
            name: the name of the node.

        Returns:
            A Tensor of shape ``indices.shape[:-1] + shape[d:]``.
        """
        with name_scope("GatherNd" if name is None else name) as scope:
            parts = build.ResourceGatherNd(self._handle, indices, dtype=self._dtype, name=scope)
        return build.Identity(parts)

    def is_initialized(self, name: str | None = None) -> Tensor:
        """A boolean scalar: whether the variable has a value."""
        return build.VarIsInitializedOp(self._handle, name=name)

    def eval(self, session: Session | None = None) -> np.ndarray:
        """The value in a session as an array.

        Args:
            session: the session; the default session if None.
        """
        return self._graph_element.eval(session=session)

    def __deepcopy__(self, memo: dict[str, Any]) -> Tensor:
        raise NotImplementedError(
            "__deepcopy__() is only available when eager execution is enabled."
        )

    # Changes

    def _lazy_read(self, op: Operation) -> Variable:
        return UnreadVariable(self, op)

    def _changed(self, op: Operation, read_value: bool) -> Any:
        return self._lazy_read(op) if read_value else op

    def assign(
        self,
        value: TensorLike,
        use_locking: bool | None = None,
        name: str | None = None,
        read_value: bool = True,
    ) -> Operation | UnreadVariable:
        """Gives the variable a new value.

        Args:
            value: the new value.
            use_locking: has no effect.
            name: the name of the node.
            read_value: whether the result is the variable after the assignment.

        Returns:
            The variable as it is after the assignment, or the Operation.

        Raises:
            ValueError: if the shape does not fit.
        """
        # The body of a function captures the handle.
        inside = get_default_graph()._building_function
        with nullcontext() if inside else self._handle.graph.as_default():
            value = convert_to_tensor(value, dtype=self._dtype)
            self._shape.assert_is_compatible_with(value.get_shape())
            op = build.AssignVariableOp(self._handle, value, name=name)
            return self._changed(op, read_value)

    def assign_add(
        self,
        delta: TensorLike,
        use_locking: bool | None = None,
        name: str | None = None,
        read_value: bool = True,
    ) -> Variable:
        """Adds `delta` to the value; see `assign`."""
        delta = convert_to_tensor(delta, self._dtype)
        return self._changed(build.AssignAddVariableOp(self._handle, delta, name=name), read_value)

    def assign_sub(
        self,
        delta: TensorLike,
        use_locking: bool | None = None,
        name: str | None = None,
        read_value: bool = True,
    ) -> Variable:
        """Subtracts `delta` from the value; see `assign`."""
        delta = convert_to_tensor(delta, self._dtype)
        return self._changed(build.AssignSubVariableOp(self._handle, delta, name=name), read_value)

    def count_up_to(self, limit: int) -> Tensor:
        """Adds 1 to the value until it reaches `limit`; then the op raises OutOfRangeError.

        Args:
            limit: the value that is not exceeded.

        Returns:
            A tensor of the value before the addition.
        """
        notice("Variable.count_up_to", "Dataset.range")
        return build.ResourceCountUpTo(self._handle, limit=limit, T=self._dtype)

    def _scatter(self, kind: str, sparse_delta: Any, use_locking: bool, name: str | None) -> Any:
        if not isinstance(sparse_delta, IndexedSlices):
            raise TypeError(f"sparse_delta is not IndexedSlices: {sparse_delta}")
        make = getattr(build, f"ResourceScatter{kind}")
        values = convert_to_tensor(sparse_delta.values, self._dtype)
        return self._lazy_read(make(self._handle, sparse_delta.indices, values, name=name))

    def _scatter_nd(
        self, kind: str, indices: Sequence[Sequence[int]], updates: TensorLike, name: str | None
    ) -> Variable:
        make = getattr(build, f"ResourceScatterNd{kind}")
        updates = convert_to_tensor(updates, self._dtype)
        return self._lazy_read(make(self._handle, indices, updates, name=name))

    def batch_scatter_update(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Variable:
        """Updates rows within batch dimensions shared with the indices.

        Args:
            sparse_delta: IndexedSlices; see `tf.batch_scatter_update`.
            use_locking: has no effect.
            name: has no effect.

        Returns:
            The variable as it is after the change.
        """
        changed = super().batch_scatter_update(sparse_delta, use_locking, name)
        return self._lazy_read(changed.op)

    def _strided_slice_assign(
        self,
        begin: TensorLike,
        end: TensorLike,
        strides: TensorLike,
        value: TensorLike,
        name: str | None,
        **masks: int,
    ) -> Variable:
        value = convert_to_tensor(value, dtype=self._dtype)
        return self._lazy_read(
            build.ResourceStridedSliceAssign(
                self._handle, begin, end, strides, value, name=name, **masks
            )
        )


class UnreadVariable(ResourceVariable):
    """A resource variable as it is after an op has changed it.

    Args:
        variable: the variable.
        parent_op: the op.
    """

    def __init__(self, variable: ResourceVariable, parent_op: Operation) -> None:
        self._handle = variable._handle
        self._dtype = variable._dtype
        self._shape = variable._shape
        self._trainable = variable._trainable
        self._synchronization = variable._synchronization
        self._aggregation = variable._aggregation
        self._initializer_op = variable._initializer_op
        self._initial_value = variable._initial_value
        self._parent_op = parent_op
        self._graph_element = self._read()

    @property
    def name(self) -> str:
        """The name of the op that has changed the variable."""
        assert self._parent_op is not None
        return self._parent_op.name

    @property
    def op(self) -> Operation:
        """The op that has changed the variable."""
        assert self._parent_op is not None
        return self._parent_op


def is_resource_variable(value: TensorLike) -> bool:
    """Whether `value` is a resource variable."""
    return isinstance(value, ResourceVariable) or hasattr(value, "_should_act_as_resource_variable")


register_tensor_conversion_function(ResourceVariable, ResourceVariable._dense_var_to_tensor)
