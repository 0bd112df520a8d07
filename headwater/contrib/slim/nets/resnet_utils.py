"""What the two versions of residual networks have in common."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import Any

from headwater.base.export import export
from headwater.base.signatures import signature
from headwater.base.typing import TensorLike
from headwater.contrib.framework.arg_scope import Scope, add_arg_scope, arg_scope
from headwater.contrib.layers.batch_norm import batch_norm
from headwater.contrib.layers.convolution import convolution2d as conv2d
from headwater.contrib.layers.layer_utils import collect_named_outputs, convert_collection_to_dict
from headwater.contrib.layers.pooling import max_pool2d
from headwater.contrib.layers.units import softmax
from headwater.graph import Tensor
from headwater.graph.graph_keys import GraphKeys
from headwater.model.regularizers import l2_regularizer
from headwater.model.variables.random_initializers import layers_variance_scaling_initializer
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.array.pad import pad
from headwater.ops.math.reduce_functions import reduce_mean
from headwater.ops.nn.relu import relu


@export("contrib.slim.nets.resnet_utils.Block")
class Block(namedtuple("Block", ["scope", "unit_fn", "args"])):
    """A block of residual units.

    Attributes:
        scope: the variable scope.
        unit_fn: the function that builds a unit, from its input and the arguments of `args`.
        args: for each unit a dict of arguments, or the tuple (depth, depth_bottleneck, stride).
    """


@export("contrib.slim.nets.resnet_utils.subsample")
def subsample(inputs: Tensor, factor: int, scope: str | None = None) -> Tensor:
    """Takes every `factor`-th row and column.

    Args:
        inputs: a tensor of shape (batch, height, width, channels).
        factor: the step.
        scope: the name scope.

    Returns:
        A tensor of rank 4.
    """
    if factor == 1:
        return inputs
    return max_pool2d(inputs, [1, 1], stride=factor, scope=scope)


@export("contrib.slim.nets.resnet_utils.conv2d_same")
def conv2d_same(
    inputs: TensorLike,
    num_outputs: int,
    kernel_size: int,
    stride: int,
    rate: int = 1,
    scope: str | None = None,
) -> Tensor:
    """A convolution whose padding does not depend on the size of the image.

    With a stride, padding "SAME" is not symmetric for images of even size; this one always is.

    Args:
        inputs: a tensor of shape (batch, height, width, channels).
        num_outputs: the number of output channels.
        kernel_size: the height and width of the kernel.
        stride: the stride along both axes.
        rate: the dilation along both axes.
        scope: the variable scope.

    Returns:
        A tensor of rank 4.
    """
    if stride == 1:
        return conv2d(
            inputs, num_outputs, kernel_size, stride=1, rate=rate, padding="SAME", scope=scope
        )
    padding = (kernel_size - 1) * rate
    around = [padding // 2, padding - padding // 2]
    inputs = pad(inputs, [[0, 0], around, around, [0, 0]])
    return conv2d(
        inputs, num_outputs, kernel_size, stride=stride, rate=rate, padding="VALID", scope=scope
    )


def _arguments(unit: Any) -> dict[str, Any]:
    if isinstance(unit, dict):
        return unit
    return dict(zip(("depth", "depth_bottleneck", "stride"), unit, strict=True))


@export("contrib.slim.nets.resnet_utils.stack_blocks_dense")
@add_arg_scope
def stack_blocks_dense(
    net: Tensor,
    blocks: Sequence[Block],
    output_stride: float | None = None,
    outputs_collections: Any = None,
) -> Tensor:
    """Stacks residual blocks, and dilates units instead of going beyond a stride.

    Args:
        net: the input, of shape (batch, height, width, channels).
        blocks: the blocks.
        output_stride: the stride of the output relative to the input; None for that of the blocks.
        outputs_collections: the collections for the outputs of the blocks.

    Returns:
        The output of the last block.

    Raises:
        ValueError: if the blocks cannot have that stride.
    """
    stride = rate = 1
    for block in blocks:
        with variable_scope(block.scope, "block", [net]) as scope:
            for number, unit in enumerate(block.args, start=1):
                arguments = _arguments(unit)
                unit_stride = arguments.get("stride", 1)
                _check_reachable(stride, output_stride)
                with variable_scope(f"unit_{number}", values=[net]):
                    if stride == output_stride:
                        net = block.unit_fn(net, rate=rate, **{**arguments, "stride": 1})
                        rate *= unit_stride
                    else:
                        net = block.unit_fn(net, rate=1, **arguments)
                        stride *= unit_stride
            net = collect_named_outputs(outputs_collections, scope.name, net)
    if output_stride is not None and stride != output_stride:
        raise ValueError("The target output_stride cannot be reached.")
    return net


def _check_reachable(stride: int, output_stride: float | None) -> None:
    if output_stride is not None and stride > output_stride:
        raise ValueError("The target output_stride cannot be reached.")


@add_arg_scope
def _training_of_scope(is_training: Any = None) -> Any:
    """What `resnet_arg_scope(is_training=...)` says, or None."""
    return is_training


@export(
    "contrib.slim.nets.resnet_utils.resnet_arg_scope",
    "contrib.slim.nets.resnet_v1.resnet_arg_scope",
    "contrib.slim.nets.resnet_v2.resnet_arg_scope",
)
@signature(
    "weight_decay=0.0001, batch_norm_decay=0.997, batch_norm_epsilon=1e-05, batch_norm_scale=True"
)
def resnet_arg_scope(
    weight_decay: float = 0.0001,
    batch_norm_decay: float = 0.997,
    batch_norm_epsilon: float = 1e-5,
    batch_norm_scale: bool = True,
    is_training: Any = None,
) -> Scope:
    """Returns the default arguments of the layers of residual networks.

    In release 1.0 `is_training` was the first argument here, and not one of the networks; a bool
    or tensor in the first place is that one.

    Args:
        weight_decay: the factor of the L2 regularization of weights.
        batch_norm_decay: the decay of the moving averages of batch normalization.
        batch_norm_epsilon: what batch normalization adds to variances.
        batch_norm_scale: whether batch normalization has a factor for each channel.
        is_training: whether batch normalization takes the statistics of the batch; None leaves
            that to the network.

    Returns:
        A scope for `arg_scope`.
    """
    if isinstance(weight_decay, (bool, Tensor)):
        is_training, weight_decay = weight_decay, 0.0001
    normalization: dict[str, Any] = {
        "decay": batch_norm_decay,
        "epsilon": batch_norm_epsilon,
        "scale": batch_norm_scale,
        "updates_collections": GraphKeys.UPDATE_OPS,
    }
    if is_training is not None:
        normalization["is_training"] = is_training
    with (
        arg_scope(
            [conv2d],
            weights_regularizer=l2_regularizer(weight_decay),
            weights_initializer=layers_variance_scaling_initializer(),
            activation_fn=relu,
            normalizer_fn=batch_norm,
            normalizer_params=normalization,
        ),
        arg_scope([batch_norm], **normalization),
        arg_scope([_training_of_scope], is_training=is_training),
        arg_scope([max_pool2d], padding="SAME") as scope,
    ):
        return scope


def bottleneck_block(
    scope: str, unit_fn: Callable[..., Tensor], base_depth: int, num_units: int, stride: int
) -> Block:
    """A block of bottleneck units, of which the last has the stride."""
    unit = {"depth": base_depth * 4, "depth_bottleneck": base_depth, "stride": 1}
    return Block(scope, unit_fn, [unit] * (num_units - 1) + [{**unit, "stride": stride}])


def four_blocks(unit_fn: Callable[..., Tensor], num_units: Sequence[int]) -> list[Block]:
    """The blocks of the published networks, which differ in the numbers of units."""
    depths, strides = (64, 128, 256, 512), (2, 2, 2, 1)
    return [
        bottleneck_block(f"block{number}", unit_fn, depth, units, stride)
        for number, depth, units, stride in zip(
            (1, 2, 3, 4), depths, num_units, strides, strict=True
        )
    ]


def build_resnet(
    name: str,
    bottleneck: Callable[..., Tensor],
    preactivated: bool,
    inputs: TensorLike,
    blocks: Sequence[Block],
    num_classes: int | None,
    is_training: Any,
    global_pool: bool,
    output_stride: int | None,
    include_root_block: bool,
    reuse: Any,
    scope: str | None,
) -> tuple[Tensor, dict[str, Tensor]]:
    """Builds a residual network.

    Args:
        name: the variable scope if `scope` is None.
        bottleneck: the unit of this version.
        preactivated: whether units normalize their input, as in version 2.
        inputs: as in `resnet_v1`, like all others.
    """
    if isinstance(reuse, str):  # release 1.0 had no `is_training` here
        is_training, global_pool, output_stride, include_root_block, reuse, scope = (
            True,
            is_training,
            global_pool,
            output_stride,
            include_root_block,
            reuse,
        )
    of_scope = _training_of_scope()
    if of_scope is not None:
        is_training = of_scope
    with (
        variable_scope(scope, name, [inputs], reuse=reuse) as variables,
        arg_scope(
            [conv2d, bottleneck, stack_blocks_dense], outputs_collections=_end_points_of(variables)
        ),
        arg_scope([batch_norm], is_training=is_training),
    ):
        net: Any = inputs
        stride: float | None = output_stride
        if include_root_block:
            if output_stride is not None:
                if output_stride % 4 != 0:
                    raise ValueError("The output_stride needs to be a multiple of 4.")
                stride = output_stride / 4
            net = _root(net, preactivated)
        net = stack_blocks_dense(net, blocks, stride)
        if preactivated:
            net = batch_norm(net, activation_fn=relu, scope="postnorm")
        if global_pool:
            net = reduce_mean(net, [1, 2], name="pool5", keepdims=True)
        if num_classes is not None:
            net = conv2d(
                net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None, scope="logits"
            )
        end_points = convert_collection_to_dict(_end_points_of(variables))
        if num_classes is not None:
            end_points["predictions"] = softmax(net, scope="predictions")
        return net, end_points


def _end_points_of(variables: Any) -> str:
    """The collection of the outputs of a network in a variable scope."""
    return f"{variables.original_name_scope}_end_points"


def _root(net: Any, preactivated: bool) -> Tensor:
    if preactivated:
        with arg_scope([conv2d], activation_fn=None, normalizer_fn=None):
            net = conv2d_same(net, 64, 7, stride=2, scope="conv1")
    else:
        net = conv2d_same(net, 64, 7, stride=2, scope="conv1")
    return max_pool2d(net, [3, 3], stride=2, scope="pool1")
