"""The collection of losses."""

from __future__ import annotations

from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, export, get_default_graph
from headwater.graph.graph_keys import GraphKeys
from headwater.model.losses.collections import get_losses, get_regularization_losses
from headwater.ops.control.identity import identity

export("contrib.losses.get_losses")(get_losses)
export("contrib.losses.get_regularization_losses")(get_regularization_losses)


@export("contrib.losses.add_loss")
def add_loss(loss: TensorLike, loss_collection: str | None = GraphKeys.LOSSES) -> None:
    """Adds a loss to a collection.

    Args:
        loss: a tensor.
        loss_collection: the name of the collection; None for none.
    """
    if loss_collection:
        get_default_graph().add_to_collection(loss_collection, loss)


@export("contrib.losses.get_total_loss")
def get_total_loss(add_regularization_losses: bool = True, name: str = "total_loss") -> Tensor:
    """The sum of all losses.

    Args:
        add_regularization_losses: whether those of regularizers are added.
        name: the name of the node.

    Returns:
        A scalar.

    Raises:
        ValueError: if there are no losses.
    """
    losses = get_losses()
    if add_regularization_losses:
        losses = losses + get_regularization_losses()
    if len(losses) == 1:
        return identity(losses[0], name=name)
    return build.AddN(losses, name=name)
