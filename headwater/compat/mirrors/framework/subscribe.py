"""tensorflow.python.framework.subscribe: side effects whenever a tensor is computed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from headwater.base import nest
from headwater.base.nest_levels import is_namedtuple
from headwater.graph import Operation, Tensor, build
from headwater.graph.graph_base import GraphBase
from headwater.model.variables.variable import Variable

_SUFFIX = "/subscription/Identity"


def _is_subscribed_identity(tensor: Tensor) -> bool:
    """Tells whether `subscribe` has made this tensor as the replacement of another one."""
    if tensor.op.type != "Identity":
        return False
    match = re.match(r"(.*?)/subscription/Identity[^/]*$", tensor.op.name)
    return match is not None and match.group(1) == tensor.op.inputs[0].op.name


@contextmanager
def _like(op: Operation) -> Iterator[GraphBase]:
    """A with block whose new ops have the device, control-flow context and scope of an op."""
    graph = op.graph
    context = graph._get_control_flow_context()
    graph._set_control_flow_context(op._get_control_flow_context())
    try:
        with (
            graph.as_default(),
            graph.device(None),
            graph.device(op.device or None),
            graph.name_scope(f"{op.name}/subscription/"),
        ):
            yield graph
    finally:
        graph._set_control_flow_context(context)


def _run(side_effects: list[Callable[[Tensor], Any]], tensor: Tensor) -> list[Operation]:
    """Builds the ops of the side effects."""
    made = [item for effect in side_effects for item in nest.flatten(effect(tensor))]
    return [item.op if isinstance(item, Tensor) else item for item in made]


def _waiting_for(graph: GraphBase) -> dict[Operation, list[Operation]]:
    """Returns {op: the ops with a control dependency on it}."""
    waiting: dict[Operation, list[Operation]] = {}
    for op in graph.get_operations():
        for source in op.control_inputs:
            waiting.setdefault(source, []).append(op)
    return waiting


def _subscribe_new(
    tensor: Tensor,
    side_effects: list[Callable[[Tensor], Any]],
    waiting: dict[Operation, list[Operation]],
) -> Tensor:
    consumers = [
        (op, index)
        for op in dict.fromkeys(tensor.consumers())
        for index, source in enumerate(op.inputs)
        if source is tensor
    ]
    with _like(tensor.op) as graph:
        effects = _run(side_effects, tensor)
        with graph.control_dependencies(effects):
            result = build.Identity(tensor, name="Identity")
    for op, index in consumers:
        op._update_input(index, result)
    for op in waiting.get(tensor.op, ()):
        others = [source for source in op.control_inputs if source is not tensor.op]
        op._remove_all_control_inputs()
        op._add_control_inputs([*others, result.op])
    return result


def _subscribe_extend(tensor: Tensor, side_effects: list[Callable[[Tensor], Any]]) -> Tensor:
    """Adds side effects to what `subscribe` has returned."""
    source = tensor.op.inputs[0]
    with _like(source.op):
        tensor.op._add_control_inputs(_run(side_effects, source))
    return tensor


def _subscribe(
    tensor: Tensor,
    side_effects: list[Callable[[Tensor], Any]],
    waiting: dict[Operation, list[Operation]],
) -> Tensor:
    if not tensor.dtype.is_numpy_compatible:
        return tensor
    if _is_subscribed_identity(tensor):
        return _subscribe_extend(tensor, side_effects)
    for op in tensor.consumers():
        if op.name.startswith(tensor.op.name + _SUFFIX) and _is_subscribed_identity(op.outputs[0]):
            return _subscribe_extend(op.outputs[0], side_effects)
    return _subscribe_new(tensor, side_effects, waiting)


def _recursive_apply(tensors: Any, apply_fn: Callable[[Tensor], Tensor]) -> Any:
    """Returns a structure with the results for its tensors.

    Raises:
      TypeError: if it has something else.
    """
    if isinstance(tensors, Tensor):
        return apply_fn(tensors)
    if isinstance(tensors, Variable):
        return apply_fn(tensors.value())
    if isinstance(tensors, list | tuple):
        results = [_recursive_apply(tensor, apply_fn) for tensor in tensors]
        return type(tensors)(*results) if is_namedtuple(tensors) else type(tensors)(results)
    if isinstance(tensors, Mapping):
        pairs = {key: _recursive_apply(value, apply_fn) for key, value in tensors.items()}
        return type(tensors)(pairs)  # type: ignore[call-arg]
    raise TypeError(f"_recursive_apply argument {tensors!r} has invalid type {type(tensors)!r}")


def subscribe(tensors: Any, side_effects: Any) -> Any:
    """Makes ops run whenever tensors are computed.

    Args:
      tensors: a tensor, a variable, or a list, tuple or dict of them.
      side_effects: a function, or a list of functions, from a tensor to ops or tensors.

    Returns:
      The same structure of the tensors that all users of the given ones now take instead.

    Raises:
      TypeError: if there is something else in the structure.
    """
    effects = list(side_effects) if isinstance(side_effects, list | tuple) else [side_effects]
    waiting: dict[GraphBase, dict[Operation, list[Operation]]] = {}

    def apply(tensor: Tensor) -> Tensor:
        if tensor.graph not in waiting:
            waiting[tensor.graph] = _waiting_for(tensor.graph)
        return _subscribe(tensor, effects, waiting[tensor.graph])

    return _recursive_apply(tensors, apply)
