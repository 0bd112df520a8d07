"""Functions that make a pooling layer and apply it: `tf.layers.max_pooling2d` and its relatives."""

from __future__ import annotations

from collections.abc import Sequence

from headwater.base.typing import TensorLike
from headwater.graph import Tensor, export
from headwater.model.layers.function_form import apply_layer
from headwater.model.layers.pooling import (
    AveragePooling1D,
    AveragePooling2D,
    AveragePooling3D,
    MaxPooling1D,
    MaxPooling2D,
    MaxPooling3D,
)


@export("layers.average_pooling1d")
def average_pooling1d(
    inputs: TensorLike,
    pool_size: int | Sequence[int],
    strides: int | Sequence[int],
    padding: str = "valid",
    data_format: str = "channels_last",
    name: str | None = None,
) -> Tensor:
    """Takes the mean of each window along one axis; see AveragePooling1D.

    Args:
        inputs: a tensor.
        pool_size: the size of the window: a number for each axis or one for all.
        strides: the steps of the window: a number for each axis or one for all.
        padding: valid or same.
        data_format: channels_last or channels_first.
        name: the name.

    Returns:
        A tensor.
    """
    return apply_layer(AveragePooling1D, **locals())


@export("layers.average_pooling2d")
def average_pooling2d(
    inputs: TensorLike,
    pool_size: int | Sequence[int],
    strides: int | Sequence[int],
    padding: str = "valid",
    data_format: str = "channels_last",
    name: str | None = None,
) -> Tensor:
    """Takes the mean of each window along two axes; see AveragePooling2D.

    Args:
        inputs: a tensor.
        pool_size: the size of the window: a number for each axis or one for all.
        strides: the steps of the window: a number for each axis or one for all.
        padding: valid or same.
        data_format: channels_last or channels_first.
        name: the name.

    Returns:
        A tensor.
    """
    return apply_layer(AveragePooling2D, **locals())


@export("layers.average_pooling3d")
def average_pooling3d(
    inputs: TensorLike,
    pool_size: int | Sequence[int],
    strides: int | Sequence[int],
    padding: str = "valid",
    data_format: str = "channels_last",
    name: str | None = None,
) -> Tensor:
    """Takes the mean of each window along three axes; see AveragePooling3D.

    Args:
        inputs: a tensor.
        pool_size: the size of the window: a number for each axis or one for all.
        strides: the steps of the window: a number for each axis or one for all.
        padding: valid or same.
        data_format: channels_last or channels_first.
        name: the name.

    Returns:
        A tensor.
    """
    return apply_layer(AveragePooling3D, **locals())


@export("layers.max_pooling1d")
def max_pooling1d(
    inputs: TensorLike,
    pool_size: int | Sequence[int],
    strides: int | Sequence[int],
    padding: str = "valid",
    data_format: str = "channels_last",
    name: str | None = None,
) -> Tensor:
    """Takes the largest value of each window along one axis; see MaxPooling1D.

    Args:
        inputs: a tensor.
        pool_size: the size of the window: a number for each axis or one for all.
        strides: the steps of the window: a number for each axis or one for all.
        padding: valid or same.
        data_format: channels_last or channels_first.
        name: the name.

    Returns:
        A tensor.
    """
    return apply_layer(MaxPooling1D, **locals())


@export("layers.max_pooling2d")
def max_pooling2d(
    inputs: TensorLike,
    pool_size: int | Sequence[int],
    strides: int | Sequence[int] | None,
    padding: str = "valid",
    data_format: str = "channels_last",
    name: str | None = None,
) -> Tensor:
    """Takes the largest value of each window along two axes; see MaxPooling2D.

    Args:
        inputs: a tensor.
        pool_size: the size of the window: a number for each axis or one for all.
        strides: the steps of the window: a number for each axis or one for all.
        padding: valid or same.
        data_format: channels_last or channels_first.
        name: the name.

    Returns:
        A tensor.
    """
    return apply_layer(MaxPooling2D, **locals())


@export("layers.max_pooling3d")
def max_pooling3d(
    inputs: TensorLike,
    pool_size: int | Sequence[int],
    strides: int | Sequence[int],
    padding: str = "valid",
    data_format: str = "channels_last",
    name: str | None = None,
) -> Tensor:
    """Takes the largest value of each window along three axes; see MaxPooling3D.

    Args:
        inputs: a tensor.
        pool_size: the size of the window: a number for each axis or one for all.
        strides: the steps of the window: a number for each axis or one for all.
        padding: valid or same.
        data_format: channels_last or channels_first.
        name: the name.

    Returns:
        A tensor.
    """
    return apply_layer(MaxPooling3D, **locals())
