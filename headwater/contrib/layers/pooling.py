"""Pooling: the mean or the maximum of windows."""

from __future__ import annotations

from collections.abc import Sequence

from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.contrib.framework.arg_scope import add_arg_scope
from headwater.contrib.layers.layer_steps import check_format
from headwater.contrib.layers.layer_utils import collect_named_outputs, n_positive_integers
from headwater.graph import Tensor, convert_to_tensor, name_scope
from headwater.model.layers.pooling import (
    AveragePooling2D,
    AveragePooling3D,
    MaxPooling2D,
    MaxPooling3D,
)
from headwater.model.nn import pooling


@export("contrib.layers.avg_pool2d", "contrib.slim.avg_pool2d")
@add_arg_scope
def avg_pool2d(
    inputs: TensorLike,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] = 2,
    padding: str = "VALID",
    data_format: str = "NHWC",
    outputs_collections: str | Sequence[str] | None = None,
    scope: str | None = None,
) -> Tensor:
    """Takes the mean of each window along two axes.

    Args:
        inputs: a tensor of rank 4.
        kernel_size: the size of the window: a number for both axes or one for each.
        stride: the steps of the window: a number for both axes or one for each.
        padding: "VALID" or "SAME".
        data_format: "NHWC" or "NCHW".
        outputs_collections: the collections for the output.
        scope: the name scope.

    Returns:
        A tensor of rank 4.

    Raises:
        ValueError: if the data format is unknown.
    """
    layout = check_format(data_format, "NCHW", "NHWC")
    with name_scope(scope, "AvgPool2D", [inputs]) as name:
        layer = AveragePooling2D(kernel_size, stride, padding, layout, _scope=name)
        outputs = layer.apply(convert_to_tensor(inputs))
        return collect_named_outputs(outputs_collections, name, outputs)


@export("contrib.layers.avg_pool3d", "contrib.slim.avg_pool3d")
@add_arg_scope
def avg_pool3d(
    inputs: TensorLike,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] = 2,
    padding: str = "VALID",
    data_format: str = "NDHWC",
    outputs_collections: str | Sequence[str] | None = None,
    scope: str | None = None,
) -> Tensor:
    """Takes the mean of each window along three axes.

    Args:
        inputs: a tensor of rank 5.
        kernel_size: the size of the window: a number for all axes or one for each.
        stride: the steps of the window: a number for all axes or one for each.
        padding: "VALID" or "SAME".
        data_format: "NDHWC" or "NCDHW".
        outputs_collections: the collections for the output.
        scope: the name scope.

    Returns:
        A tensor of rank 5.

    Raises:
        ValueError: if the data format is unknown.
    """
    layout = check_format(data_format, "NCDHW", "NDHWC")
    with name_scope(scope, "AvgPool3D", [inputs]) as name:
        layer = AveragePooling3D(kernel_size, stride, padding, layout, _scope=name)
        outputs = layer.apply(convert_to_tensor(inputs))
        return collect_named_outputs(outputs_collections, name, outputs)


@export("contrib.layers.max_pool2d", "contrib.slim.max_pool2d")
@add_arg_scope
def max_pool2d(
    inputs: TensorLike,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] = 2,
    padding: str = "VALID",
    data_format: str = "NHWC",
    outputs_collections: str | Sequence[str] | None = None,
    scope: str | None = None,
) -> Tensor:
    """Takes the largest value of each window along two axes.

    Args:
        inputs: a tensor of rank 4.
        kernel_size: the size of the window: a number for both axes or one for each.
        stride: the steps of the window: a number for both axes or one for each.
        padding: "VALID" or "SAME".
        data_format: "NHWC" or "NCHW".
        outputs_collections: the collections for the output.
        scope: the name scope.

    Returns:
        A tensor of rank 4.

    Raises:
        ValueError: if the data format is unknown.
    """
    layout = check_format(data_format, "NCHW", "NHWC")
    with name_scope(scope, "MaxPool2D", [inputs]) as name:
        layer = MaxPooling2D(kernel_size, stride, padding, layout, _scope=name)
        outputs = layer.apply(convert_to_tensor(inputs))
        return collect_named_outputs(outputs_collections, name, outputs)


@export("contrib.layers.max_pool3d", "contrib.slim.max_pool3d")
@add_arg_scope
def max_pool3d(
    inputs: TensorLike,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] = 2,
    padding: str = "VALID",
    data_format: str = "NDHWC",
    outputs_collections: str | Sequence[str] | None = None,
    scope: str | None = None,
) -> Tensor:
    """Takes the largest value of each window along three axes.

    Args:
        inputs: a tensor of rank 5.
        kernel_size: the size of the window: a number for all axes or one for each.
        stride: the steps of the window: a number for all axes or one for each.
        padding: "VALID" or "SAME".
        data_format: "NDHWC" or "NCDHW".
        outputs_collections: the collections for the output.
        scope: the name scope.

    Returns:
        A tensor of rank 5.

    Raises:
        ValueError: if the data format is unknown.
    """
    layout = check_format(data_format, "NCDHW", "NDHWC")
    with name_scope(scope, "MaxPool3D", [inputs]) as name:
        layer = MaxPooling3D(kernel_size, stride, padding, layout, _scope=name)
        outputs = layer.apply(convert_to_tensor(inputs))
        return collect_named_outputs(outputs_collections, name, outputs)


@export("contrib.layers.pool", "contrib.slim.pool")
@add_arg_scope
def pool(
    inputs: TensorLike,
    kernel_size: int | Sequence[int],
    pooling_type: str,
    padding: str = "VALID",
    data_format: str | None = None,
    dilation_rate: int | Sequence[int] = 1,
    stride: int | Sequence[int] = 1,
    outputs_collections: str | Sequence[str] | None = None,
    scope: str | None = None,
) -> Tensor:
    """Takes the mean or the largest value of each window along all axes but batch and channels.

    Args:
        inputs: a tensor of rank 3 or more.
        kernel_size: the size of the window: a number for all axes or one for each.
        pooling_type: "AVG" or "MAX".
        padding: "VALID" or "SAME".
        data_format: such as "NWC" or "NCHW"; None has the channels last.
        dilation_rate: the distances in the window: a number for all axes or one for each.
        stride: the steps of the window: a number for all axes or one for each.
        outputs_collections: the collections for the output.
        scope: the name scope.

    Returns:
        A tensor of the same rank.

    Raises:
        ValueError: if the rank is unknown or too small.
    """
    with name_scope(scope, f"{pooling_type.lower()}_pool", [inputs]) as name:
        inputs = convert_to_tensor(inputs)
        rank = inputs.shape.ndims
        if rank is None:
            raise ValueError("Rank of inputs must be known")
        if rank < 3:
            raise ValueError("Rank of inputs must be >= 3")
        axes = rank - 2
        outputs = pooling.pool(
            inputs,
            window_shape=n_positive_integers(axes, kernel_size),
            pooling_type=pooling_type,
            padding=padding,
            data_format=data_format,
            dilation_rate=n_positive_integers(axes, dilation_rate),
            strides=n_positive_integers(axes, stride),
            name=name,
        )
        return collect_named_outputs(outputs_collections, name, outputs)
