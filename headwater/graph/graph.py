"""The Graph: adding and finding ops, and the scopes that apply to new ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from headwater.base.dtypes import DType
from headwater.base.export import export
from headwater.graph.control_flow.util import check_input_from_valid_context
from headwater.graph.device import requested_name
from headwater.graph.graph_base import Controllers, GraphBase, proto_makers
from headwater.graph.operation import Operation, Tensor
from headwater.graph.registry import OpRecord


@export("Graph")
class Graph(GraphBase):
    """A dataflow graph: ops, and tensors that connect them."""

    # Nodes

    def add_node(
        self,
        record: OpRecord,
        inputs: tuple[Tensor, ...],
        attrs: dict[str, Any],
        output_types: list[DType],
        name: str,
        op: Operation | None = None,
    ) -> Operation:
        """Adds a checked node under an unused full name; `builders` is the usual caller."""
        with self._lock:
            self._check_not_finalized()
            self._last_id_value += 1
            scopes = self._scopes
            controls = self._control_dependencies_for_inputs(inputs) if scopes.controllers else []
            op = Operation.__new__(Operation) if op is None else op
            op._fill(self, record, name, inputs, controls, attrs, output_types, self._last_id_value)
            self._nodes_by_name[name] = op
            if self._attr_defaults:
                self._apply_attr_defaults(op)
            if self._kernel_labels and record.name in self._kernel_labels:
                attrs["_kernel"] = self._kernel_labels[record.name]
            if self._has_contexts:
                self._bring_inputs_in(op)
            override = self._gradient_override.get(record.name)
            if override is not None:
                attrs["_gradient_op_type"] = override
            if self._container and "container" in record.schema.attr and not attrs["container"]:
                attrs["container"] = self._container
            if self._default_original_op is not None:
                op._original_op = self._default_original_op
            if scopes.devices:
                self._apply_device_functions(op)
            if scopes.colocation:
                self._colocate(op, scopes.colocation)
            self._record_op_seen_by_control_dependencies(op)
            return op

    def _bring_inputs_in(self, op: Operation) -> None:
        """Makes a new op part of the current branch or loop."""
        context = op._control_flow_context = self._scopes.context
        for tensor in op._inputs:
            if tensor._op._control_flow_context is not None:
                check_input_from_valid_context(op, tensor._op)
        if context is not None:
            context.AddOp(op)

    def _apply_attr_defaults(self, op: Operation) -> None:
        for key, value in self._attr_defaults.items():
            if key not in op._attrs:
                value = value(op) if callable(value) else value
                if value is not None:
                    plain = not hasattr(value, "WhichOneof")
                    op._attrs[key] = value if plain else self._proto_maker("python_attr")(value)

    def _apply_device_functions(self, op: Operation) -> None:
        """Places an op by the current stack of devices; libraries call it for ops of their own."""
        for function in reversed(self._scopes.devices):
            if function is None:
                break
            op._device = requested_name(function(op))

    @staticmethod
    def _colocate(op: Operation, stack: list[Operation]) -> None:
        groups: set[str] = set()
        for other in stack:
            groups.update(group.decode() for group in other.colocation_groups())
            if other._device:
                op._device = other._device
        # These replace groups that came from elsewhere, for example from `_attr_scope`.
        op._attrs["_class"] = sorted(groups)

    def create_op(
        self,
        op_type: str,
        inputs: list[Tensor],
        dtypes: list[DType] | None = None,
        input_types: list[DType] | None = None,
        name: str | None = None,
        attrs: dict[str, Any] | None = None,
        op_def: Any = None,
        compute_shapes: bool = True,
        compute_device: bool = True,
    ) -> Operation:
        """Makes a node from its parts, with attrs as AttrValue protos or plain values.

        Args:
            op_type: the op type.
            inputs: the data inputs, list inputs flattened.
            dtypes: ignored, the types follow from the op type and the attrs.
            input_types: ignored.
            name: the name, made unique; a trailing slash means that it is final.
            attrs: attr values by name.
            op_def: ignored.
            compute_shapes: ignored, shapes are always inferred.
            compute_device: ignored, devices are always applied.

        Returns:
            The Operation.

        Raises:
            TypeError: if an input is not a Tensor.
        """
        self._check_not_finalized()
        for index, tensor in enumerate(inputs):
            if not isinstance(tensor, Tensor):
                raise TypeError(f"Input #{index} is not a tensor: {tensor}")
        record = self._record_of(op_type)
        convert = self._proto_maker("python_attr")
        values = {
            key: convert(value) if hasattr(value, "WhichOneof") else value
            for key, value in (attrs or {}).items()
        }
        op: Operation = self._proto_maker("node")(
            self, record, list(inputs), values, self.new_name(name or op_type)
        )
        return op

    def _add_op(self, op: Operation) -> None:
        """Does nothing: the constructor of an Operation has added it."""

    @property
    def _c_graph(self) -> Graph:
        """This graph: there is no C library with an object of its own for graphs."""
        return self

    def _create_op_from_tf_operation(self, c_op: Any, compute_device: bool = True) -> Operation:
        """Makes the op that `ops._create_c_op` has described."""
        op: Operation = self._proto_maker("described_op")(self, c_op)
        return op

    def _add_new_tf_operations(self, compute_devices: bool = True) -> list[Operation]:
        """Makes the ops that `ops._create_c_op` has described and nobody has made yet."""
        return [self._create_op_from_tf_operation(c_op) for c_op in list(self._described_ops)]

    def _brought(self, inputs: Sequence[Tensor], full_name: str) -> Sequence[Tensor]:
        """The inputs of a new node; in a function body, placeholders replace outer tensors."""
        for tensor in inputs:
            if tensor._op._graph is not self:
                raise ValueError(f"{tensor} must be from the same graph as {inputs[0]}.")
        return inputs

    def get_operation_by_name(self, name: str) -> Operation:
        """The op of this name; raises TypeError, ValueError or KeyError as TensorFlow does."""
        if not isinstance(name, str):
            raise TypeError(f"Operation names are strings (or similar), not {type(name).__name__}.")
        op: Operation = self.as_graph_element(name, allow_tensor=False, allow_operation=True)
        return op

    def get_tensor_by_name(self, name: str) -> Tensor:
        """The tensor of this name (``op:index``); raises TypeError, ValueError or KeyError."""
        if not isinstance(name, str):
            raise TypeError(f"Tensor names are strings (or similar), not {type(name).__name__}.")
        tensor: Tensor = self.as_graph_element(name, allow_tensor=True, allow_operation=False)
        return tensor

    def as_graph_element(
        self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True
    ) -> Any:
        """The Operation or Tensor that `obj` stands for.

        Args:
            obj: an Operation, a Tensor, a name, or an object with ``_as_graph_element()``.
            allow_tensor: whether the result may be a Tensor.
            allow_operation: whether the result may be an Operation.

        Returns:
            The Operation or Tensor.

        Raises:
            TypeError: if `obj` cannot be converted.
            ValueError: if it is of another graph, or a malformed name.
            KeyError: if the graph has nothing of this name.
        """
        if not (allow_tensor or allow_operation):
            raise ValueError("allow_tensor and allow_operation can't both be False.")
        wanted = " or ".join(
            kind for kind, on in (("Tensor", allow_tensor), ("Operation", allow_operation)) if on
        )
        if hasattr(obj, "_as_graph_element"):
            obj = obj._as_graph_element()
        if isinstance(obj, bytes):
            obj = obj.decode(errors="backslashreplace")
        if isinstance(obj, str):
            return self._element_of_name(obj, allow_tensor, allow_operation)
        allowed = (isinstance(obj, Tensor) and allow_tensor) or (
            isinstance(obj, Operation) and allow_operation
        )
        if not allowed:
            raise TypeError(f"Can not convert a {type(obj).__name__} into a {wanted}.")
        if obj.graph is not self:
            kind = "Tensor" if isinstance(obj, Tensor) else "Operation"
            raise ValueError(f"{kind} {obj} is not an element of this graph.")
        return obj

    def _element_of_name(self, name: str, allow_tensor: bool, allow_operation: bool) -> Any:
        if ":" in name:
            if not allow_tensor:
                raise ValueError(f"Name {name!r} appears to refer to a Tensor, not a Operation.")
            try:
                op_name, text = name.split(":")
                index = int(text)
            except ValueError:
                raise ValueError(
                    f"The name {name!r} looks a like a Tensor name, but is not a valid one. "
                    'Tensor names must be of the form "<op_name>:<output_index>".'
                ) from None
            op = self._nodes_by_name.get(op_name)
            if op is None:
                raise KeyError(
                    f"The name {name!r} refers to a Tensor which does not exist. The operation, "
                    f"{op_name!r}, does not exist in the graph."
                )
            if index >= len(op._outputs):
                raise KeyError(
                    f"The name {name!r} refers to a Tensor which does not exist. The operation, "
                    f"{op_name!r}, exists but only has {len(op._outputs)} outputs."
                )
            return op._outputs[index]
        op = self._nodes_by_name.get(name)
        if op is not None and allow_operation:
            return op
        if op is not None:
            raise ValueError(
                f"The name {name!r} refers to an Operation, not a Tensor. Tensor names must be of "
                'the form "<op_name>:<output_index>".'
            )
        if allow_operation and not allow_tensor:
            raise KeyError(f"The name {name!r} refers to an Operation not in the graph.")
        if allow_operation:
            raise KeyError(f"The name {name!r} refers to an Operation not in the graph.")
        raise ValueError(
            f"The name {name!r} looks like an (invalid) Operation name, not a Tensor. Tensor "
            'names must be of the form "<op_name>:<output_index>".'
        )

    # Control dependencies

    @contextmanager
    def control_dependencies(self, control_inputs: Any) -> Iterator[None]:
        """A with block whose new ops run after the given ones.

        Args:
            control_inputs: ops or tensors; None drops the dependencies of outer blocks.

        Raises:
            TypeError: if an element is neither an op nor a tensor.
        """
        scopes = self._scopes
        if control_inputs is None:
            block = Controllers([], new_stack=True)
        else:
            ops: list[Operation] = []
            for item in control_inputs:
                # IndexedSlices and resource variables depend on their op.
                if hasattr(item, "dense_shape") or hasattr(item, "_handle"):
                    item = getattr(item, "op", item)
                # The body of a function does not wait for ops outside of it.
                element = Graph.as_graph_element(self, item)
                op = element.op if isinstance(element, Tensor) else element
                if op not in ops and not any(op in c.ops for c in scopes.controllers):
                    ops.append(op)
            block = Controllers(ops, new_stack=False)
        old_controllers, old_name, old_context = scopes.controllers, scopes.name, scopes.context
        if block.new_stack:
            scopes.controllers = [block]
            scopes.context = None
        else:
            scopes.controllers = [*old_controllers, block]
        try:
            yield
        finally:
            scopes.controllers = old_controllers
            scopes.name = old_name
            if block.new_stack:
                scopes.context = old_context

    def _current_control_dependencies(self) -> set[Operation]:
        return {op for block in self._scopes.controllers for op in block.ops}

    def _control_dependencies_for_inputs(self, inputs: tuple[Tensor, ...]) -> list[Operation]:
        """The control inputs of a new op; those that an input already implies are left out."""
        input_ops = {tensor._op for tensor in inputs}
        result: list[Operation] = []
        for block in self._scopes.controllers:
            if not input_ops.isdisjoint(block.seen):
                continue
            result.extend(op for op in block.ops if op not in input_ops and op not in result)
        return result

    def _record_op_seen_by_control_dependencies(self, op: Operation) -> None:
        for block in self._scopes.controllers:
            block.seen.add(op)

    # Devices, colocation, containers

    @contextmanager
    def colocate_with(self, op: Any, ignore_existing: bool = False) -> Iterator[None]:
        """A with block whose new ops are placed with `op`.

        Args:
            op: an op or tensor; None together with `ignore_existing` leaves outer blocks.
            ignore_existing: whether outer blocks are ignored.
        """
        if op is None and not ignore_existing:
            raise ValueError(
                "Trying to reset colocation (op is None) but ignore_existing is not True"
            )
        if op is not None and not isinstance(op, Operation):
            # A variable stands for the op that holds it, not for one that reads it.
            op = op._holder() if hasattr(op, "_holder") else getattr(op, "handle", op)
            if hasattr(op, "dense_shape"):
                op = op.values
            # It may belong to another graph: only the new ops of this one are placed.
            op = getattr(op, "_ref", lambda: op)()
            op = op if isinstance(op, Tensor) else self.as_graph_element(op)
            op = op if isinstance(op, Operation) else op.op
        scopes = self._scopes
        old, old_devices = scopes.colocation, scopes.devices
        scopes.colocation = [] if ignore_existing else list(old)
        if op is not None:
            scopes.colocation.append(op)
        scopes.devices = []
        try:
            yield
        finally:
            scopes.colocation, scopes.devices = old, old_devices

    @contextmanager
    def _original_op(self, op: Operation) -> Iterator[None]:
        old = self._default_original_op
        self._default_original_op = op
        try:
            yield
        finally:
            self._default_original_op = old

    def _repr_html_(self) -> str:
        """The graph as the value of a notebook's cell: an interactive drawing."""
        drawn: str = proto_makers["html"](self)
        return drawn

    def is_fetchable(self, element: Any) -> bool:
        """Whether the tensor or op can be fetched."""
        return (element.op if isinstance(element, Tensor) else element) not in self._unfetchable
