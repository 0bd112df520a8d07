"""tensorflow.python.ops.op_selector: ops that others depend on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from headwater.contrib.graph_editor.util import (
    check_graphs,
    concatenate_unique,
    get_consuming_ops,
    get_generating_ops,
    get_tensors,
    get_unique_graph,
    is_iterable,
    make_list_of_op,
    make_list_of_t,
)
from headwater.graph import NOT_DIFFERENTIABLE, Operation, Tensor
from headwater.graph.registry import gradient_of
from headwater.model.function.wrapped import UnliftableError

__all__ = [
    "UnliftableError",
    "check_graphs",
    "concatenate_unique",
    "get_consuming_ops",
    "get_generating_ops",
    "get_tensors",
    "get_unique_graph",
    "is_iterable",
    "make_list_of_op",
    "make_list_of_t",
]


def is_differentiable(op: Operation) -> bool:
    """Tells whether ops of this type have a gradient function."""
    return gradient_of(op.type) not in (None, NOT_DIFFERENTIABLE)


def graph_inputs(op: Operation) -> list[Operation]:
    """Returns the ops that make the inputs of an op, and those that it waits for."""
    return [tensor.op for tensor in op.inputs] + list(op.control_inputs)


def get_backward_walk_ops(
    seed_ops: Any,
    inclusive: bool = True,
    within_ops: Iterable[Operation] | None = None,
    within_ops_fn: Callable[[Operation], bool] | None = None,
    stop_at_ts: Iterable[Tensor] = (),
    control_inputs: bool = False,
    only_differentiable: bool = False,
) -> list[Operation]:
    """Returns the ops that some ops depend on.

    Args:
      seed_ops: ops or tensors.
      inclusive: whether they are part of the result.
      within_ops: only these ops are visited.
      within_ops_fn: only ops for which it is true are visited.
      stop_at_ts: tensors at which the walk ends.
      control_inputs: whether to follow control edges.
      only_differentiable: whether to go no further at ops without a gradient function.

    Returns:
      A list of ops without repetitions.
    """
    items = seed_ops if isinstance(seed_ops, list | tuple | set) else [seed_ops]
    seeds = [item.op if isinstance(item, Tensor) else item for item in items]
    within = None if within_ops is None else set(within_ops)
    stops = set(stop_at_ts)
    found: dict[Operation, None] = {}
    waiting = list(dict.fromkeys(seeds))
    while waiting:
        op = waiting.pop(0)
        if op in found:
            continue
        found[op] = None
        sources = [
            tensor.op
            for tensor in op.inputs
            if tensor not in stops and (not only_differentiable or is_differentiable(op))
        ]
        if control_inputs:
            sources.extend(op.control_inputs)
        waiting.extend(
            source
            for source in sources
            if (within is None or source in within)
            and (within_ops_fn is None or within_ops_fn(source))
        )
    return [op for op in found if inclusive or op not in seeds]
