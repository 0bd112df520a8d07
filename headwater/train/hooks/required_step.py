"""The global step that a hook needs."""

from __future__ import annotations

from headwater.graph import Tensor
from headwater.model.global_step import read_global_step


def required_step(hook: str) -> Tensor:
    """The tensor that reads the global step of the default graph.

    Args:
        hook: the name of the hook, for the text of the error.

    Returns:
        A Tensor.

    Raises:
        RuntimeError: if the graph has no global step.
    """
    step = read_global_step()
    if step is None:
        raise RuntimeError(f"Global step should be created to use {hook}.")
    return step
