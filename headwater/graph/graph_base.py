"""What a graph keeps beside its ops: versions, names, collections, and the scopes in force."""

from __future__ import annotations

import itertools
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from headwater.graph import stacks
from headwater.graph.device import merge_device
from headwater.graph.registry import OpRecord, lookup
from headwater.graph.versions import GRAPH_DEF_VERSION, GRAPH_DEF_VERSION_MIN_CONSUMER

_OP_NAME = re.compile(r"^[A-Za-z0-9.][A-Za-z0-9_.\-/]*$")
_SCOPE_NAME = re.compile(r"^[A-Za-z0-9_.\-/]*$")

# Functions that make protos and drawings of ops and graphs, by what they make. The modules that
# stand above register them, so that building a graph needs no protos.
proto_makers: dict[str, Callable[..., Any]] = {}


_keys = itertools.count()


class Controllers:
    """One `control_dependencies` block."""

    __slots__ = ("new_stack", "ops", "seen")

    def __init__(self, ops: list[Any], new_stack: bool) -> None:
        self.ops = ops
        self.new_stack = new_stack
        self.seen: set[Any] = set()


class _Scopes(threading.local):
    """What the with blocks of one thread have set for new nodes of one graph."""

    def __init__(self) -> None:
        self.name = ""
        self.controllers: list[Controllers] = []
        self.devices: list[Callable[[Any], str] | None] = []
        self.colocation: list[Any] = []
        # The branch or loop that is being built.
        self.context: Any = None


class GraphBase:
    """A graph without the ways to add and find ops: what ops themselves ask of their graph."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._nodes_by_name: dict[str, Any] = {}
        self._last_id_value = 0
        self._key = ""
        self._changes = 0
        self._names_in_use: dict[str, int] = {}
        self._scopes = _Scopes()
        self._collections: dict[Any, list[Any]] = {}
        self._seed: int | None = None
        self._seed_used = False  # whether an op without a seed of its own has taken it
        self._finalized = False
        self._container = ""
        self._gradient_override: dict[str, str] = {}
        self._attr_defaults: dict[str, Any] = {}
        self._kernel_labels: dict[str, str] = {}
        self._default_original_op: Any = None
        self._unfeedable: set[Any] = set()
        self._unfetchable: set[Any] = set()
        self._py_funcs_used_in_graph: list[Any] = []
        self._described_ops: list[Any] = []
        self._functions: dict[str, Any] = {}
        # Copies of ops for runs that call functions, made by the engine, by the fed tensors.
        self._inlinings: dict[Any, Any] = {}
        # What tensors on long chains of aliases stand for, at one count of changes; the engine's.
        self._alias_notes: tuple[int, dict[Any, Any]] = (0, {})
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

    # The following three are TensorFlow's: libraries read them.

    @property
    def _version(self) -> int:
        return self._last_id_value

    @property
    def _nodes_by_id(self) -> dict[int, Any]:
        return {op._id: op for op in self._nodes_by_name.values()}

    @property
    def _graph_key(self) -> str:
        """A text that no other graph of the process has."""
        if not self._key:
            self._key = f"grap-key-{next(_keys)}/"
        return self._key

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

    def as_default(self) -> AbstractContextManager[Any]:
        """A with block in which this graph is the default graph."""
        return stacks.graphs.entered(self)

    def get_operations(self) -> list[Any]:
        """All ops, in the order in which they were made."""
        return list(self._nodes_by_name.values())

    def create_op(self, *args: Any, **kwargs: Any) -> Any:
        """Adds an op; see `Graph.create_op`."""
        raise NotImplementedError("Abstract method")

    def colocate_with(self, *args: Any, **kwargs: Any) -> Any:
        """See `Graph.colocate_with`."""
        raise NotImplementedError("Abstract method")

    def control_dependencies(self, control_inputs: Any) -> AbstractContextManager[None]:
        """See `Graph.control_dependencies`."""
        raise NotImplementedError("Abstract method")

    # Protos and functions

    @staticmethod
    def _proto_maker(what: str) -> Callable[..., Any]:
        return proto_makers[what]

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
            name = name.decode(errors="backslashreplace")
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
                name = name.decode(errors="backslashreplace")
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

    # Branches and loops

    def _get_control_flow_context(self) -> Any:
        """The branch or loop that is being built, or None."""
        return self._scopes.context

    def _set_control_flow_context(self, ctx: Any) -> None:
        self._scopes.context = ctx
        self._has_contexts = True

    # Devices and containers

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
    def container(self, container_name: str) -> Iterator[str]:
        """A with block whose stateful ops keep their resources in the named container."""
        old = self._container
        self._container = container_name
        try:
            yield container_name
        finally:
            self._container = old

    def switch_to_thread_local(self) -> None:
        """Keeps devices, colocation and control dependencies per thread, as they are always."""

    # Overrides

    @contextmanager
    def gradient_override_map(self, op_type_map: dict[str, str]) -> Iterator[None]:
        """A with block in which op types take their gradient from another registration.

        Args:
            op_type_map: from op type to the name given to `RegisterGradient`.

        Raises:
            TypeError: if it is not a dict from string to string.
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

    # Feeds and fetches

    def prevent_feeding(self, tensor: Any) -> None:
        """Marks a tensor that cannot be fed."""
        self._unfeedable.add(tensor)
        self._changed()

    def is_feedable(self, tensor: Any) -> bool:
        """Whether the tensor can be fed."""
        return tensor not in self._unfeedable

    def prevent_fetching(self, op: Any) -> None:
        """Marks an op whose outputs cannot be fetched."""
        self._unfetchable.add(op)
        self._changed()

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
