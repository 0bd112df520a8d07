"""The blocks of Inception networks as tables: branches of convolutions and poolings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

from headwater.base.typing import TensorLike
from headwater.contrib.layers.convolution import convolution2d as conv2d
from headwater.contrib.layers.pooling import avg_pool2d, max_pool2d
from headwater.contrib.slim.nets.classifier import trunc_normal
from headwater.graph import Tensor
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.array.concat import concat


class Layer(NamedTuple):
    """A convolution or a pooling.

    Attributes:
        name: its variable scope; one that begins with "Conv", "MaxPool" or "AvgPool" says what it
            is, and its end such as "1x7" the size of the window.
        depth: the number of output channels of a convolution.
        stride: the stride.
        padding: "SAME" or "VALID".
        stddev: the standard deviation of the first weights; None for the default.
        kernel_size: the window, where it differs from the name.
    """

    name: str
    depth: int = 0
    stride: int = 1
    padding: str = "SAME"
    stddev: float | None = None
    kernel_size: list[int] | None = None


# A tuple of layers side by side stands for one whose output is all of theirs.
Step: TypeAlias = "Layer | tuple[Layer, ...]"
Branch: TypeAlias = "list[Step]"
Block: TypeAlias = "list[Branch]"
Depth: TypeAlias = Callable[[int], int]


def _window(layer: Layer) -> list[int]:
    if layer.kernel_size is not None:
        return layer.kernel_size
    size = re.search(r"(\d+)x(\d+)$", layer.name)
    assert size, layer.name
    return [int(size[1]), int(size[2])]


def apply_layer(net: TensorLike, layer: Layer, depth: Depth) -> Tensor:
    """Builds one layer.

    Args:
        net: its input.
        layer: the layer.
        depth: a function from a number of channels to the one of a narrower network.
    """
    common = {"stride": layer.stride, "padding": layer.padding, "scope": layer.name}
    if layer.name.startswith("MaxPool"):
        return max_pool2d(net, _window(layer), **common)
    if layer.name.startswith("AvgPool"):
        return avg_pool2d(net, _window(layer), **common)
    if layer.stddev is not None:
        common["weights_initializer"] = trunc_normal(layer.stddev)
    return conv2d(net, depth(layer.depth), _window(layer), **common)


def apply_block(net: Tensor, name: str, block: Block, depth: Depth) -> Tensor:
    """Builds a block; the outputs of its branches are concatenated along the channels.

    Args:
        net: its input.
        name: the variable scope.
        block: the branches.
        depth: as in `apply_layer`.
    """
    with variable_scope(name):
        outputs = []
        for number, branch in enumerate(block):
            with variable_scope(f"Branch_{number}"):
                outputs.append(_apply_branch(net, branch, depth))
        return concat(outputs, 3)


def _apply_branch(net: Tensor, branch: Branch, depth: Depth) -> Tensor:
    for step in branch:
        if isinstance(step, Layer):
            net = apply_layer(net, step, depth)
        else:
            net = concat([apply_layer(net, layer, depth) for layer in step], 3)
    return net


def end_points(
    net: Tensor, parts: Sequence[Layer | tuple[str, Block]], depth: Depth
) -> Iterator[tuple[str, Tensor]]:
    """Builds the layers and blocks of a network one after the other.

    Args:
        net: the input.
        parts: layers, and blocks with their names.
        depth: as in `apply_layer`.

    Yields:
        The name and the output of each.
    """
    for part in parts:
        if isinstance(part, Layer):
            net = apply_layer(net, part, depth)
            yield part.name, net
        else:
            name, block = part
            net = apply_block(net, name, block, depth)
            yield name, net


def up_to(
    points: Iterator[tuple[str, Tensor]], final_endpoint: str
) -> tuple[Tensor, dict[str, Tensor]]:
    """Builds a network up to an end point.

    Args:
        points: what `end_points` yields.
        final_endpoint: the name of the last end point.

    Returns:
        The output of the last end point, and those of all by name.

    Raises:
        ValueError: if there is no such end point.
    """
    built: dict[str, Any] = {}
    for name, net in points:
        built[name] = net
        if name == final_endpoint:
            return net, built
    raise ValueError(f"Unknown final endpoint {final_endpoint}")


def scaled_depth(depth_multiplier: float, min_depth: int) -> Depth:
    """Returns the function from a number of channels to the one of a narrower network.

    Args:
        depth_multiplier: the factor.
        min_depth: the least number of channels.

    Raises:
        ValueError: if the factor is not positive.
    """
    if depth_multiplier <= 0:
        raise ValueError("depth_multiplier is not greater than zero.")
    return lambda depth: max(int(depth * depth_multiplier), min_depth)


def unchanged(depth: int) -> int:
    """The depth of a network of full width."""
    return depth


def pooling_window(shape: Any, kernel_size: Sequence[int]) -> list[int]:
    """The window of the last pooling, which is smaller for small images.

    Args:
        shape: the static shape of the features.
        kernel_size: the window for features of full size.
    """
    sizes = shape.as_list()[1:3]
    if None in sizes:
        return list(kernel_size)
    return [min(size, wanted) for size, wanted in zip(sizes, kernel_size, strict=True)]
