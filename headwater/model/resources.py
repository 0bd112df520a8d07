"""Resources of a graph, such as tables: made and initialized together, like variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from headwater.base import dtypes
from headwater.base.typing import NestedTensors
from headwater.graph import (
    Operation,
    Tensor,
    build,
    constant_node,
    get_default_graph,
    group,
    name_scope,
)
from headwater.graph.default_graph import device
from headwater.graph.graph_keys import GraphKeys
from headwater.ops.array.getitem import boolean_mask


class Resource(NamedTuple):
    """A resource: its handle, the op that makes it, and a tensor that tells whether it is made."""

    handle: Tensor
    create: Operation
    is_initialized: Tensor


def register_resource(
    handle: Tensor, create_op: Operation, is_initialized_op: Tensor, is_shared: bool = True
) -> None:
    """Adds a resource to the collection of resources.

    Args:
        handle: its handle.
        create_op: the op that makes it.
        is_initialized_op: a bool tensor that tells whether it is made.
        is_shared: whether it is shared by the tasks of a cluster; False for one of this task alone.
    """
    key = GraphKeys.RESOURCES if is_shared else GraphKeys.LOCAL_RESOURCES
    get_default_graph().add_to_collection(key, Resource(handle, create_op, is_initialized_op))


def shared_resources() -> list[Any]:
    """The resources that the tasks of a cluster share."""
    return get_default_graph().get_collection(GraphKeys.RESOURCES)


def local_resources() -> list[Any]:
    """The resources of this task alone."""
    return get_default_graph().get_collection(GraphKeys.LOCAL_RESOURCES)


def report_uninitialized_resources(
    resource_list: Sequence[NestedTensors] | None = None,
    name: str = "report_uninitialized_resources",
) -> Tensor:
    """The names of the handles of resources that are not made yet.

    Args:
        resource_list: resources; all shared and local ones if None.
        name: the name scope.

    Returns:
        A string Tensor of shape [n].
    """
    if resource_list is None:
        resource_list = shared_resources() + local_resources()
    with name_scope(name), device("/cpu:0"):
        if not resource_list:
            return constant_node([], dtypes.string)
        flags = build.Pack([resource.is_initialized for resource in resource_list], name="stack")
        missing = build.LogicalNot(flags)
        names = constant_node([resource.handle.name for resource in resource_list])
        return boolean_mask(names, missing)


def initialize_resources(resource_list: Sequence[NestedTensors], name: str = "init") -> Operation:
    """Makes an op that makes resources.

    Args:
        resource_list: resources.
        name: the name of the op.

    Returns:
        An Operation.
    """
    if resource_list:
        return group(*[resource.create for resource in resource_list], name=name)
    return build.NoOp(name=name)
