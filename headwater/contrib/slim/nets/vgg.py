"""VGG A, 16 and 19 (Simonyan and Zisserman: Very deep convolutional networks, 2014)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.contrib.framework.arg_scope import Scope, arg_scope
from headwater.contrib.layers.convolution import convolution2d as conv2d
from headwater.contrib.layers.fully_connected import fully_connected
from headwater.contrib.layers.pooling import max_pool2d
from headwater.contrib.layers.stacking import repeat
from headwater.contrib.slim.nets.classifier import (
    fully_connected_as_convolutions,
    with_end_points,
)
from headwater.graph import Tensor
from headwater.model.regularizers import l2_regularizer
from headwater.model.variables.initializers import Zeros
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.nn.relu import relu

_CHANNELS = (64, 128, 256, 512, 512)


@export("contrib.slim.nets.vgg.vgg_arg_scope")
def vgg_arg_scope(weight_decay: float = 0.0005) -> Scope:
    """Returns the default arguments of the layers of the VGG networks.

    Args:
        weight_decay: the factor of the L2 regularization of weights.

    Returns:
        A scope for `arg_scope`.
    """
    with (
        arg_scope(
            [conv2d, fully_connected],
            activation_fn=relu,
            weights_regularizer=l2_regularizer(weight_decay),
            biases_initializer=Zeros(),
        ),
        arg_scope([conv2d], padding="SAME") as scope,
    ):
        return scope


def _vgg(
    inputs: TensorLike,
    convolutions: Sequence[int],
    num_classes: int,
    is_training: Any,
    dropout_keep_prob: float,
    spatial_squeeze: bool,
    collection: str,
    scope: str,
) -> tuple[Tensor, dict[str, Tensor]]:
    """Builds the layers of a VGG network.

    Args:
        inputs: as in `vgg_16`, like num_classes, is_training, dropout_keep_prob, spatial_squeeze.
        convolutions: the number of convolutions before each pooling.
        collection: the key of the collection of the outputs of the layers.
        scope: the name of the open variable scope.
    """
    with arg_scope([conv2d, fully_connected, max_pool2d], outputs_collections=collection):
        net: Any = inputs
        for number, (count, channels) in enumerate(zip(convolutions, _CHANNELS, strict=True), 1):
            net = repeat(net, count, conv2d, channels, [3, 3], scope=f"conv{number}")
            net = max_pool2d(net, [2, 2], scope=f"pool{number}")
        net = fully_connected_as_convolutions(
            net, [(4096, [7, 7]), (4096, [1, 1])], num_classes, is_training, dropout_keep_prob
        )
        return with_end_points(net, collection, scope, spatial_squeeze)


@export("contrib.slim.nets.vgg.vgg_a")
def vgg_a(
    inputs: TensorLike,
    num_classes: int = 1000,
    is_training: Any = True,
    dropout_keep_prob: float = 0.5,
    spatial_squeeze: bool = True,
    scope: str = "vgg_a",
) -> tuple[Tensor, dict[str, Tensor]]:
    """Builds VGG A, with 11 layers.

    Args:
        inputs: as in `vgg_16`, like all others.

    Returns:
        The logits, and the outputs of the layers by name.
    """
    with variable_scope(scope, "vgg_a", [inputs]) as variables:
        return _vgg(
            inputs,
            (1, 1, 2, 2, 2),
            num_classes,
            is_training,
            dropout_keep_prob,
            spatial_squeeze,
            variables.original_name_scope + "_end_points",
            variables.name,
        )


@export("contrib.slim.nets.vgg.vgg_16", "contrib.slim.nets.vgg.vgg_d")
def vgg_16(
    inputs: TensorLike,
    num_classes: int = 1000,
    is_training: Any = True,
    dropout_keep_prob: float = 0.5,
    spatial_squeeze: bool = True,
    scope: str = "vgg_16",
) -> tuple[Tensor, dict[str, Tensor]]:
    """Builds VGG D, with 16 layers; its classifier expects images of 224x224.

    Args:
        inputs: images of shape (batch, height, width, channels).
        num_classes: the number of classes.
        is_training: whether dropout is active.
        dropout_keep_prob: the part of the units that dropout keeps.
        spatial_squeeze: whether the logits lose their axes of height and width.
        scope: the variable scope.

    Returns:
        The logits, and the outputs of the layers by name.
    """
    with variable_scope(scope, "vgg_16", [inputs]) as variables:
        return _vgg(
            inputs,
            (2, 2, 3, 3, 3),
            num_classes,
            is_training,
            dropout_keep_prob,
            spatial_squeeze,
            variables.original_name_scope + "_end_points",
            variables.name,
        )


@export("contrib.slim.nets.vgg.vgg_19", "contrib.slim.nets.vgg.vgg_e")
def vgg_19(
    inputs: TensorLike,
    num_classes: int = 1000,
    is_training: Any = True,
    dropout_keep_prob: float = 0.5,
    spatial_squeeze: bool = True,
    scope: str = "vgg_19",
) -> tuple[Tensor, dict[str, Tensor]]:
    """Builds VGG E, with 19 layers.

    Args:
        inputs: as in `vgg_16`, like all others.

    Returns:
        The logits, and the outputs of the layers by name.
    """
    with variable_scope(scope, "vgg_19", [inputs]) as variables:
        return _vgg(
            inputs,
            (2, 2, 4, 4, 4),
            num_classes,
            is_training,
            dropout_keep_prob,
            spatial_squeeze,
            variables.name + "_end_points",
            variables.name,
        )


# Programs read the size of the images from the function.
vgg_a.default_image_size = 224  # type: ignore[attr-defined]
vgg_16.default_image_size = 224  # type: ignore[attr-defined]
vgg_19.default_image_size = 224  # type: ignore[attr-defined]
