"""Inception v1, GoogLeNet (Szegedy and others: Going deeper with convolutions, 2014)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.contrib.framework.arg_scope import Scope, arg_scope
from headwater.contrib.layers.batch_norm import batch_norm
from headwater.contrib.layers.convolution import convolution2d as conv2d
from headwater.contrib.layers.dropout import dropout
from headwater.contrib.layers.fully_connected import fully_connected
from headwater.contrib.layers.pooling import avg_pool2d
from headwater.contrib.layers.units import softmax
from headwater.contrib.slim.nets.classifier import trunc_normal
from headwater.contrib.slim.nets.inception_arg_scope import inception_arg_scope, normalization
from headwater.contrib.slim.nets.inception_blocks import (
    Block,
    Layer,
    end_points,
    unchanged,
    up_to,
)
from headwater.graph import Tensor, convert_to_tensor
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.array.reshape import squeeze


def _mixed(
    direct: int,
    reduce_1: int,
    conv_1: int,
    reduce_2: int,
    conv_2: int,
    pooled: int,
    last: str = "Conv2d_0b_3x3",
) -> Block:
    return [
        [Layer("Conv2d_0a_1x1", direct)],
        [Layer("Conv2d_0a_1x1", reduce_1), Layer("Conv2d_0b_3x3", conv_1)],
        [Layer("Conv2d_0a_1x1", reduce_2), Layer(last, conv_2)],
        [Layer("MaxPool_0a_3x3"), Layer("Conv2d_0b_1x1", pooled)],
    ]


_PARTS: list[Layer | tuple[str, Block]] = [
    Layer("Conv2d_1a_7x7", 64, stride=2),
    Layer("MaxPool_2a_3x3", stride=2),
    Layer("Conv2d_2b_1x1", 64),
    Layer("Conv2d_2c_3x3", 192),
    Layer("MaxPool_3a_3x3", stride=2),
    ("Mixed_3b", _mixed(64, 96, 128, 16, 32, 32)),
    ("Mixed_3c", _mixed(128, 128, 192, 32, 96, 64)),
    Layer("MaxPool_4a_3x3", stride=2),
    ("Mixed_4b", _mixed(192, 96, 208, 16, 48, 64)),
    ("Mixed_4c", _mixed(160, 112, 224, 24, 64, 64)),
    ("Mixed_4d", _mixed(128, 128, 256, 24, 64, 64)),
    ("Mixed_4e", _mixed(112, 144, 288, 32, 64, 64)),
    ("Mixed_4f", _mixed(256, 160, 320, 32, 128, 128)),
    Layer("MaxPool_5a_2x2", stride=2),
    # The published weights have this name.
    ("Mixed_5b", _mixed(256, 160, 320, 32, 128, 128, last="Conv2d_0a_3x3")),
    ("Mixed_5c", _mixed(384, 192, 384, 48, 128, 128)),
]


@export("contrib.slim.nets.inception.inception_v1_base")
def inception_v1_base(
    inputs: TensorLike, final_endpoint: str = "Mixed_5c", scope: Any = "InceptionV1"
) -> tuple[Tensor, dict[str, Tensor]]:
    """Builds Inception v1 up to an end point.

    Args:
        inputs: images of shape (batch, height, width, channels).
        final_endpoint: the name of the last end point, such as "Mixed_4f".
        scope: the variable scope.

    Returns:
        The output of the last end point, and those of all by name.

    Raises:
        ValueError: if there is no such end point.
    """
    with (
        variable_scope(scope, "InceptionV1", [inputs]),
        arg_scope([conv2d, fully_connected], weights_initializer=trunc_normal(0.01)),
    ):
        return up_to(end_points(convert_to_tensor(inputs), _PARTS, unchanged), final_endpoint)


@export("contrib.slim.nets.inception.inception_v1")
def inception_v1(
    inputs: TensorLike,
    num_classes: int = 1000,
    is_training: Any = True,
    dropout_keep_prob: float = 0.8,
    prediction_fn: Callable[..., Tensor] = softmax,
    spatial_squeeze: bool = True,
    reuse: Any = None,
    scope: str = "InceptionV1",
) -> tuple[Tensor, dict[str, Tensor]]:
    """Builds Inception v1; its classifier expects images of 224x224.

    Args:
        inputs: images of shape (batch, height, width, channels).
        num_classes: the number of classes.
        is_training: whether dropout is active and batch normalization uses the batch.
        dropout_keep_prob: the part of the units that dropout keeps.
        prediction_fn: the function from logits to predictions.
        spatial_squeeze: whether the logits lose their axes of height and width.
        reuse: whether the variables exist.
        scope: the variable scope.

    Returns:
        The logits, and the outputs of the layers by name.
    """
    with (
        variable_scope(scope, "InceptionV1", [inputs, num_classes], reuse=reuse) as variables,
        arg_scope([batch_norm, dropout], is_training=is_training),
    ):
        net, points = inception_v1_base(inputs, scope=variables)
        with variable_scope("Logits"):
            net = avg_pool2d(net, [7, 7], stride=1, scope="MaxPool_0a_7x7")
            net = dropout(net, dropout_keep_prob, scope="Dropout_0b")
            logits = conv2d(
                net,
                num_classes,
                [1, 1],
                activation_fn=None,
                normalizer_fn=None,
                scope="Conv2d_0c_1x1",
            )
            if spatial_squeeze:
                logits = squeeze(logits, [1, 2], name="SpatialSqueeze")
            points["Logits"] = logits
            points["Predictions"] = prediction_fn(logits, scope="Predictions")
        return logits, points


@export("contrib.slim.nets.inception.inception_v1_arg_scope")
def inception_v1_arg_scope(
    weight_decay: float = 0.00004,
    use_batch_norm: bool = True,
    batch_norm_var_collection: str = "moving_vars",
) -> Scope:
    """Returns the default arguments of the layers of `inception_v1`.

    Args:
        weight_decay: the factor of the L2 regularization of weights.
        use_batch_norm: whether convolutions are normalized.
        batch_norm_var_collection: the collection for the moving averages.

    Returns:
        A scope for `arg_scope`.
    """
    normalizer_params = normalization(batch_norm_var_collection) if use_batch_norm else None
    return inception_arg_scope(weight_decay, normalizer_params)


# Programs read the size of the images from the function.
inception_v1.default_image_size = 224  # type: ignore[attr-defined]
