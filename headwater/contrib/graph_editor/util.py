"""Lists of ops and tensors, their graphs, and names of placeholders."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from headwater.base.dtypes import DType
from headwater.base.export import export
from headwater.base.typing import NestedTensors, ShapeLike, TensorLike
from headwater.graph import Graph, Operation, Tensor
from headwater.graph.graph_keys import GraphKeys
from headwater.ops.array.constant import placeholder

_DEFAULT_PREFIX = "geph"


@export("contrib.graph_editor.util.concatenate_unique")
def concatenate_unique(la: list[Any], lb: Iterable[Any]) -> list[Any]:
    """Adds elements to a list that are not in it.

    Args:
      la: the list; it is changed.
      lb: what is added.

    Returns:
      The list.
    """
    seen = set(la)
    for element in lb:
        if element not in seen:
            seen.add(element)
            la.append(element)
    return la


@export("contrib.graph_editor.util.ListView")
class ListView:
    """A list that cannot be changed through this object.

    Args:
      list_: the list.

    Raises:
      TypeError: if it is not a list.
    """

    def __init__(self, list_: list[Any]) -> None:
        if not isinstance(list_, list):
            raise TypeError(f"Expected a list, got: {type(list_)}.")
        self._list = list_

    def __iter__(self) -> Iterator[Any]:
        return iter(self._list)

    def __len__(self) -> int:
        return len(self._list)

    def __bool__(self) -> bool:
        return bool(self._list)

    __nonzero__ = __bool__

    def __getitem__(self, i: int) -> Tensor:
        return self._list[i]

    def __add__(self, other: Sequence[int]) -> list[Any]:
        return list(self) + list(other)

    def __repr__(self) -> str:
        return repr(self._list)


@export("contrib.graph_editor.util.is_iterable")
def is_iterable(obj: Any) -> bool:
    """Tells whether an object has elements; a tensor has none.

    Args:
      obj: the object.

    Returns:
      True or False.
    """
    return not isinstance(obj, Tensor | str) and isinstance(obj, Iterable)


@export("contrib.graph_editor.util.flatten_tree")
def flatten_tree(tree: NestedTensors, leaves: list[Any] | None = None) -> list[Any]:
    """Collects the leaves of a nested structure.

    Args:
      tree: nested iterables and dicts.
      leaves: a list that the leaves are added to, or None.

    Returns:
      The list of leaves.
    """
    leaves = [] if leaves is None else leaves
    if isinstance(tree, Mapping):
        tree = tree.values()
    if is_iterable(tree):
        for child in tree:
            flatten_tree(child, leaves)
    else:
        leaves.append(tree)
    return leaves


@export("contrib.graph_editor.util.transform_tree")
def transform_tree(tree: Any, fn: Callable[[Any], Any], iterable_type: type = tuple) -> Any:
    """Applies a function to the leaves of a nested structure.

    Args:
      tree: nested iterables and dicts.
      fn: the function.
      iterable_type: what iterables become that are neither list, tuple nor dict.

    Returns:
      The structure of the results.
    """
    if not is_iterable(tree):
        return fn(tree)
    if isinstance(tree, Mapping):
        kind: type = type(tree)
        return kind((key, transform_tree(child, fn)) for key, child in tree.items())
    children = [transform_tree(child, fn) for child in tree]
    if hasattr(tree, "_fields"):
        return type(tree)(*children)
    return (type(tree) if isinstance(tree, list | tuple) else iterable_type)(children)


@export("contrib.graph_editor.util.check_graphs")
def check_graphs(*args: Any) -> None:
    """Raises unless all elements are of one graph.

    Args:
      *args: what has an attribute `graph`; others do not count.

    Raises:
      ValueError: if two graphs differ.
    """
    graph = None
    for i, element in enumerate(args):
        if graph is None and hasattr(element, "graph"):
            graph = element.graph
        elif graph is not None and hasattr(element, "graph") and element.graph is not graph:
            raise ValueError(f"Argument[{i}]: Wrong graph!")


@export("contrib.graph_editor.util.get_unique_graph")
def get_unique_graph(
    tops: Sequence[Tensor | Operation], check_types: Any = None, none_if_empty: bool = False
) -> Any:
    """Returns the graph of all elements.

    Args:
      tops: a graph, or an iterable of ops and tensors.
      check_types: the types that the elements may have, by default Tensor and Operation.
      none_if_empty: whether an empty list is of no graph.

    Returns:
      The graph, or None.

    Raises:
      TypeError: if `tops` is not an iterable or an element is of another type.
      ValueError: if the elements are of several graphs, or there are none.
    """
    if isinstance(tops, Graph):
        return tops
    if not is_iterable(tops):
        raise TypeError(f"{type(tops)} is not iterable")
    if check_types is None:
        check_types = (Operation, Tensor)
    elif not is_iterable(check_types):
        check_types = (check_types,)
    graph: Any = None
    kinds: tuple[type, ...] = tuple(check_types)
    for op in tops:
        if not isinstance(op, kinds):
            names = ", ".join(str(kind) for kind in check_types)
            raise TypeError(f"Expected a type in ({names}), got: {type(op)}")
        if graph is None:
            graph = op.graph
        elif graph is not op.graph:
            raise ValueError(f"Operation {op} does not belong to given graph")
    if graph is None and not none_if_empty:
        raise ValueError("Can't find the unique graph of an empty list")
    return graph


@export("contrib.graph_editor.make_list_of_op", "contrib.graph_editor.util.make_list_of_op")
def make_list_of_op(
    ops: Any, check_graph: bool = True, allow_graph: bool = True, ignore_ts: bool = False
) -> list[Operation]:
    """Makes a list of ops.

    Args:
      ops: an op, an iterable of ops, or a graph.
      check_graph: whether all must be of one graph.
      allow_graph: whether a graph stands for all its ops.
      ignore_ts: whether tensors among them are left out.

    Returns:
      The list.

    Raises:
      TypeError: if an element is not an op.
      ValueError: if the ops are of several graphs.
    """
    if isinstance(ops, Graph):
        if not allow_graph:
            raise TypeError("allow_graph is False: cannot convert a tf.Graph.")
        return ops.get_operations()
    items = list(ops) if is_iterable(ops) else [ops]
    if check_graph:
        check_types = None if ignore_ts else Operation
        get_unique_graph(items, check_types=check_types, none_if_empty=True)
    return [op for op in items if isinstance(op, Operation)]


@export("contrib.graph_editor.make_list_of_t", "contrib.graph_editor.util.make_list_of_t")
def make_list_of_t(
    ts: Any, check_graph: bool = True, allow_graph: bool = True, ignore_ops: bool = False
) -> list[Tensor]:
    """Makes a list of tensors.

    Args:
      ts: a tensor, an iterable of tensors, or a graph.
      check_graph: whether all must be of one graph.
      allow_graph: whether a graph stands for all its tensors.
      ignore_ops: whether ops among them are left out.

    Returns:
      The list.

    Raises:
      TypeError: if an element is not a tensor.
      ValueError: if the tensors are of several graphs.
    """
    if isinstance(ts, Graph):
        if not allow_graph:
            raise TypeError("allow_graph is False: cannot convert a tf.Graph.")
        return get_tensors(ts)
    items = list(ts) if is_iterable(ts) else [ts]
    if check_graph:
        check_types = None if ignore_ops else Tensor
        get_unique_graph(items, check_types=check_types, none_if_empty=True)
    return [t for t in items if isinstance(t, Tensor)]


@export("contrib.graph_editor.get_tensors", "contrib.graph_editor.util.get_tensors")
def get_tensors(graph: Graph) -> list[Tensor]:
    """Returns all tensors of a graph.

    Args:
      graph: a Graph.

    Returns:
      A list of tensors.

    Raises:
      TypeError: if it is not a Graph.
    """
    if not isinstance(graph, Graph):
        raise TypeError(f"Expected a graph, got: {type(graph)}")
    return [t for op in graph.get_operations() for t in op.outputs]


@export("contrib.graph_editor.get_generating_ops", "contrib.graph_editor.util.get_generating_ops")
def get_generating_ops(ts: Sequence[TensorLike]) -> list[Operation]:
    """Returns the ops that make tensors.

    Args:
      ts: an iterable of tensors.

    Returns:
      A list of ops.
    """
    return [t.op for t in make_list_of_t(ts, allow_graph=False)]


@export("contrib.graph_editor.get_consuming_ops", "contrib.graph_editor.util.get_consuming_ops")
def get_consuming_ops(ts: Sequence[TensorLike]) -> list[Operation]:
    """Returns the ops that use tensors, each once.

    Args:
      ts: an iterable of tensors.

    Returns:
      A list of ops.
    """
    tensors = make_list_of_t(ts, allow_graph=False)
    return list(dict.fromkeys(op for t in tensors for op in t.consumers()))


@export("contrib.graph_editor.ControlOutputs", "contrib.graph_editor.util.ControlOutputs")
class ControlOutputs:
    """The control outputs of each op of a graph.

    Args:
      graph: a Graph.

    Raises:
      TypeError: if it is not a Graph.
    """

    def __init__(self, graph: Graph) -> None:
        if not isinstance(graph, Graph):
            raise TypeError(f"Expected a tf.Graph, got: {type(graph)}")
        self._graph = graph
        self._changes: int | None = None
        self._outputs: dict[Operation, list[Operation]] = {}
        self.update()

    def update(self) -> ControlOutputs:
        """Rebuilds the map if the graph has changed."""
        if self._changes != self._graph.changes:
            self._outputs = {}
            for op in self._graph.get_operations():
                for control_input in op.control_inputs:
                    self._outputs.setdefault(control_input, []).append(op)
            self._changes = self._graph.changes
        return self

    def get_all(self) -> dict[Operation, list[Operation]]:
        """Returns {op: its control outputs}."""
        return self._outputs

    def get(self, op: Operation) -> list[Operation]:
        """Returns the control outputs of an op."""
        return self._outputs.get(op, [])

    @property
    def graph(self) -> Graph:
        """The graph."""
        return self._graph


@export("contrib.graph_editor.util.scope_finalize")
def scope_finalize(scope: str) -> str:
    """Returns a scope with a slash at its end.

    Args:
      scope: the scope.

    Returns:
      The scope; "" stays so.
    """
    return scope + "/" if scope and not scope.endswith("/") else scope


@export("contrib.graph_editor.util.scope_dirname")
def scope_dirname(scope: str) -> str:
    """Returns all but the last part of a name, with a slash at its end.

    Args:
      scope: a name or scope.

    Returns:
      The outer scope, or "".
    """
    return scope[: scope.rfind("/") + 1]


@export("contrib.graph_editor.util.scope_basename")
def scope_basename(scope: str) -> str:
    """Returns the last part of a name.

    Args:
      scope: a name or scope.

    Returns:
      What stands behind the last slash.
    """
    return scope[scope.rfind("/") + 1 :]


@export("contrib.graph_editor.placeholder_name", "contrib.graph_editor.util.placeholder_name")
def placeholder_name(
    t: TensorLike | None = None, scope: str | None = None, prefix: str = _DEFAULT_PREFIX
) -> str:
    """Returns the name of a placeholder for a tensor.

    Args:
      t: the tensor, or None.
      scope: the scope of the placeholder, by default that of the tensor.
      prefix: what the name begins with.

    Returns:
      The name.

    Raises:
      TypeError: if `t` is neither a tensor nor None.
    """
    if scope is not None:
        scope = scope_finalize(scope)
    if t is None:
        return (scope or "") + prefix
    if not isinstance(t, Tensor):
        raise TypeError(f"Expected a tf.Tenfor, got: {type(t)}")
    base = f"{prefix}__{scope_basename(t.op.name)}_{t.value_index}"
    return (scope_dirname(t.op.name) if scope is None else scope) + base


@export(
    "contrib.graph_editor.make_placeholder_from_tensor",
    "contrib.graph_editor.util.make_placeholder_from_tensor",
)
def make_placeholder_from_tensor(
    t: Tensor, scope: str | None = None, prefix: str = _DEFAULT_PREFIX
) -> Tensor:
    """Makes a placeholder of the type and shape of a tensor in the default graph.

    Args:
      t: the tensor.
      scope: the scope of the placeholder, by default that of the tensor.
      prefix: what the name begins with.

    Returns:
      A tensor.
    """
    return placeholder(t.dtype, t.get_shape(), name=placeholder_name(t, scope, prefix))


@export(
    "contrib.graph_editor.make_placeholder_from_dtype_and_shape",
    "contrib.graph_editor.util.make_placeholder_from_dtype_and_shape",
    "contrib.graph_editor.ph",
)
def make_placeholder_from_dtype_and_shape(
    dtype: DType,
    shape: ShapeLike | None = None,
    scope: str | None = None,
    prefix: str = _DEFAULT_PREFIX,
) -> Tensor:
    """Makes a placeholder in the default graph.

    Args:
      dtype: its type.
      shape: its shape, or None.
      scope: its scope.
      prefix: what the name begins with.

    Returns:
      A tensor.
    """
    return placeholder(dtype, shape, name=placeholder_name(scope=scope, prefix=prefix))


@export("contrib.graph_editor.util.get_predefined_collection_names")
def get_predefined_collection_names() -> list[str]:
    """Returns the names of the collections that `tf.GraphKeys` lists."""
    return [
        getattr(GraphKeys, name)
        for name in dir(GraphKeys)
        if re.match("^[A-Z]", name) and isinstance(getattr(GraphKeys, name), str)
    ]


@export("contrib.graph_editor.util.find_corresponding_elem")
def find_corresponding_elem(
    target: Any, dst_graph: Graph, dst_scope: str = "", src_scope: str = ""
) -> Any:
    """Finds the op or tensor of another graph or scope that has the same name.

    Args:
      target: an op or tensor.
      dst_graph: the graph to look in.
      dst_scope: the scope to look in.
      src_scope: the scope that `target` is in.

    Returns:
      The op or tensor, or None.

    Raises:
      ValueError: if `src_scope` is not where `target` is.
      TypeError: if `target` is neither an op nor a tensor.
    """
    src_scope, dst_scope = scope_finalize(src_scope), scope_finalize(dst_scope)
    if not isinstance(target, Operation | Tensor):
        raise TypeError(f"Expected tf.Tensor or tf.Operation, got: {type(target)}")
    if src_scope and not target.name.startswith(src_scope):
        raise ValueError(f"{target.name} does not start with {src_scope}")
    name = dst_scope + target.name[len(src_scope) :]
    try:
        return dst_graph.as_graph_element(
            name,
            allow_tensor=isinstance(target, Tensor),
            allow_operation=isinstance(target, Operation),
        )
    except KeyError:
        return None


@export("contrib.graph_editor.util.find_corresponding")
def find_corresponding(
    targets: TensorLike, dst_graph: Graph, dst_scope: str = "", src_scope: str = ""
) -> Any:
    """`find_corresponding_elem` of each leaf of a nested structure.

    Args:
      targets: nested ops and tensors.
      dst_graph: the graph to look in.
      dst_scope: the scope to look in.
      src_scope: the scope that the targets are in.

    Returns:
      The structure of what is found.
    """
    return transform_tree(
        targets, lambda t: find_corresponding_elem(t, dst_graph, dst_scope, src_scope)
    )
