"""Inception v3 (Szegedy and others: Rethinking the Inception architecture, 2015)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.contrib.framework.arg_scope import Scope, arg_scope
from headwater.contrib.layers.batch_norm import batch_norm
from headwater.contrib.layers.convolution import convolution2d as conv2d
from headwater.contrib.layers.dropout import dropout
from headwater.contrib.layers.pooling import avg_pool2d
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
from headwater.graph.graph_keys import GraphKeys
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.array.reshape import squeeze


def _mixed_5(pooled: int, branch_1: tuple[str, str] = ("Conv2d_0a_1x1", "Conv2d_0b_5x5")) -> Block:
    return [
        [Layer("Conv2d_0a_1x1", 64)],
        [Layer(branch_1[0], 48), Layer(branch_1[1], 64)],
        [Layer("Conv2d_0a_1x1", 64), Layer("Conv2d_0b_3x3", 96), Layer("Conv2d_0c_3x3", 96)],
        [Layer("AvgPool_0a_3x3"), Layer("Conv2d_0b_1x1", pooled)],
    ]


def _mixed_6(inner: int) -> Block:
    return [
        [Layer("Conv2d_0a_1x1", 192)],
        [
            Layer("Conv2d_0a_1x1", inner),
            Layer("Conv2d_0b_1x7", inner),
            Layer("Conv2d_0c_7x1", 192),
        ],
        [
            Layer("Conv2d_0a_1x1", inner),
            Layer("Conv2d_0b_7x1", inner),
            Layer("Conv2d_0c_1x7", inner),
            Layer("Conv2d_0d_7x1", inner),
            Layer("Conv2d_0e_1x7", 192),
        ],
        [Layer("AvgPool_0a_3x3"), Layer("Conv2d_0b_1x1", 192)],
    ]


def _mixed_7(high: str) -> Block:
    return [
        [Layer("Conv2d_0a_1x1", 320)],
        [Layer("Conv2d_0a_1x1", 384), (Layer("Conv2d_0b_1x3", 384), Layer(high, 384))],
        [
            Layer("Conv2d_0a_1x1", 448),
            Layer("Conv2d_0b_3x3", 384),
            (Layer("Conv2d_0c_1x3", 384), Layer("Conv2d_0d_3x1", 384)),
        ],
        [Layer("AvgPool_0a_3x3"), Layer("Conv2d_0b_1x1", 192)],
    ]


# Names that do not say the window, or break the rule of their neighbours, are those of the
# published weights.
_MIXED_6A: Block = [
    [Layer("Conv2d_1a_1x1", 384, stride=2, padding="VALID", kernel_size=[3, 3])],
    [
        Layer("Conv2d_0a_1x1", 64),
        Layer("Conv2d_0b_3x3", 96),
        Layer("Conv2d_1a_1x1", 96, stride=2, padding="VALID", kernel_size=[3, 3]),
    ],
    [Layer("MaxPool_1a_3x3", stride=2, padding="VALID")],
]
_MIXED_7A: Block = [
    [Layer("Conv2d_0a_1x1", 192), Layer("Conv2d_1a_3x3", 320, stride=2, padding="VALID")],
    [
        Layer("Conv2d_0a_1x1", 192),
        Layer("Conv2d_0b_1x7", 192),
        Layer("Conv2d_0c_7x1", 192),
        Layer("Conv2d_1a_3x3", 192, stride=2, padding="VALID"),
    ],
    [Layer("MaxPool_1a_3x3", stride=2, padding="VALID")],
]
_PARTS: list[Layer | tuple[str, Block]] = [
    Layer("Conv2d_1a_3x3", 32, stride=2, padding="VALID"),
    Layer("Conv2d_2a_3x3", 32, padding="VALID"),
    Layer("Conv2d_2b_3x3", 64),
    Layer("MaxPool_3a_3x3", stride=2, padding="VALID"),
    Layer("Conv2d_3b_1x1", 80, padding="VALID"),
    Layer("Conv2d_4a_3x3", 192, padding="VALID"),
    Layer("MaxPool_5a_3x3", stride=2, padding="VALID"),
    ("Mixed_5b", _mixed_5(32)),
    ("Mixed_5c", _mixed_5(64, branch_1=("Conv2d_0b_1x1", "Conv_1_0c_5x5"))),
    ("Mixed_5d", _mixed_5(64)),
    ("Mixed_6a", _MIXED_6A),
    ("Mixed_6b", _mixed_6(128)),
    ("Mixed_6c", _mixed_6(160)),
    ("Mixed_6d", _mixed_6(160)),
    ("Mixed_6e", _mixed_6(192)),
    ("Mixed_7a", _MIXED_7A),
    ("Mixed_7b", _mixed_7("Conv2d_0b_3x1")),
    ("Mixed_7c", _mixed_7("Conv2d_0c_3x1")),
]


@export("contrib.slim.nets.inception.inception_v3_base")
def inception_v3_base(
    inputs: TensorLike,
    final_endpoint: str = "Mixed_7c",
    min_depth: int = 16,
    depth_multiplier: float = 1.0,
    scope: Any = None,
) -> tuple[Tensor, dict[str, Tensor]]:
    """Builds Inception v3 up to an end point.

    Args:
        inputs: images of shape (batch, height, width, channels).
        final_endpoint: the name of the last end point, such as "Mixed_6e".
        min_depth: the least number of channels of a layer.
        depth_multiplier: the factor of the numbers of channels.
        scope: the variable scope.

    Returns:
        The output of the last end point, and those of all by name.

    Raises:
        ValueError: if there is no such end point, or the factor is not positive.
    """
    depth = scaled_depth(depth_multiplier, min_depth)
    with variable_scope(scope, "InceptionV3", [inputs]):
        return up_to(end_points(convert_to_tensor(inputs), _PARTS, depth), final_endpoint)


@export("contrib.slim.nets.inception.inception_v3")
def inception_v3(
    inputs: TensorLike,
    num_classes: int = 1000,
    is_training: Any = True,
    dropout_keep_prob: float = 0.8,
    min_depth: int = 16,
    depth_multiplier: float = 1.0,
    prediction_fn: Callable[..., Tensor] = softmax,
    spatial_squeeze: bool = True,
    reuse: Any = None,
    scope: str = "InceptionV3",
) -> tuple[Tensor, dict[str, Tensor]]:
    """Builds Inception v3; its classifiers expect images of 299x299.

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
        The logits, and the outputs of the layers by name, with the logits of the auxiliary
        classifier as "AuxLogits".

    Raises:
        ValueError: if the factor is not positive.
    """
    depth = scaled_depth(depth_multiplier, min_depth)
    with (
        variable_scope(scope, "InceptionV3", [inputs, num_classes], reuse=reuse) as variables,
        arg_scope([batch_norm, dropout], is_training=is_training),
    ):
        net, points = inception_v3_base(
            inputs, min_depth=min_depth, depth_multiplier=depth_multiplier, scope=variables
        )
        points["AuxLogits"] = _auxiliary_logits(
            points["Mixed_6e"], num_classes, depth, spatial_squeeze
        )
        with variable_scope("Logits"):
            window = pooling_window(net.shape, [8, 8])
            net = avg_pool2d(net, window, padding="VALID", scope="AvgPool_1a_{}x{}".format(*window))
            net = dropout(net, dropout_keep_prob, scope="Dropout_1b")
            points["PreLogits"] = net
            logits = _logits(net, num_classes, "Conv2d_1c_1x1", spatial_squeeze)
        points["Logits"] = logits
        points["Predictions"] = prediction_fn(logits, scope="Predictions")
        return logits, points


def _auxiliary_logits(net: Tensor, num_classes: int, depth: Depth, spatial_squeeze: bool) -> Tensor:
    with variable_scope("AuxLogits"):
        net = avg_pool2d(net, [5, 5], stride=3, padding="VALID", scope="AvgPool_1a_5x5")
        net = conv2d(net, depth(128), [1, 1], scope="Conv2d_1b_1x1")
        window = pooling_window(net.shape, [5, 5])
        net = conv2d(
            net,
            depth(768),
            window,
            weights_initializer=trunc_normal(0.01),
            padding="VALID",
            scope="Conv2d_2a_{}x{}".format(*window),
        )
        return _logits(
            net,
            num_classes,
            "Conv2d_2b_1x1",
            spatial_squeeze,
            weights_initializer=trunc_normal(0.001),
        )


def _logits(
    net: Tensor, num_classes: int, scope: str, spatial_squeeze: bool, **arguments: Any
) -> Tensor:
    logits: Tensor = conv2d(
        net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None, scope=scope, **arguments
    )
    return squeeze(logits, [1, 2], name="SpatialSqueeze") if spatial_squeeze else logits


@export("contrib.slim.nets.inception.inception_v3_arg_scope")
def inception_v3_arg_scope(
    weight_decay: float = 0.00004,
    batch_norm_var_collection: str = "moving_vars",
    batch_norm_decay: float = 0.9997,
    batch_norm_epsilon: float = 0.001,
    updates_collections: Any = GraphKeys.UPDATE_OPS,
    use_fused_batchnorm: bool = True,
) -> Scope:
    """Returns the default arguments of the layers of `inception_v3`.

    Args:
        weight_decay: the factor of the L2 regularization of weights.
        batch_norm_var_collection: the collection for the moving averages.
        batch_norm_decay: their decay.
        batch_norm_epsilon: what batch normalization adds to variances.
        updates_collections: the collections for the updates of the moving averages.
        use_fused_batchnorm: whether batch normalization is one op.

    Returns:
        A scope for `arg_scope`.
    """
    return inception_arg_scope(
        weight_decay,
        normalization(
            batch_norm_var_collection,
            batch_norm_decay,
            batch_norm_epsilon,
            updates_collections=updates_collections,
            fused=use_fused_batchnorm,
        ),
    )


# Programs read the size of the images from the function.
inception_v3.default_image_size = 299  # type: ignore[attr-defined]
