"""The Graph: nodes, names, and the scopes that are in force while nodes are made."""

from __future__ import annotations

import importlib
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from headwater.base.dtypes import DType
from headwater.base.export import export
from headwater.graph import stacks
from headwater.graph.control_flow.util import check_input_from_valid_context
from headwater.graph.device import canonical_name, merge_device
from headwater.graph.operation import Operation, Tensor
from headwater.graph.registry import OpRecord, lookup
from headwater.graph.versions import GRAPH_DEF_VERSION, GRAPH_DEF_VERSION_MIN_CONSUMER

_OP_NAME = re.compile(r"^[A-Za-z0-9.][A-Za-z0-9_.\-/]*$")
_SCOPE_NAME = re.compile(r"^[A-Za-z0-9_.\-/]*$")

# Functions that make protos for ops; set by graph_def, so that building graphs needs no protos.
_proto_makers: dict[str, Callable[..., Any]] = {}


class _Controllers:
    """One `control_dependencies` block."""

    __slots__ = ("new_stack", "ops", "seen")

    def __init__(self, ops: list[Operation], new_stack: bool) -> None:
        self.ops = ops
        self.new_stack = new_stack
        self.seen: set[Operation] = set()


class _Scopes(threading.local):
    """What the with blocks of one thread have set for new nodes of one graph."""

    def __init__(self) -> None:
        self.name = ""
        self.controllers: list[_Controllers] = []
        self.devices: list[Callable[[Any], str] | None] = []
        self.colocation: list[Operation] = []
        # The branch or loop that is being built.
        self.context: Any = None


