"""Copies of variables and ops, with all that they depend on, in another graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base.export import export
from headwater.graph import Graph, Operation, Tensor
from headwater.graph.graph_keys import GraphKeys
from headwater.model.variables.variable import Variable
from headwater.session.session import Session

_SHARED = (GraphKeys.GLOBAL_VARIABLES, GraphKeys.TRAINABLE_VARIABLES)


def _scoped(name: str, scope: str) -> str:
    return f"{scope}/{name}" if scope else name


@export("contrib.copy_graph.copy_variable_to_graph")
def copy_variable_to_graph(org_instance: Any, to_graph: Graph, scope: str = "") -> Any:
    """Copies a variable with its initial value, and with its collections.

    Args:
        org_instance: a Variable.
        to_graph: the graph of the copy.
        scope: a prefix of the name, and of collections other than those of all variables.

    Returns:
        A Variable.

    Raises:
        TypeError: if `org_instance` is not a Variable.
    """
    if not isinstance(org_instance, Variable):
        raise TypeError(f"{org_instance} is not a Variable")
    graph = org_instance.graph
    keys = [
        key
        for key in graph.get_all_collection_keys()
        if any(member is org_instance for member in graph.get_collection(key))
    ]
    collections = [key if key in _SHARED else _scoped(key, scope) for key in keys]
    with graph.as_default(), Session() as session:
        value = session.run(org_instance.initialized_value())
    with to_graph.as_default():
        return Variable(
            value,
            trainable=GraphKeys.TRAINABLE_VARIABLES in keys,
            name=_scoped(org_instance.op.name, scope),
            collections=collections,
            validate_shape=False,
        )


@export("contrib.copy_graph.copy_op_to_graph")
def copy_op_to_graph(
    org_instance: Any, to_graph: Graph, variables: Sequence[Any], scope: str = ""
) -> Any:
    """Copies an op or a tensor, with everything that it depends on.

    Args:
        org_instance: an Operation or Tensor.
        to_graph: the graph of the copy.
        variables: the copies of the variables, as `copy_variable_to_graph` has made them. An op
            that reads another variable reads a copy of it without initializer.
        scope: a prefix of the names.

    Returns:
        The copy; for a variable of `variables`, the variable.

    Raises:
        TypeError: if `org_instance` cannot be copied.
    """
    copied = {variable.name: variable for variable in variables}
    known = copied.get(_scoped(org_instance.name, scope))
    if known is not None:
        return known
    if not isinstance(org_instance, (Operation, Tensor)):
        raise TypeError(f"Could not copy instance: {org_instance}")
    waiting: list[Any] = [org_instance]
    while waiting:
        current = waiting[-1]
        op = _op_of(current)
        missing = [x for x in (*op.inputs, *op.control_inputs) if not _exists(x, to_graph, scope)]
        if missing:
            waiting.extend(missing)
            continue
        waiting.pop()
        if not _exists(current, to_graph, scope):
            _copy(op, to_graph, scope)
            _copy_collections(current, to_graph, scope)
    return get_copied_op(org_instance, to_graph, scope)


def _op_of(instance: Any) -> Operation:
    return instance if isinstance(instance, Operation) else instance.op


def _exists(instance: Any, graph: Graph, scope: str) -> bool:
    return _scoped(_op_of(instance).name, scope) in graph._nodes_by_name


def _copy(op: Operation, graph: Graph, scope: str) -> None:
    """Copies an op whose inputs are there."""
    inputs = [get_copied_op(tensor, graph, scope) for tensor in op.inputs]
    controls = [get_copied_op(other, graph, scope) for other in op.control_inputs]
    node = op.node_def
    with graph.as_default(), graph.name_scope(None), graph.control_dependencies(controls):
        copy = graph.create_op(
            op.type, inputs, name=_scoped(op.name, scope) + "/", attrs=dict(node.attr)
        )
    if op.device:
        copy._set_device(op.device)


def _copy_collections(original: Any, graph: Graph, scope: str) -> None:
    """Adds the copy of a tensor or op to the collections that the original is in."""
    for key in original.graph.get_all_collection_keys():
        if any(member is original for member in original.graph.get_collection(key)):
            graph.add_to_collection(_scoped(key, scope), get_copied_op(original, graph, scope))


@export("contrib.copy_graph.get_copied_op")
def get_copied_op(org_instance: Any, graph: Graph, scope: str = "") -> Any:
    """Returns the copy of an op or tensor.

    Args:
        org_instance: an Operation, Tensor or Variable.
        graph: the graph of the copy.
        scope: the prefix of the names.

    Returns:
        An Operation, or the Tensor of a Tensor or Variable.

    Raises:
        KeyError: if there is none.
    """
    return graph.as_graph_element(
        _scoped(org_instance.name, scope), allow_tensor=True, allow_operation=True
    )
