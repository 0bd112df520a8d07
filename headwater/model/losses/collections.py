"""The losses of a graph: tf.losses.add_loss, get_losses, get_total_loss, ..."""

from __future__ import annotations

from typing import Any

from headwater.base.typing import TensorLike
from headwater.graph import Tensor, constant_node, export, get_default_graph
from headwater.graph.graph_keys import GraphKeys
from headwater.ops.math.add_n import add_n


@export("losses.add_loss")
def add_loss(loss: TensorLike, loss_collection: str | None = GraphKeys.LOSSES) -> None:
    """Adds a loss to a collection of the default graph.

    Args:
        loss: a scalar tensor.
        loss_collection: the collection; None adds it to none.
    """
    if loss_collection:
        get_default_graph().add_to_collection(loss_collection, loss)


@export("losses.get_losses")
def get_losses(scope: str | None = None, loss_collection: str = GraphKeys.LOSSES) -> list[Any]:
    """The losses of a collection.

    Args:
        scope: only losses whose names match this are returned.
        loss_collection: the collection.

    Returns:
        A list of tensors.
    """
    return get_default_graph().get_collection(loss_collection, scope)


@export("losses.get_regularization_losses")
def get_regularization_losses(scope: str | None = None) -> list[Any]:
    """The losses that regularizers have made.

    Args:
        scope: only losses whose names match this are returned.

    Returns:
        A list of tensors.
    """
    return get_default_graph().get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


@export("losses.get_regularization_loss")
def get_regularization_loss(
    scope: str | None = None, name: str = "total_regularization_loss"
) -> Tensor:
    """The sum of the losses that regularizers have made.

    Args:
        scope: only losses whose names match this are added.
        name: the name of the sum.

    Returns:
        A scalar tensor.
    """
    losses = get_regularization_losses(scope)
    return add_n(losses, name=name) if losses else constant_node(0.0)


@export("losses.get_total_loss")
def get_total_loss(
    add_regularization_losses: bool = True, name: str = "total_loss", scope: str | None = None
) -> Tensor:
    """The sum of all losses.

    Args:
        add_regularization_losses: whether those of regularizers are part of it.
        name: the name of the sum.
        scope: only losses whose names match this are added.

    Returns:
        A scalar tensor.

    Raises:
        ValueError: if there is no loss.
    """
    losses = get_losses(scope=scope)
    if add_regularization_losses:
        losses = losses + get_regularization_losses(scope=scope)
    return add_n(losses, name=name)
