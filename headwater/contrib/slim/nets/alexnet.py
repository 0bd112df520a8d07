"""AlexNet v2 (Krizhevsky: One weird trick for parallelizing convolutional networks, 2014)."""

from __future__ import annotations

from typing import Any

from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.contrib.framework.arg_scope import Scope, arg_scope
from headwater.contrib.layers.convolution import convolution2d as conv2d
from headwater.contrib.layers.fully_connected import fully_connected
from headwater.contrib.layers.pooling import max_pool2d
from headwater.contrib.slim.nets.classifier import (
    fully_connected_as_convolutions,
    trunc_normal,
    with_end_points,
)
from headwater.graph import Tensor
from headwater.model.regularizers import l2_regularizer
from headwater.model.variables.initializers import Constant, Zeros
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.nn.relu import relu


@export("contrib.slim.nets.alexnet.alexnet_v2_arg_scope")
def alexnet_v2_arg_scope(weight_decay: float = 0.0005) -> Scope:
    """Returns the default arguments of the layers of `alexnet_v2`.

    Args:
        weight_decay: the factor of the L2 regularization of weights.

    Returns:
        A scope for `arg_scope`.
    """
    with (
        arg_scope(
            [conv2d, fully_connected],
            activation_fn=relu,
            biases_initializer=Constant(0.1),
            weights_regularizer=l2_regularizer(weight_decay),
        ),
        arg_scope([conv2d], padding="SAME"),
        arg_scope([max_pool2d], padding="VALID") as scope,
    ):
        return scope


@export("contrib.slim.nets.alexnet.alexnet_v2")
def alexnet_v2(
    inputs: TensorLike,
    num_classes: int = 1000,
    is_training: Any = True,
    dropout_keep_prob: float = 0.5,
    spatial_squeeze: bool = True,
    scope: str = "alexnet_v2",
) -> tuple[Tensor, dict[str, Tensor]]:
    """Builds AlexNet v2; its classifier expects images of 224x224.

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
    with variable_scope(scope, "alexnet_v2", [inputs]) as variables:
        collection = variables.original_name_scope + "_end_points"
        with arg_scope([conv2d, fully_connected, max_pool2d], outputs_collections=[collection]):
            net = conv2d(inputs, 64, [11, 11], 4, padding="VALID", scope="conv1")
            net = max_pool2d(net, [3, 3], 2, scope="pool1")
            net = conv2d(net, 192, [5, 5], scope="conv2")
            net = max_pool2d(net, [3, 3], 2, scope="pool2")
            net = conv2d(net, 384, [3, 3], scope="conv3")
            net = conv2d(net, 384, [3, 3], scope="conv4")
            net = conv2d(net, 256, [3, 3], scope="conv5")
            net = max_pool2d(net, [3, 3], 2, scope="pool5")
            with arg_scope(
                [conv2d],
                weights_initializer=trunc_normal(0.005),
                biases_initializer=Constant(0.1),
            ):
                net = fully_connected_as_convolutions(
                    net,
                    [(4096, [5, 5]), (4096, [1, 1])],
                    num_classes,
                    is_training,
                    dropout_keep_prob,
                    biases_initializer=Zeros(),
                )
            return with_end_points(net, collection, variables.name, spatial_squeeze)


# Programs read the size of the images from the function.
alexnet_v2.default_image_size = 224  # type: ignore[attr-defined]
