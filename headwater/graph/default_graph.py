"""The default graph, and the with blocks of it that users write."""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from headwater.base.export import export
from headwater.graph import stacks
from headwater.graph.graph import Graph


def _same_graph(items: list[Any], graph: Graph | None) -> Graph:
    if items:
        default = get_default_graph()
        if default._building_function:
            return default
    for item in items:
        found = getattr(item, "graph", None)
        if not isinstance(found, Graph):
            continue
        if graph is None:
            graph = found
        elif found is not graph:
            first = next(i for i in items if getattr(i, "graph", None) is graph)
            raise ValueError(f"{item} must be from the same graph as {first}.")
    return graph or get_default_graph()


_NAME_TYPES: tuple[type, ...] = (str, bytes, type(None))


class _GlobalDefault(threading.local):
    """The graph of a thread outside all `Graph.as_default` blocks."""

    graph: Graph | None = None


_global_default = _GlobalDefault()


@export("get_default_graph")
def get_default_graph() -> Graph:
    """The graph to which new ops of this thread are added.

    Example:
        >>> c = tf.constant(1)
        >>> print(c.graph is tf.get_default_graph())
        True
    """
    top = stacks.graphs.top()
    return global_default_graph() if top is None else top


def global_default_graph() -> Graph:
    """The default graph of this thread outside all `Graph.as_default` blocks."""
    if _global_default.graph is None:
        _global_default.graph = Graph()
    return _global_default.graph


@export("reset_default_graph")
def reset_default_graph() -> None:
    """Replaces the global default graph by an empty one.

    Raises:
        AssertionError: inside a `Graph.as_default` block.

    Example:
        >>> graph = tf.get_default_graph()
        >>> tf.reset_default_graph()
        >>> print(tf.get_default_graph() is graph)
        False
    """
    if stacks.graphs.items:
        raise AssertionError(
            "Do not use tf.reset_default_graph() to clear nested graphs. If you need a cleared "
            "graph, exit the nesting and create a new graph."
        )
    _global_default.graph = Graph()


@export("name_scope")
class name_scope(AbstractContextManager[str]):
    """A with block that puts `name` (or, if that is None, `default_name`) before op names.

    Args:
        name: the scope as the user gave it, or None.
        default_name: the scope if `name` is None.
        values: tensors that must be of one graph; that graph is made the default.
    """

    def __init__(self, name: Any, default_name: Any = None, values: Any = None) -> None:
        if not isinstance(default_name, _NAME_TYPES):
            raise TypeError(
                f"`default_name` type ({type(default_name)}) is not a string type. You likely "
                "meant to pass this into the `values` kwarg."
            )
        self._name: Any = default_name if name is None else name
        self._default_name = default_name
        self._values = values
        if self._name is None and values is not None:
            raise ValueError(
                f"At least one of name ({name}) and default_name ({default_name}) must be provided."
            )

    @property
    def name(self) -> Any:
        """The scope as it was asked for."""
        return self._name

    def __enter__(self) -> str:
        graph = _same_graph(list(self._values or ()), None)
        self._default = graph.as_default()
        self._default.__enter__()
        try:
            self._scope = graph.name_scope(self._name)
            return self._scope.__enter__()
        except BaseException:
            self._default.__exit__(None, None, None)
            raise

    def __exit__(self, *exc: Any) -> None:
        self._scope.__exit__(*exc)
        self._default.__exit__(*exc)


@export("op_scope")
def op_scope(values: Any, name: Any, default_name: Any = None) -> name_scope:
    """The older form of `name_scope`, with the values first."""
    return name_scope(name, default_name=default_name, values=values)


@export("control_dependencies")
def control_dependencies(control_inputs: Any) -> AbstractContextManager[None]:
    """`Graph.control_dependencies` of the default graph.

    Example:
        >>> v = tf.Variable(0)
        >>> session.run(v.initializer)
        >>> with tf.control_dependencies([v.assign_add(1)]):
        ...     seen = v.read_value()
        >>> print(session.run(seen))
        1
    """
    return get_default_graph().control_dependencies(control_inputs)


@export("device")
def device(device_name_or_function: Any) -> AbstractContextManager[None]:
    """`Graph.device` of the default graph.

    Example:
        >>> with tf.device("/cpu:0"):
        ...     c = tf.constant(1)
        >>> print(c.device)
        /device:CPU:0
    """
    return get_default_graph().device(device_name_or_function)


@export("container")
def container(container_name: str) -> AbstractContextManager[str]:
    """`Graph.container` of the default graph."""
    return get_default_graph().container(container_name)


@export("colocate_with")
def colocate_with(op: Any, ignore_existing: bool = False) -> AbstractContextManager[None]:
    """`Graph.colocate_with` of the default graph."""
    if op is None and not ignore_existing:
        return nullcontext()
    return get_default_graph().colocate_with(op, ignore_existing)


@export("add_to_collection")
def add_to_collection(name: Any, value: Any) -> None:
    """`Graph.add_to_collection` of the default graph.

    Example:
        >>> tf.add_to_collection("rates", 0.1)
        >>> tf.add_to_collection("rates", 0.2)
        >>> print(tf.get_collection("rates"))
        [0.1, 0.2]
    """
    get_default_graph().add_to_collection(name, value)


@export("add_to_collections")
def add_to_collections(names: Any, value: Any) -> None:
    """`Graph.add_to_collections` of the default graph."""
    get_default_graph().add_to_collections(names, value)


@export("get_collection")
def get_collection(key: Any, scope: str | None = None) -> list[Any]:
    """`Graph.get_collection` of the default graph.

    Example:
        >>> tf.add_to_collection("losses", 0.5)
        >>> print(tf.get_collection("losses"))
        [0.5]
    """
    return get_default_graph().get_collection(key, scope)


@export("get_collection_ref")
def get_collection_ref(key: Any) -> list[Any]:
    """`Graph.get_collection_ref` of the default graph."""
    return get_default_graph().get_collection_ref(key)
