"""tensorflow.python.training.training_util: what is not public of it."""

from __future__ import annotations

from typing import Any

from headwater.graph import Graph, Tensor, control_dependencies, get_default_graph
from headwater.model.global_step import get_global_step

__all__ = [
    "GLOBAL_STEP_READ_KEY",
    "_get_global_step_read",
    "_get_or_create_global_step_read",
    "_increment_global_step",
]

GLOBAL_STEP_READ_KEY = "global_step_read_op_cache"


def _get_global_step_read(graph: Graph | None = None) -> Tensor | None:
    """Returns the tensor that reads the global step, if there is one.

    Raises:
      RuntimeError: if there are several.
    """
    graph = graph or get_default_graph()
    found = graph.get_collection(GLOBAL_STEP_READ_KEY)
    if len(found) > 1:
        raise RuntimeError(
            f"There are multiple items in collection {GLOBAL_STEP_READ_KEY}. There should be only "
            "one."
        )
    return found[0] if found else None


def _get_or_create_global_step_read(graph: Graph | None = None) -> Tensor | None:
    """Returns the tensor that reads the global step; None without a global step."""
    graph = graph or get_default_graph()
    read = _get_global_step_read(graph)
    if read is not None:
        return read
    step = get_global_step(graph)
    if step is None:
        return None
    # The variable is read before anything with a control dependency on this tensor runs.
    with graph.as_default(), graph.name_scope(None), graph.name_scope(f"{step.op.name}/"):
        initial = step.initialized_value() if hasattr(step, "initialized_value") else step
        read = initial + 0
    graph.add_to_collection(GLOBAL_STEP_READ_KEY, read)
    return read


def _increment_global_step(increment: Any, graph: Graph | None = None) -> Tensor:
    """Adds to the global step, after it has been read.

    Raises:
      ValueError: if there is no global step.
    """
    graph = graph or get_default_graph()
    step = get_global_step(graph)
    if step is None:
        raise ValueError(
            "Global step tensor should be created by tf.train.get_or_create_global_step before "
            "calling increment."
        )
    read = _get_or_create_global_step_read(graph)
    with (
        graph.as_default(),
        graph.name_scope(None),
        graph.name_scope(f"{step.op.name}/"),
        control_dependencies([read]),
    ):
        return step.assign_add(increment)
