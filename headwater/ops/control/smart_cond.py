"""Branches chosen while the graph is built if the predicate is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base.typing import Array, NestedTensors, TensorLike
from headwater.graph import Tensor, constant_value, export
from headwater.ops.control.case import choose
from headwater.ops.control.cond import cond


@export("contrib.framework.smart_cond")
def smart_cond(
    pred: TensorLike,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    name: str | None = None,
) -> NestedTensors:
    """Calls one of two functions if the predicate is known, else builds `tf.cond`.

    Args:
        pred: a bool, 0 or 1, or a boolean scalar.
        true_fn: builds what is wanted if `pred` is true.
        false_fn: builds what is wanted if it is false.
        name: the name scope of `tf.cond`.

    Returns:
        What the function returns, or the results of `tf.cond`.

    Raises:
        TypeError: if an argument is of the wrong kind.
    """
    for function, what in ((true_fn, "true_fn"), (false_fn, "false_fn")):
        if not callable(function):
            raise TypeError(f"`{what}` must be callable.")
    known = smart_constant_value(pred)
    if known is None:
        return cond(pred, true_fn=true_fn, false_fn=false_fn, name=name)
    chosen: Any = true_fn if known else false_fn
    return chosen()


@export("contrib.framework.smart_constant_value")
def smart_constant_value(pred: TensorLike) -> Array:
    """The value of a predicate if it is known while the graph is built.

    Args:
        pred: a bool, 0 or 1, or a boolean scalar.

    Returns:
        A bool (an array of a tensor), or None if only a run can tell.

    Raises:
        TypeError: if it is not a predicate.
    """
    if isinstance(pred, Tensor):
        return constant_value(pred)
    if pred in {0, 1}:
        return bool(pred)
    raise TypeError(
        f"`pred` must be a Tensor, or a Python bool, or 1 or 0. Found instead: {type(pred)}"
    )


@export("contrib.framework.smart_case")
def smart_case(
    pred_fn_pairs: Sequence[Sequence[Any]],
    default: Callable[[], Any] | None = None,
    exclusive: bool = False,
    name: str = "smart_case",
) -> Tensor | float:
    """`tf.case` that calls a function at once where its predicate is known.

    Args:
        pred_fn_pairs: a list or dict of (bool or boolean scalar, function).
        default: the function if no predicate is true.
        exclusive: whether the run fails if more than one is true.
        name: a name scope.

    Returns:
        What the function returns, or the results of `tf.case`.

    Raises:
        TypeError: if an argument is of the wrong kind.
    """
    return choose(smart_cond, pred_fn_pairs, default, exclusive, name, allow_python_preds=True)
