"""Regularizers: functions from a weight tensor to a scalar loss."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headwater.base import logging
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, name_scope
from headwater.graph.default_graph import add_to_collection, get_collection
from headwater.graph.graph_keys import GraphKeys
from headwater.ops.math.reduce_functions import reduce_sum

if TYPE_CHECKING:
    from headwater.model.variables.variable import Variable

Regularizer = Callable[[Any], "Tensor | None"]


@export("contrib.layers.l1_regularizer", "contrib.slim.l1_regularizer")
def l1_regularizer(scale: float, scope: str | None = None) -> Regularizer:
    """The regularizer `scale` * sum(abs(weights)).

    Args:
        scale: the factor; 0 switches the regularizer off.
        scope: the name scope.

    Returns:
        A function from weights to a scalar.

    Raises:
        ValueError: if `scale` is an integer or negative.
    """
    if isinstance(scale, numbers.Integral):
        raise ValueError(f"scale cannot be an integer: {scale}")
    if isinstance(scale, numbers.Real):
        if scale < 0.0:
            raise ValueError(f"Setting a scale less than 0 on a regularizer: {scale:g}")
        if scale == 0.0:
            logging.info("Scale of 0 disables regularizer.")
            return _no_loss

    def l1(weights: TensorLike) -> Tensor:
        with name_scope(scope, "l1_regularizer", [weights]) as name:
            factor = convert_to_tensor(scale, dtype=weights.dtype.base_dtype, name="scale")
            total = reduce_sum(build.Abs(weights))
            return build.Mul(factor, total, name=name)

    return l1


@export("contrib.layers.l2_regularizer", "contrib.slim.l2_regularizer")
def l2_regularizer(scale: float, scope: str | None = None) -> Regularizer:
    """The regularizer `scale` * sum(weights ** 2) / 2.

    Args:
        scale: the factor; 0 switches the regularizer off.
        scope: the name scope.

    Returns:
        A function from weights to a scalar.

    Raises:
        ValueError: if `scale` is an integer or negative.
    """
    if isinstance(scale, numbers.Integral):
        raise ValueError(f"scale cannot be an integer: {scale}")
    if isinstance(scale, numbers.Real):
        if scale < 0.0:
            raise ValueError(f"Setting a scale less than 0 on a regularizer: {scale:g}.")
        if scale == 0.0:
            logging.info("Scale of 0 disables regularizer.")
            return _no_loss

    def l2(weights: TensorLike) -> Tensor:
        with name_scope(scope, "l2_regularizer", [weights]) as name:
            factor = convert_to_tensor(scale, dtype=weights.dtype.base_dtype, name="scale")
            return build.Mul(factor, build.L2Loss(weights), name=name)

    return l2


@export("contrib.layers.l1_l2_regularizer", "contrib.slim.l1_l2_regularizer")
def l1_l2_regularizer(
    scale_l1: float = 1.0, scale_l2: float = 1.0, scope: str | None = None
) -> Regularizer:
    """The sum of `l1_regularizer` and `l2_regularizer`.

    Args:
        scale_l1: the factor of the first.
        scale_l2: the factor of the second.
        scope: the name scope.

    Returns:
        A function from weights to a scalar.

    Raises:
        ValueError: if a factor is an integer or negative.
    """
    if isinstance(scale_l1, numbers.Integral):
        raise ValueError(f"scale_l1 cannot be an integer: {scale_l1}")
    if isinstance(scale_l2, numbers.Integral):
        raise ValueError(f"scale_l2 cannot be an integer: {scale_l2}")
    scope = scope or "l1_l2_regularizer"
    if scale_l1 == 0.0:
        return l2_regularizer(scale_l2, scope)
    if scale_l2 == 0.0:
        return l1_regularizer(scale_l1, scope)
    regularizers = [l1_regularizer(scale_l1), l2_regularizer(scale_l2)]
    return sum_regularizer(regularizers, scope=scope) or _no_loss


@export("contrib.layers.sum_regularizer", "contrib.slim.sum_regularizer")
def sum_regularizer(
    regularizer_list: Sequence[Callable[..., Any] | None], scope: str | None = None
) -> Regularizer | None:
    """The sum of several regularizers.

    Args:
        regularizer_list: regularizers; None ones are left out.
        scope: the name scope.

    Returns:
        A function from weights to a scalar (None if no regularizer gives a loss), or None if
        there are no regularizers.
    """
    regularizers = [r for r in regularizer_list if r is not None]
    if not regularizers:
        return None

    def sum_of(weights: Variable) -> Tensor | None:
        with name_scope(scope, "sum_regularizer", [weights]) as name:
            losses = [r(weights) for r in regularizers]
            losses = [loss for loss in losses if loss is not None]
            return _sum(losses, name) if losses else None

    return sum_of


@export("contrib.layers.apply_regularization", "contrib.slim.apply_regularization")
def apply_regularization(
    regularizer: Regularizer, weights_list: Sequence[TensorLike] | None = None
) -> Tensor:
    """The summed loss of weights, which joins the collection REGULARIZATION_LOSSES.

    Args:
        regularizer: a function from weights to a scalar, or None for no loss.
        weights_list: the weights; those of the collection WEIGHTS if None.

    Returns:
        A scalar Tensor.

    Raises:
        ValueError: if there are no weights, or the regularizer does not return a scalar.
    """
    if not weights_list:
        weights_list = get_collection(GraphKeys.WEIGHTS)
    if not weights_list:
        raise ValueError("No weights to regularize.")
    with name_scope("get_regularization_penalty", values=weights_list) as scope:
        losses = []
        for weights in weights_list:
            loss = regularizer(weights)
            loss = convert_to_tensor(0.0 if loss is None else loss)
            if loss.get_shape().ndims != 0:
                raise ValueError(
                    "regularizer must return a scalar Tensor instead of a Tensor with rank "
                    f"{loss.get_shape().ndims}."
                )
            losses.append(loss)
        total = _sum(losses, scope)
    add_to_collection(GraphKeys.REGULARIZATION_LOSSES, total)
    return total


def _sum(losses: list[Tensor], name: str) -> Tensor:
    """The sum of losses as one node."""
    return (
        build.Identity(losses[0], name=name) if len(losses) == 1 else build.AddN(losses, name=name)
    )


def _no_loss(weights: Variable) -> None:
    return None
