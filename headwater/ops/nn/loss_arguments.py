"""The arguments of the losses on logits, whose order has changed."""

from __future__ import annotations

from typing import Any

from headwater.base.typing import TensorLike
from headwater.graph import Tensor


def labels_and_logits(
    function: str,
    sentinel: TensorLike | None,
    labels: TensorLike | None,
    logits: TensorLike | None,
    rest: list[Any],
) -> tuple[Any, Any, list[Any]]:
    """The arguments of a loss, which goes by keywords or in TensorFlow 0.x's positional order.

    Args:
        function: the name of the loss.
        sentinel: the first positional argument: the logits of TensorFlow 0.x.
        labels: the labels, also in second position in TensorFlow 0.x.
        logits: the logits; in TensorFlow 0.x's order, the argument after the labels.
        rest: the arguments that follow.

    Returns:
        The labels, the logits, and the other arguments.

    Raises:
        ValueError: if the call fits neither form.
    """
    if sentinel is not None:
        given_by_name = logits is not None and not isinstance(logits, (int, str))
        if labels is None or given_by_name or isinstance(logits, Tensor):
            raise ValueError(
                f"Only call `{function}` with named arguments (labels=..., logits=..., ...)"
            )
        if logits is not None:
            rest = [logits, *rest[:-1]]
        return labels, sentinel, rest
    if labels is None or logits is None:
        raise ValueError("Both labels and logits must be provided.")
    return labels, logits, rest
