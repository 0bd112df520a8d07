"""Conditionals of layers, whose predicate may be a variable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base.typing import TensorLike
from headwater.ops.control import smart_cond as control
from headwater.ops.control.cond import cond


def smart_cond(
    pred: TensorLike,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    name: str | None = None,
) -> Any:
    """`tf.contrib.framework.smart_cond` that takes variables: their values are never known.

    Args:
        pred: a bool, 0 or 1, or a scalar tensor or variable.
        true_fn: builds what is wanted if `pred` is true.
        false_fn: builds what is wanted if it is false.
        name: the name scope of `tf.cond`.

    Returns:
        What the function returns, or the results of `tf.cond`.

    Raises:
        TypeError: if an argument is of the wrong kind.
    """
    if _is_variable(pred):
        return cond(pred, true_fn=true_fn, false_fn=false_fn, name=name)
    return control.smart_cond(pred, true_fn, false_fn, name)


def known_value(pred: TensorLike) -> bool | None:
    """The static value of a predicate, or None.

    Raises:
        TypeError: if it is not a predicate.
    """
    return None if _is_variable(pred) else control.smart_constant_value(pred)


def _is_variable(pred: TensorLike) -> bool:
    return hasattr(pred, "_as_graph_element") and hasattr(pred, "initializer")
