"""What several networks have in common: their last layers and initializers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base.export import export
from headwater.contrib.layers.convolution import convolution2d as conv2d
from headwater.contrib.layers.dropout import dropout
from headwater.contrib.layers.layer_utils import convert_collection_to_dict
from headwater.graph import Tensor
from headwater.model.variables.random_initializers import TruncatedNormal
from headwater.ops.array.reshape import squeeze


@export("contrib.slim.nets.alexnet.trunc_normal", "contrib.slim.nets.overfeat.trunc_normal")
def trunc_normal(stddev: float) -> TruncatedNormal:
    """Returns an initializer with values of a normal distribution cut at two deviations.

    Args:
        stddev: the standard deviation before the cut.

    Returns:
        An initializer.
    """
    return TruncatedNormal(0.0, stddev)


def fully_connected_as_convolutions(
    net: Tensor,
    hidden: Sequence[tuple[int, list[int]]],
    num_classes: int,
    is_training: Any,
    dropout_keep_prob: float,
    **last: Any,
) -> Tensor:
    """Builds fully connected layers as convolutions, so that larger images give a map of logits.

    Args:
        net: the features.
        hidden: the units and the kernel size of layers fc6 and fc7.
        num_classes: the number of classes, the outputs of fc8.
        is_training: whether dropout is active.
        dropout_keep_prob: the part of the units that dropout keeps.
        **last: further arguments of fc8.

    Returns:
        The logits, of rank 4.
    """
    for number, (units, kernel_size) in enumerate(hidden, start=6):
        net = conv2d(net, units, kernel_size, padding="VALID", scope=f"fc{number}")
        net = dropout(net, dropout_keep_prob, is_training=is_training, scope=f"dropout{number}")
    return conv2d(
        net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None, scope="fc8", **last
    )


def with_end_points(
    net: Tensor, collection: str, scope: str, spatial_squeeze: bool
) -> tuple[Tensor, dict[str, Tensor]]:
    """Returns the logits and the outputs of the layers by name.

    Args:
        net: the logits, of rank 4.
        collection: the key of the collection that has the outputs of the layers.
        scope: the name of the variable scope of the network.
        spatial_squeeze: whether the logits lose their axes of height and width.
    """
    end_points = convert_collection_to_dict(collection)
    if spatial_squeeze:
        net = squeeze(net, [1, 2], name="fc8/squeezed")
        end_points[f"{scope}/fc8"] = net
    return net, end_points
