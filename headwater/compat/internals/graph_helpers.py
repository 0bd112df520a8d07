"""Helpers of tensorflow.python.framework and of nest that programs import."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from headwater.base import dtypes, nest
from headwater.compat.internals import internal
from headwater.graph import Tensor, stacks
from headwater.graph.graph_util import node_name, reachable_nodes

_MAXINT32 = 2**31 - 1
_DTYPES = [value for value in vars(dtypes).values() if isinstance(value, dtypes.DType)]
_ALL = {dtype.as_datatype_enum: dtype for dtype in _DTYPES}
internal("framework.random_seed._MAXINT32")(_MAXINT32)
internal("framework.ops._VALID_OP_NAME_REGEX")(re.compile(r"^[A-Za-z0-9.][A-Za-z0-9_.\-/]*$"))
internal("framework.ops._VALID_SCOPE_NAME_REGEX")(re.compile(r"^[A-Za-z0-9_.\-/]*$"))
internal("framework.dtypes._STRING_TO_TF")(
    {
        **{dtype.name: dtype for dtype in _ALL.values()},
        "half": dtypes.float16,
        "float": dtypes.float32,
        "double": dtypes.float64,
    }
)
internal("framework.dtypes._TF_TO_NP")(
    {
        enum: dtype.as_numpy_dtype
        for enum, dtype in _ALL.items()
        if dtype not in (dtypes.resource, dtypes.variant)
    }
)
internal("framework.graph_util_impl._node_name")(node_name)
internal("framework.meta_graph._op_name")(node_name)


@internal("framework.random_seed._truncate_seed")
def truncate_seed(seed: int) -> int:
    """Returns a seed that fits into 32 bits."""
    return seed % _MAXINT32


@internal("framework.ops._name_from_scope_name")
def name_from_scope_name(name: str) -> str:
    """Returns the name of an op from that of a scope, which may end with a slash."""
    return name[:-1] if name and name[-1] == "/" else name


@internal("framework.ops._eval_using_default_session")
def eval_using_default_session(
    tensors: Any, feed_dict: Mapping[Any, Any] | None, graph: Any, session: Any = None
) -> Any:
    """Returns the values of tensors.

    Args:
        tensors: a tensor or a structure of tensors.
        feed_dict: the feeds.
        graph: their graph.
        session: the session; the default one if None.

    Raises:
        ValueError: if there is no session for the graph.
    """
    return stacks.session_for(graph, session, "evaluate tensor").run(tensors, feed_dict)


@internal("framework.ops._run_using_default_session")
def run_using_default_session(
    operation: Any, feed_dict: Mapping[Any, Any] | None, graph: Any, session: Any = None
) -> None:
    """Runs an operation; see `eval_using_default_session`."""
    stacks.session_for(graph, session, "execute operation").run(operation, feed_dict)


@internal("framework.ops._assert_same_graph")
def assert_same_graph(original_item: Any, item: Any) -> None:
    """Checks that two elements are of one graph.

    Raises:
        ValueError: if they are not.
    """
    if original_item.graph is not item.graph:
        raise ValueError(f"{item} must be from the same graph as {original_item}.")


@internal("framework.ops._override_helper")
def override_operator(clazz_object: Any, operator: str, func: Callable[..., Any]) -> None:
    """Sets an operator of a class, such as `__add__`.

    Args:
        clazz_object: the class.
        operator: the name of the operator.
        func: the function.

    Raises:
        ValueError: if tensors do not have the operator, or the class has it.
    """
    existing = getattr(clazz_object, operator, None)
    if existing is not None and existing is not getattr(object, operator, None):
        raise ValueError(
            f"operator {operator} cannot be overwritten again on class {clazz_object}."
        )
    if operator not in Tensor.OVERLOADABLE_OPERATORS:
        raise ValueError(f"Overriding {operator} is disallowed")
    setattr(clazz_object, operator, func)


@internal("framework.ops.NullContextmanager", "framework.ops._NullContextmanager")
class NullContextmanager:
    """A context that does nothing, whatever its arguments are."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: Any) -> None:
        pass


@internal("framework.graph_util_impl._extract_graph_summary")
def extract_graph_summary(graph_def: Any) -> tuple[dict[str, Any], dict[str, Any], dict[str, int]]:
    """Returns the nodes of a GraphDef by name.

    Args:
        graph_def: a GraphDef.

    Returns:
        {name: names of inputs}, {name: NodeDef} and {name: position}.
    """
    nodes = {node.name: node for node in graph_def.node}
    inputs = {name: [node_name(each) for each in node.input] for name, node in nodes.items()}
    return inputs, nodes, {node.name: i for i, node in enumerate(graph_def.node)}


@internal("framework.graph_util_impl._assert_nodes_are_present")
def assert_nodes_are_present(name_to_node: Mapping[str, Any], nodes: Iterable[str]) -> None:
    """Checks that names are those of nodes.

    Raises:
        AssertionError: if one is not.
    """
    for name in nodes:
        assert name in name_to_node, f"{name} is not in graph"


@internal("framework.graph_util_impl._bfs_for_reachable_nodes")
def nodes_reachable_from(
    target_nodes: Iterable[str], name_to_input_name: Mapping[str, Sequence[str]]
) -> set[str]:
    """Returns the names of nodes that some nodes depend on, these included.

    Args:
        target_nodes: names of nodes.
        name_to_input_name: {name: names of inputs}.
    """

    class _Node:
        def __init__(self, names: Sequence[str]) -> None:
            self.input = names

    return reachable_nodes({n: _Node(i) for n, i in name_to_input_name.items()}, target_nodes)


@internal("framework.importer._IsControlInput")
def is_control_input(input_name: str) -> bool:
    """Tells whether the input of a NodeDef is a control input."""
    return input_name.startswith("^")


@internal("framework.importer._ParseTensorName")
def parse_tensor_name(tensor_name: str) -> tuple[str, int]:
    """Returns the name of the op and the number of the output of "op:0" or "op".

    Raises:
        ValueError: if it is not the name of a tensor.
    """
    name, colon, index = tensor_name.partition(":")
    if not colon:
        return name, 0
    if not re.fullmatch(r"\d+", index):
        raise ValueError(f"Cannot convert {tensor_name!r} to a tensor name.")
    return name, int(index)


@internal("util.nest._is_mapping")
def is_mapping(o: Any) -> bool:
    """Tells whether an object is a mapping."""
    return isinstance(o, Mapping)


@internal("util.nest._sorted")
def sorted_keys(dict_: Mapping[Any, Any]) -> list[Any]:
    """Returns the keys of a dictionary in order.

    Raises:
        TypeError: if they have none.
    """
    try:
        return sorted(dict_)
    except TypeError:
        raise TypeError("nest only supports dicts with sortable keys.") from None


@internal("util.nest._yield_flat_nest")
def yield_flat_nest(structure: Any) -> Iterator[Any]:
    """Yields the leaves of a structure."""
    yield from nest.flatten(structure)
