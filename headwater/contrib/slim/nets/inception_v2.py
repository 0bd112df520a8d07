"""Inception v2 (Ioffe and Szegedy: Batch normalization, 2015)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.contrib.framework.arg_scope import Scope, arg_scope
from headwater.contrib.layers.batch_norm import batch_norm
from headwater.contrib.layers.convolution import convolution2d as conv2d
from headwater.contrib.layers.dropout import dropout
from headwater.contrib.layers.pooling import avg_pool2d
from headwater.contrib.layers.separable_convolution import (
    separable_convolution2d as separable_conv2d,
)
from headwater.contrib.layers.units import softmax
from headwater.contrib.slim.nets.classifier import trunc_normal
from headwater.contrib.slim.nets.inception_arg_scope import inception_arg_scope, normalization
from headwater.contrib.slim.nets.inception_blocks import (
    Block,
    Depth,
    Layer,
    end_points,
    pooling_window,
    scaled_depth,
    up_to,
)
from headwater.graph import Tensor, convert_to_tensor
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.array.reshape import squeeze

# The first weights of convolutions that reduce the channels, and of those after a pooling.
_REDUCTION, _PROJECTION = 0.09, 0.1


def _mixed(
    direct: int,
    branch_1: tuple[int, int],
    branch_2: tuple[int, int],
    pooled: int,
    pool: str = "AvgPool_0a_3x3",
) -> Block:
    return [
        [Layer("Conv2d_0a_1x1", direct)],
        [
            Layer("Conv2d_0a_1x1", branch_1[0], stddev=_REDUCTION),
            Layer("Conv2d_0b_3x3", branch_1[1]),
        ],
        [
            Layer("Conv2d_0a_1x1", branch_2[0], stddev=_REDUCTION),
            Layer("Conv2d_0b_3x3", branch_2[1]),
            Layer("Conv2d_0c_3x3", branch_2[1]),
        ],
        [Layer(pool), Layer("Conv2d_0b_1x1", pooled, stddev=_PROJECTION)],
    ]


def _smaller(branch_0: tuple[int, int], branch_1: tuple[int, int]) -> Block:
    return [
        [
            Layer("Conv2d_0a_1x1", branch_0[0], stddev=_REDUCTION),
            Layer("Conv2d_1a_3x3", branch_0[1], stride=2),
        ],
        [
            Layer("Conv2d_0a_1x1", branch_1[0], stddev=_REDUCTION),
            Layer("Conv2d_0b_3x3", branch_1[1]),
            Layer("Conv2d_1a_3x3", branch_1[1], stride=2),
        ],
        [Layer("MaxPool_1a_3x3", stride=2)],
    ]


_PARTS: list[Layer | tuple[str, Block]] = [
    Layer("MaxPool_2a_3x3", stride=2),
    Layer("Conv2d_2b_1x1", 64, stddev=0.1),
    Layer("Conv2d_2c_3x3", 192),
    Layer("MaxPool_3a_3x3", stride=2),
    ("Mixed_3b", _mixed(64, (64, 64), (64, 96), 32)),
    ("Mixed_3c", _mixed(64, (64, 96), (64, 96), 64)),
    ("Mixed_4a", _smaller((128, 160), (64, 96))),
    ("Mixed_4b", _mixed(224, (64, 96), (96, 128), 128)),
    ("Mixed_4c", _mixed(192, (96, 128), (96, 128), 128)),
    ("Mixed_4d", _mixed(160, (128, 160), (128, 160), 96)),
    ("Mixed_4e", _mixed(96, (128, 192), (160, 192), 96)),
    ("Mixed_5a", _smaller((128, 192), (192, 256))),
    ("Mixed_5b", _mixed(352, (192, 320), (160, 224), 128)),
    ("Mixed_5c", _mixed(352, (192, 320), (192, 224), 128, pool="MaxPool_0a_3x3")),
]
_FIRST = "Conv2d_1a_7x7"


def _end_points(inputs: TensorLike, depth: Depth) -> Iterator[tuple[str, Tensor]]:
    net = separable_conv2d(
        inputs,
        depth(64),
        [7, 7],
        depth_multiplier=min(int(depth(64) / 3), 8),
        stride=2,
        padding="SAME",
        weights_initializer=trunc_normal(1.0),
        scope=_FIRST,
    )
    yield _FIRST, net
    yield from end_points(net, _PARTS, depth)


@export("contrib.slim.nets.inception.inception_v2_base")
def inception_v2_base(
    inputs: TensorLike,
    final_endpoint: str = "Mixed_5c",
    min_depth: int = 16,
    depth_multiplier: float = 1.0,
    scope: Any = None,
) -> tuple[Tensor, dict[str, Tensor]]:
    """Builds Inception v2 up to an end point.

    Args:
        inputs: images of shape (batch, height, width, channels).
        final_endpoint: the name of the last end point, such as "Mixed_4e".
        min_depth: the least number of channels of a layer.
        depth_multiplier: the factor of the numbers of channels.
        scope: the variable scope.

    Returns:
        The output of the last end point, and those of all by name.

    Raises:
        ValueError: if there is no such end point, or the factor is not positive.
    """
    depth = scaled_depth(depth_multiplier, min_depth)
    with variable_scope(scope, "InceptionV2", [inputs]):
        return up_to(_end_points(convert_to_tensor(inputs), depth), final_endpoint)


@export("contrib.slim.nets.inception.inception_v2")
def inception_v2(
    inputs: TensorLike,
    num_classes: int = 1000,
    is_training: Any = True,
    dropout_keep_prob: float = 0.8,
    min_depth: int = 16,
    depth_multiplier: float = 1.0,
    prediction_fn: Callable[..., Tensor] = softmax,
    spatial_squeeze: bool = True,
    reuse: Any = None,
    scope: str = "InceptionV2",
) -> tuple[Tensor, dict[str, Tensor]]:
    """Builds Inception v2; its classifier expects images of 224x224.

    Args:
        inputs: images of shape (batch, height, width, channels).
        num_classes: the number of classes.
        is_training: whether dropout is active and batch normalization uses the batch.
        dropout_keep_prob: the part of the units that dropout keeps.
        min_depth: the least number of channels of a layer.
        depth_multiplier: the factor of the numbers of channels.
        prediction_fn: the function from logits to predictions.
        spatial_squeeze: whether the logits lose their axes of height and width.
        reuse: whether the variables exist.
        scope: the variable scope.

    Returns:
        The logits, and the outputs of the layers by name.

    Raises:
        ValueError: if the factor is not positive.
    """
    with (
        variable_scope(scope, "InceptionV2", [inputs, num_classes], reuse=reuse) as variables,
        arg_scope([batch_norm, dropout], is_training=is_training),
    ):
        net, points = inception_v2_base(
            inputs, min_depth=min_depth, depth_multiplier=depth_multiplier, scope=variables
        )
        with variable_scope("Logits"):
            window = pooling_window(net.shape, [7, 7])
            net = avg_pool2d(net, window, padding="VALID", scope="AvgPool_1a_{}x{}".format(*window))
            net = dropout(net, dropout_keep_prob, scope="Dropout_1b")
            logits = conv2d(
                net,
                num_classes,
                [1, 1],
                activation_fn=None,
                normalizer_fn=None,
                scope="Conv2d_1c_1x1",
            )
            if spatial_squeeze:
                logits = squeeze(logits, [1, 2], name="SpatialSqueeze")
        points["Logits"] = logits
        points["Predictions"] = prediction_fn(logits, scope="Predictions")
        return logits, points


@export("contrib.slim.nets.inception.inception_v2_arg_scope")
def inception_v2_arg_scope(
    weight_decay: float = 0.00004, batch_norm_var_collection: str = "moving_vars"
) -> Scope:
    """Returns the default arguments of the layers of `inception_v2`.

    Args:
        weight_decay: the factor of the L2 regularization of weights.
        batch_norm_var_collection: the collection for the moving averages.

    Returns:
        A scope for `arg_scope`.
    """
    return inception_arg_scope(weight_decay, normalization(batch_norm_var_collection))


# Programs read the size of the images from the function.
inception_v2.default_image_size = 224  # type: ignore[attr-defined]