@export("Graph")
class Graph:
    """A dataflow graph: ops, and tensors that connect them."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._nodes_by_name: dict[str, Operation] = {}
        self._last_id_value = 0
        self._changes = 0
        self._names_in_use: dict[str, int] = {}
        self._scopes = _Scopes()
        self._collections: dict[Any, list[Any]] = {}
        self._seed: int | None = None
        self._finalized = False
        self._container = ""
        self._gradient_override: dict[str, str] = {}
        self._attr_defaults: dict[str, Any] = {}
        self._kernel_labels: dict[str, str] = {}
        self._default_original_op: Operation | None = None
        self._unfeedable: set[Tensor] = set()
        self._unfetchable: set[Any] = set()
        self._py_funcs_used_in_graph: list[Any] = []
        self._described_ops: list[Any] = []
        self._functions: dict[str, Any] = {}
        # Copies of ops for runs that call functions, made by the engine, by the fed tensors.
        self._expansions: dict[Any, Any] = {}
        self._has_contexts = False
        self._broadcast_pairs: set[tuple[Any, Any]] = set()
        self._building_function = False
        self._producer = GRAPH_DEF_VERSION
        self._min_consumer = GRAPH_DEF_VERSION_MIN_CONSUMER

    # Identity and versions

    @property
    def version(self) -> int:
        """The number of nodes made so far."""
        return self._last_id_value

    @property
    def _last_id(self) -> int:
        return self._last_id_value

    @property
    def changes(self) -> int:
        """A count that grows with every change to the graph; plans are valid for one count."""
        return self._last_id_value + self._changes

    def _changed(self) -> None:
        self._changes += 1

    @property
    def seed(self) -> int | None:
        """The graph-level random seed."""
        return self._seed

    @seed.setter
    def seed(self, seed: int | None) -> None:
        self._seed = seed

    @property
    def building_function(self) -> bool:
        """True while the graph is the body of a function."""
        return self._building_function

    @property
    def finalized(self) -> bool:
        """True if no node can be added any more."""
        return self._finalized

    def finalize(self) -> None:
        """Makes the graph read-only."""
        self._finalized = True

    def _unsafe_unfinalize(self) -> None:
        self._finalized = False

    def _check_not_finalized(self) -> None:
        if self._finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")

    def as_default(self) -> AbstractContextManager[Graph]:
        """A with block in which this graph is the default graph."""
        return stacks.graphs.entered(self)

    @staticmethod
    def _proto_maker(what: str) -> Callable[..., Any]:
        if what not in _proto_makers:
            # Protos are loaded only by programs that ask for one.
            importlib.import_module("headwater.graph.graph_def")
        if what not in _proto_makers:
            importlib.import_module("headwater.graph.function_protos")
        return _proto_makers[what]

    @property
    def graph_def_versions(self) -> Any:
        """The VersionDef of the graph's GraphDef."""
        return self.as_graph_def().versions

    def as_graph_def(self, from_version: int | None = None, add_shapes: bool = False) -> Any:
        """The graph as a GraphDef proto.

        Args:
            from_version: only nodes made after `version` had this value.
            add_shapes: adds the static shapes as an ``_output_shapes`` attr.

        Returns:
            A GraphDef.
        """
        return self._proto_maker("graph_def")(self, from_version, add_shapes)

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
                self._apply_devices(op, scopes.devices)
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

    def _apply_devices(self, op: Operation, stack: list[Any]) -> None:
        for function in reversed(stack):
            if function is None:
                break
            op._device = canonical_name(function(op))

    @staticmethod
    def _colocate(op: Operation, stack: list[Operation]) -> None:
        groups: set[str] = set()
        for other in stack:
            groups.update(group.decode() for group in other.colocation_groups())
            if other._device:
                op._device = other._device
        # Groups that the node has got otherwise, from `_attr_scope` for example, give way.
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
        return self._proto_maker("node")(
            self, record, list(inputs), values, self.new_name(name or op_type)
        )

    def _add_op(self, op: Operation) -> None:
        """Does nothing: the constructor of an Operation has added it."""

    def _create_op_from_tf_operation(self, c_op: Any, compute_device: bool = True) -> Operation:
        """Makes the op that `ops._create_c_op` has described."""
        return self._proto_maker("described_op")(self, c_op)

    def _add_new_tf_operations(self, compute_devices: bool = True) -> list[Operation]:
        """Makes the ops that `ops._create_c_op` has described and nobody has made yet."""
        return [self._create_op_from_tf_operation(c_op) for c_op in list(self._described_ops)]

    def switch_to_thread_local(self) -> None:
        """Keeps devices, colocation and control dependencies per thread, as they are always."""

    def _is_function(self, name: str) -> bool:
        """Whether an op type is the name of a function of this graph."""
        return name in self._functions

    def _get_function(self, name: str | bytes) -> Any:
        """The function of this name, or None."""
        return self._functions.get(name.decode() if isinstance(name, bytes) else name)

    def _add_function(self, function: Any) -> None:
        """Adds a function or a FunctionDef to the library of this graph."""
        self._proto_maker("add_function")(self, function)

    def _record_of(self, op_type: str) -> OpRecord:
        """The record of an op type, which may be the name of a function of this graph."""
        function = self._functions.get(op_type)
        return lookup(op_type) if function is None else function.record

    def _brought(self, inputs: Sequence[Tensor], full_name: str) -> Sequence[Tensor]:
        """The inputs of a new node; in the body of a function others stand for outer tensors."""
        for tensor in inputs:
            if tensor._op._graph is not self:
                raise ValueError(f"{tensor} must be from the same graph as {inputs[0]}.")
        return inputs

    def get_operations(self) -> list[Operation]:
        """All ops, in the order in which they were made."""
        return list(self._nodes_by_name.values())

    def get_operation_by_name(self, name: str) -> Operation:
        """The op of this name; raises TypeError, ValueError or KeyError as TensorFlow does."""
        if not isinstance(name, str):
            raise TypeError(f"Operation names are strings (or similar), not {type(name).__name__}.")
        return self.as_graph_element(name, allow_tensor=False, allow_operation=True)

    def get_tensor_by_name(self, name: str) -> Tensor:
        """The tensor of this name (``op:index``); raises TypeError, ValueError or KeyError."""
        if not isinstance(name, str):
            raise TypeError(f"Tensor names are strings (or similar), not {type(name).__name__}.")
        return self.as_graph_element(name, allow_tensor=True, allow_operation=False)

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
            obj = obj.decode()
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

    # Names

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """A name that no node has: `name` under the current name scope, with ``_1``... if taken.

        Args:
            name: the wanted name.
            mark_as_used: whether the name is taken from now on.

        Returns:
            The full name.
        """
        scope = self._scopes.name
        if scope:
            name = f"{scope}/{name}"
        with self._lock:
            # TensorFlow treats names that differ in case only as equal.
            used = self._names_in_use
            key = name.lower()
            count = used.get(key, 0)
            if mark_as_used:
                used[key] = count + 1
            if count == 0:
                return name
            unique = key
            while unique in used:
                candidate = f"{name}_{count}"
                unique = candidate.lower()
                count += 1
            if mark_as_used:
                used[unique] = 1
            return candidate

    def take_name(self, name: str) -> None:
        """Marks a full name as used; the scopes in it stay free."""
        with self._lock:
            self._names_in_use.setdefault(name.lower(), 1)

    def new_name(self, name: str) -> str:
        """The full name for a new node; a trailing slash marks one that a name scope has taken."""
        if self._finalized:
            self._check_not_finalized()
        if isinstance(name, bytes):
            name = name.decode()
        if name.endswith("/"):
            if name[:-1] in self._nodes_by_name:
                raise ValueError(f"Duplicate node name in graph: '{name[:-1]}'")
            return name[:-1]
        scope = self._scopes.name
        if not _OP_NAME.match(f"{scope}/{name}" if scope else name):
            raise ValueError(f"'{scope}/{name}' is not a valid node name".replace("'/", "'"))
        return self.unique_name(name)

    def get_name_scope(self) -> str:
        """The current name scope, without a trailing slash."""
        return self._scopes.name

    @property
    def _name_stack(self) -> str:
        return self._scopes.name

    @contextmanager
    def name_scope(self, name: str | None) -> Iterator[str]:
        """A with block in which the names of new ops begin with `name`.

        Args:
            name: the scope, made unique; None or "" is the root; with a trailing slash an
                existing scope is entered again.

        Yields:
            The full scope name with a trailing slash, or "" for the root.

        Raises:
            ValueError: if the name is not a scope name.
        """
        if name:
            if isinstance(name, bytes):
                name = name.decode()
            pattern = _SCOPE_NAME if self._scopes.name else _OP_NAME
            if not pattern.match(name):
                raise ValueError(f"'{name}' is not a valid scope name")
        scopes = self._scopes
        old = scopes.name
        if not name:
            new = ""
        elif name.endswith("/"):
            new = name[:-1]
        else:
            new = self.unique_name(name)
        scopes.name = new
        try:
            yield f"{new}/" if name else ""
        finally:
            scopes.name = old

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
            block = _Controllers([], new_stack=True)
        else:
            ops: list[Operation] = []
            for item in control_inputs:
                # IndexedSlices and resource variables depend on their op.
                if hasattr(item, "dense_shape") or hasattr(item, "_handle"):
                    item = getattr(item, "op", item)
                # A body of a function does not wait for what stands outside of it.
                element = Graph.as_graph_element(self, item)
                op = element.op if isinstance(element, Tensor) else element
                if op not in ops and not any(op in c.ops for c in scopes.controllers):
                    ops.append(op)
            block = _Controllers(ops, new_stack=False)
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

    # Branches and loops

    def _get_control_flow_context(self) -> Any:
        """The branch or loop that is being built, or None."""
        return self._scopes.context

    def _set_control_flow_context(self, ctx: Any) -> None:
        self._scopes.context = ctx
        self._has_contexts = True

    # Devices, colocation, containers

    @contextmanager
    def device(self, device_name_or_function: Any) -> Iterator[None]:
        """A with block whose new ops ask for a device.

        Args:
            device_name_or_function: a device name, a DeviceSpec, a function from Operation to
                name, or None to ignore outer blocks.
        """
        function = device_name_or_function
        if function is not None and not callable(function):
            function = merge_device(function)
        scopes = self._scopes
        old = scopes.devices
        scopes.devices = [*old, function]
        try:
            yield
        finally:
            scopes.devices = old

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
            op = getattr(op, "handle", op)
            if hasattr(op, "dense_shape"):
                op = op.values
            # It may belong to another graph; what matters are the new ops of this one.
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
    def container(self, container_name: str) -> Iterator[str]:
        """A with block whose stateful ops keep their resources in the named container."""
        old = self._container
        self._container = container_name
        try:
            yield container_name
        finally:
            self._container = old

    # Overrides

    @contextmanager
    def gradient_override_map(self, op_type_map: dict[str, str]) -> Iterator[None]:
        """A with block in which op types take their gradient from another registration.

        Args:
            op_type_map: from op type to the name given to `RegisterGradient`.

        Raises:
            TypeError: if it is no dict from string to string.
        """
        if not isinstance(op_type_map, dict):
            raise TypeError("op_type_map must be a dictionary mapping strings to strings")
        for key, value in op_type_map.items():
            if not (isinstance(key, str) and isinstance(value, str)):
                raise TypeError("op_type_map must be a dictionary mapping strings to strings")
        old = self._gradient_override
        self._gradient_override = {**old, **op_type_map}
        try:
            yield
        finally:
            self._gradient_override = old

    @contextmanager
    def _attr_scope(self, attr_map: dict[str, Any]) -> Iterator[None]:
        old = self._attr_defaults
        self._attr_defaults = {k: v for k, v in {**old, **attr_map}.items() if v is not None}
        try:
            yield
        finally:
            self._attr_defaults = old

    @contextmanager
    def _kernel_label_map(self, op_to_kernel_label_map: dict[str, str]) -> Iterator[None]:
        """A with block in which ops of some types take the kernels of a label."""
        if not isinstance(op_to_kernel_label_map, dict) or not all(
            isinstance(text, str) for pair in op_to_kernel_label_map.items() for text in pair
        ):
            raise TypeError(
                "op_to_kernel_label_map must be a dictionary mapping strings to strings"
            )
        old = self._kernel_labels
        self._kernel_labels = {**old, **op_to_kernel_label_map}
        try:
            yield
        finally:
            self._kernel_labels = old

    @contextmanager
    def _original_op(self, op: Operation) -> Iterator[None]:
        old = self._default_original_op
        self._default_original_op = op
        try:
            yield
        finally:
            self._default_original_op = old

    def prevent_feeding(self, tensor: Tensor) -> None:
        """Marks a tensor that cannot be fed."""
        self._unfeedable.add(tensor)
        self._changed()

    def is_feedable(self, tensor: Tensor) -> bool:
        """Whether the tensor can be fed."""
        return tensor not in self._unfeedable

    def prevent_fetching(self, op: Operation) -> None:
        """Marks an op whose outputs cannot be fetched."""
        self._unfetchable.add(op)
        self._changed()

    def is_fetchable(self, element: Any) -> bool:
        """Whether the tensor or op can be fetched."""
        return (element.op if isinstance(element, Tensor) else element) not in self._unfetchable

    # Collections

    def add_to_collection(self, name: Any, value: Any) -> None:
        """Appends a value to a collection."""
        self._check_not_finalized()
        self._collections.setdefault(name, []).append(value)

    def add_to_collections(self, names: Any, value: Any) -> None:
        """Appends a value to several collections (a name or an iterable of names)."""
        for name in (names,) if isinstance(names, str) else dict.fromkeys(names):
            self.add_to_collection(name, value)

    def get_collection_ref(self, name: Any) -> list[Any]:
        """The collection itself; changes to the list are changes to the collection."""
        return self._collections.setdefault(name, [])

    def get_collection(self, name: Any, scope: str | None = None) -> list[Any]:
        """A copy of a collection.

        Args:
            name: the key.
            scope: a regular expression; only values whose name matches at the start are taken.

        Returns:
            A list.
        """
        values = self._collections.get(name, [])
        if scope is None:
            return list(values)
        match = re.compile(scope).match
        return [value for value in values if hasattr(value, "name") and match(value.name)]

    def get_all_collection_keys(self) -> list[Any]:
        """The keys of all collections with a string key."""
        return [key for key in self._collections if isinstance(key, str)]

    @property
    def collections(self) -> list[Any]:
        """The keys of all collections."""
        return list(self._collections)

    def clear_collection(self, name: Any) -> None:
        """Removes a collection."""
        self._check_not_finalized()
        self._collections.pop(name, None)
