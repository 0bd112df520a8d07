"""Whether the functions of datasets have a state, which no graph and no checkpoint can hold."""

from __future__ import annotations

from typing import Any, NoReturn

from headwater.base import errors
from headwater.graph import Operation
from headwater.graph.graph_def import node_def
from headwater.graph.registry import is_registered, lookup
from headwater.ops.data.dataset import Dataset
from headwater.ops.data.optimizations import NonSerializableDataset

# Op types with a state that does not matter to a dataset, or that their functions have for them.
HARMLESS = frozenset(
    "Assert If PartitionedCall Print PrintV2 StatefulPartitionedCall TensorArrayV3 While".split()
)


def refuse(message: str) -> NoReturn:
    """Raises the error of a dataset that cannot be serialized."""
    raise errors.UnimplementedError(None, None, message)


def check_savable(dataset: Dataset) -> None:
    """Checks the functions of a dataset and of those that it takes elements from.

    Raises:
        FailedPreconditionError: if one has a state.
    """
    seen: set[int] = set()
    pending = [dataset]
    while pending:
        found = pending.pop()
        if id(found) in seen:
            continue
        seen.add(id(found))
        if found.origin is not None:
            functions_of(found.origin.op, HARMLESS)
        pending.extend(found.inputs)


def check_serializable(dataset: Dataset) -> None:
    """Raises an UnimplementedError for a dataset that refuses to be serialized."""
    if isinstance(dataset, NonSerializableDataset):
        refuse(f"{dataset.transformation}DatasetOp::Dataset does not support serialization.")


def functions_of(op: Operation, harmless: frozenset[str] | None) -> dict[str, Any]:
    """The FunctionDefs of the functions that attrs of an op name, and of those that they call.

    Args:
        op: the op.
        harmless: op types that functions may contain although they have a state; None for all.

    Raises:
        FailedPreconditionError: if a function has a state.
    """
    graph = op._graph
    found: dict[str, Any] = {}
    pending = _named(node_def(op))
    while pending:
        name = pending.pop()
        if name in found:
            continue
        definition = found[name] = graph._get_function(name).definition
        for node in definition.node_def:
            if graph._get_function(node.op) is not None:
                pending.append(node.op)
            elif harmless is not None:
                _check_state(node.op, harmless)
            pending += _named(node)
    return found


def _named(node: Any) -> list[str]:
    """The names of the functions in the attrs of a NodeDef."""
    return [name for attr in node.attr.values() for name in named_functions(attr)]


def named_functions(attr: Any) -> list[str]:
    """The names of the functions that an AttrValue has."""
    own = [attr.func.name] if attr.HasField("func") else []
    return own + [function.name for function in attr.list.func]


def _check_state(kind: str, harmless: frozenset[str]) -> None:
    if kind in harmless or not is_registered(kind):
        return
    record = lookup(kind)
    if record.stateful and not record.makes_variant:
        raise errors.FailedPreconditionError(None, None, f"{kind} is stateful.")
