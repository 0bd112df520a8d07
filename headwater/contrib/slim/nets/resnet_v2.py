"""Residual networks, version 2 (He and others: Identity mappings, 2016)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.contrib.framework.arg_scope import add_arg_scope
from headwater.contrib.layers.batch_norm import batch_norm
from headwater.contrib.layers.convolution import convolution2d as conv2d
from headwater.contrib.layers.layer_utils import collect_named_outputs, last_dimension
from headwater.contrib.slim.nets.resnet_utils import (
    Block,
    bottleneck_block,
    build_resnet,
    conv2d_same,
    four_blocks,
    subsample,
)
from headwater.graph import Tensor, convert_to_tensor
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.nn.relu import relu


@export("contrib.slim.nets.resnet_v2.bottleneck")
@add_arg_scope
def bottleneck(
    inputs: TensorLike,
    depth: int,
    depth_bottleneck: int,
    stride: int,
    rate: int = 1,
    outputs_collections: Any = None,
    scope: str | None = None,
) -> Tensor:
    """A residual unit of three convolutions, with normalization before each of them.

    Args:
        inputs: a tensor of shape (batch, height, width, channels).
        depth: the number of output channels.
        depth_bottleneck: the number of channels of the 3x3 convolution.
        stride: the stride of the unit.
        rate: the dilation of the 3x3 convolution.
        outputs_collections: the collections for the output.
        scope: the variable scope.

    Returns:
        A tensor of rank 4.
    """
    with variable_scope(scope, "bottleneck_v2", [inputs]) as variables:
        net = convert_to_tensor(inputs)
        preact = batch_norm(net, activation_fn=relu, scope="preact")
        plain = {"normalizer_fn": None, "activation_fn": None}
        if depth == last_dimension(net.shape, min_rank=4):
            shortcut = subsample(net, stride, "shortcut")
        else:
            shortcut = conv2d(preact, depth, [1, 1], stride=stride, scope="shortcut", **plain)
        residual = conv2d(preact, depth_bottleneck, [1, 1], stride=1, scope="conv1")
        residual = conv2d_same(residual, depth_bottleneck, 3, stride, rate=rate, scope="conv2")
        residual = conv2d(residual, depth, [1, 1], stride=1, scope="conv3", **plain)
        output = shortcut + residual
        return collect_named_outputs(outputs_collections, variables.name, output)


@export("contrib.slim.nets.resnet_v2.resnet_v2")
def resnet_v2(
    inputs: TensorLike,
    blocks: Sequence[Block],
    num_classes: int | None = None,
    is_training: Any = True,
    global_pool: bool = True,
    output_stride: int | None = None,
    include_root_block: bool = True,
    reuse: Any = None,
    scope: str | None = None,
) -> tuple[Tensor, dict[str, Tensor]]:
    """Builds a residual network of any blocks.

    Args:
        inputs: images of shape (batch, height, width, channels).
        blocks: the blocks.
        num_classes: the number of classes; None for features instead of logits.
        is_training: whether batch normalization takes the statistics of the batch.
        global_pool: whether the features are averaged over height and width.
        output_stride: the stride of the features relative to the images, reached by dilation; None
            for that of the blocks.
        include_root_block: whether a convolution and a pooling with strides come first.
        reuse: whether the variables exist.
        scope: the variable scope.

    Returns:
        The logits or features, and the outputs of the layers by name.

    Raises:
        ValueError: if the network cannot have `output_stride`.
    """
    return build_resnet(
        "resnet_v2",
        bottleneck,
        True,
        inputs,
        blocks,
        num_classes,
        is_training,
        global_pool,
        output_stride,
        include_root_block,
        reuse,
        scope,
    )


@export("contrib.slim.nets.resnet_v2.resnet_v2_block")
def resnet_v2_block(scope: str, base_depth: int, num_units: int, stride: int) -> Block:
    """Returns a block of bottleneck units, of which the last has the stride.

    Args:
        scope: the variable scope.
        base_depth: the number of channels of the 3x3 convolutions; the units have 4 times as many.
        num_units: the number of units.
        stride: the stride of the last unit.

    Returns:
        A Block.
    """
    return bottleneck_block(scope, bottleneck, base_depth, num_units, stride)


@export("contrib.slim.nets.resnet_v2.resnet_v2_50")
def resnet_v2_50(
    inputs: TensorLike,
    num_classes: int | None = None,
    is_training: Any = True,
    global_pool: bool = True,
    output_stride: int | None = None,
    reuse: Any = None,
    scope: str = "resnet_v2_50",
) -> tuple[Tensor, dict[str, Tensor]]:
    """Builds ResNet-50.

    Args:
        inputs: as in `resnet_v2`, like all others.

    Returns:
        The logits or features, and the outputs of the layers by name.
    """
    return resnet_v2(
        inputs,
        four_blocks(bottleneck, (3, 4, 6, 3)),
        num_classes,
        is_training,
        global_pool=global_pool,
        output_stride=output_stride,
        include_root_block=True,
        reuse=reuse,
        scope=scope,
    )


@export("contrib.slim.nets.resnet_v2.resnet_v2_101")
def resnet_v2_101(
    inputs: TensorLike,
    num_classes: int | None = None,
    is_training: Any = True,
    global_pool: bool = True,
    output_stride: int | None = None,
    reuse: Any = None,
    scope: str = "resnet_v2_101",
) -> tuple[Tensor, dict[str, Tensor]]:
    """Builds ResNet-101.

    Args:
        inputs: as in `resnet_v2`, like all others.

    Returns:
        The logits or features, and the outputs of the layers by name.
    """
    return resnet_v2(
        inputs,
        four_blocks(bottleneck, (3, 4, 23, 3)),
        num_classes,
        is_training,
        global_pool=global_pool,
        output_stride=output_stride,
        include_root_block=True,
        reuse=reuse,
        scope=scope,
    )


@export("contrib.slim.nets.resnet_v2.resnet_v2_152")
def resnet_v2_152(
    inputs: TensorLike,
    num_classes: int | None = None,
    is_training: Any = True,
    global_pool: bool = True,
    output_stride: int | None = None,
    reuse: Any = None,
    scope: str = "resnet_v2_152",
) -> tuple[Tensor, dict[str, Tensor]]:
    """Builds ResNet-152.

    Args:
        inputs: as in `resnet_v2`, like all others.

    Returns:
        The logits or features, and the outputs of the layers by name.
    """
    return resnet_v2(
        inputs,
        four_blocks(bottleneck, (3, 8, 36, 3)),
        num_classes,
        is_training,
        global_pool=global_pool,
        output_stride=output_stride,
        include_root_block=True,
        reuse=reuse,
        scope=scope,
    )


@export("contrib.slim.nets.resnet_v2.resnet_v2_200")
def resnet_v2_200(
    inputs: TensorLike,
    num_classes: int | None = None,
    is_training: Any = True,
    global_pool: bool = True,
    output_stride: int | None = None,
    reuse: Any = None,
    scope: str = "resnet_v2_200",
) -> tuple[Tensor, dict[str, Tensor]]:
    """Builds ResNet-200.

    Args:
        inputs: as in `resnet_v2`, like all others.

    Returns:
        The logits or features, and the outputs of the layers by name.
    """
    return resnet_v2(
        inputs,
        four_blocks(bottleneck, (3, 24, 36, 3)),
        num_classes,
        is_training,
        global_pool=global_pool,
        output_stride=output_stride,
        include_root_block=True,
        reuse=reuse,
        scope=scope,
    )


# Programs read the size of the images from the function.
resnet_v2.default_image_size = 224  # type: ignore[attr-defined]
