"""A choice that is made at once if its predicate is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base.export import EXPORTS
from headwater.graph import Tensor, constant_value


def smart_cond(
    predicate: Any,
    if_true: Callable[[], Any],
    if_false: Callable[[], Any],
    name: str | None = None,
) -> Any:
    """The result of one of two functions.

    Args:
        predicate: a bool, 0 or 1, or a scalar tensor or variable.
        if_true: called if the predicate holds, or to build that branch of tf.cond.
        if_false: called otherwise.
        name: the name scope of tf.cond.

    Returns:
        What the function returns, or tensors of tf.cond.

    Raises:
        TypeError: if the predicate is of another kind.
    """
    known = known_value(predicate)
    if known is None:
        return EXPORTS["cond"](predicate, if_true, if_false, name=name)
    return if_true() if known else if_false()


def known_value(predicate: Any) -> bool | None:
    """The value of a predicate, or None if only a run can tell.

    Raises:
        TypeError: if it is no predicate.
    """
    if isinstance(predicate, Tensor):
        value = constant_value(predicate)
        return None if value is None else bool(value)
    if hasattr(predicate, "_as_graph_element"):
        return None
    if predicate not in (0, 1):
        raise TypeError(
            f"`pred` must be a Tensor, or a Python bool, or 1 or 0. Found instead: {predicate}"
        )
    return bool(predicate)
