"""Convolutions and pooling in both orders of the axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base.export import export
from headwater.base.typing import ShapeLike, TensorLike
from headwater.graph import Tensor
from headwater.keras.backend.settings import checked_format
from headwater.keras.backend.shaping import temporal_padding
from headwater.model.nn import convolution as convolutions
from headwater.ops.array.reshape import expand_dims, squeeze
from headwater.ops.array.shape import shape as shape_of
from headwater.ops.array.stack import stack
from headwater.ops.array.transpose import transpose
from headwater.ops.nn import conv2d as conv2d_ops
from headwater.ops.nn import conv3d as conv3d_ops
from headwater.ops.nn import pool2d as pool2d_ops
from headwater.ops.nn import pool3d as pool3d_ops

_FORMATS = {3: ("NWC", "NCW"), 4: ("NHWC", "NCHW"), 5: ("NDHWC", "NCDHW")}


def _prepared(x: TensorLike, data_format: str | None, rank: int) -> tuple[Tensor, str, bool]:
    """The input with the channels last.

    The kernels of a CPU have the channels last, so TensorFlow moves the axes in the graph.

    Returns:
        The input, its format, and whether the result must be moved back.
    """
    moved = checked_format(data_format) == "channels_first"
    last, first = _FORMATS[rank]
    if not moved:
        return x, last, False
    if rank == 3:
        return x, first, False
    return transpose(x, (0, *range(2, rank), 1)), last, True


def _moved_back(x: Tensor) -> Tensor:
    rank: int = x.shape.ndims or 0
    return transpose(x, (0, rank - 1, *range(1, rank - 1)))


def padding_of_op(padding: str) -> str:
    """Returns the padding in upper case, as ops have it.

    Raises:
        ValueError: if it is neither "same" nor "valid".
    """
    if padding not in ("same", "valid"):
        raise ValueError(f"Invalid padding: {padding}")
    return padding.upper()


@export("keras.backend.conv1d")
def conv1d(
    x: TensorLike,
    kernel: TensorLike,
    strides: int = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: int = 1,
) -> Tensor:
    """Convolves sequences.

    Args:
        x: a tensor of rank 3.
        kernel: a tensor (width, channels, filters).
        strides: the step.
        padding: "same", "valid" or "causal".
        data_format: "channels_last" or "channels_first".
        dilation_rate: the distance of the elements of a window.

    Returns:
        A tensor of rank 3.

    Raises:
        ValueError: if the format or the padding is unknown.
    """
    checked_format(data_format)
    if padding == "causal":
        width = kernel.shape.as_list()[0]
        x = temporal_padding(x, (dilation_rate * (width - 1), 0))
        padding = "valid"
    padding = padding_of_op(padding)
    x, form, moved = _prepared(x, data_format, 3)
    x = convolutions.convolution(
        x,
        kernel,
        dilation_rate=(dilation_rate,),
        strides=(strides,),
        padding=padding,
        data_format=form,
    )
    return _moved_back(x) if moved else x


@export("keras.backend.conv2d")
def conv2d(
    x: TensorLike,
    kernel: TensorLike,
    strides: Sequence[int] = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Sequence[int] = (1, 1),
) -> Tensor:
    """Convolves images.

    Args:
        x: a tensor of rank 4.
        kernel: a tensor (height, width, channels, filters).
        strides: the steps.
        padding: "same" or "valid".
        data_format: "channels_last" or "channels_first".
        dilation_rate: the distances of the elements of a window.

    Returns:
        A tensor of rank 4.

    Raises:
        ValueError: if the format or the padding is unknown.
    """
    x, form, moved = _prepared(x, data_format, 4)
    x = convolutions.convolution(
        x,
        kernel,
        dilation_rate=dilation_rate,
        strides=strides,
        padding=padding_of_op(padding),
        data_format=form,
    )
    return _moved_back(x) if moved else x


@export("keras.backend.conv3d")
def conv3d(
    x: TensorLike,
    kernel: TensorLike,
    strides: Sequence[int] = (1, 1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Sequence[int] = (1, 1, 1),
) -> Tensor:
    """Convolves volumes.

    Args:
        x: a tensor of rank 5.
        kernel: a tensor (depth, height, width, channels, filters).
        strides: the steps.
        padding: "same" or "valid".
        data_format: "channels_last" or "channels_first".
        dilation_rate: the distances of the elements of a window.

    Returns:
        A tensor of rank 5.

    Raises:
        ValueError: if the format or the padding is unknown.
    """
    x, form, moved = _prepared(x, data_format, 5)
    x = convolutions.convolution(
        x,
        kernel,
        dilation_rate=dilation_rate,
        strides=strides,
        padding=padding_of_op(padding),
        data_format=form,
    )
    return _moved_back(x) if moved else x


def _transposed_shape(x: Tensor, output_shape: ShapeLike, moved: bool) -> Any:
    """The shape of the result of a transposed convolution with the channels last."""
    if isinstance(output_shape, Tensor):
        if not moved:
            return output_shape
        return stack([output_shape[i] for i in (0, *range(2, len(x.shape)), 1)])
    sizes = tuple(output_shape)
    if moved:
        sizes = (sizes[0], *sizes[2:], sizes[1])
    if sizes[0] is None:
        sizes = (shape_of(x)[0], *sizes[1:])
    return stack(list(sizes))


@export("keras.backend.conv2d_transpose")
def conv2d_transpose(
    x: TensorLike,
    kernel: TensorLike,
    output_shape: ShapeLike,
    strides: Sequence[int] = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Sequence[int] = (1, 1),
) -> Tensor:
    """Computes the transpose of a convolution of images.

    Args:
        x: a tensor of rank 4.
        kernel: a tensor (height, width, filters, channels).
        output_shape: the shape of the result.
        strides: the steps.
        padding: "same" or "valid".
        data_format: "channels_last" or "channels_first".
        dilation_rate: the distances of the elements of a window.

    Returns:
        A tensor of rank 4.

    Raises:
        ValueError: if the format or the padding is unknown.
    """
    x, form, moved = _prepared(x, data_format, 4)
    size = _transposed_shape(x, output_shape, moved)
    padding = padding_of_op(padding)
    if tuple(dilation_rate) == (1, 1):
        x = conv2d_ops.conv2d_transpose(
            x, kernel, size, strides=(1, *strides, 1), padding=padding, data_format=form
        )
    else:
        assert dilation_rate[0] == dilation_rate[1]
        x = convolutions.atrous_conv2d_transpose(
            x, kernel, size, rate=dilation_rate[0], padding=padding
        )
    return _moved_back(x) if moved else x


def conv3d_transpose(
    x: TensorLike,
    kernel: TensorLike,
    output_shape: ShapeLike,
    strides: Sequence[int] = (1, 1, 1),
    padding: str = "valid",
    data_format: str | None = None,
) -> Tensor:
    """Computes the transpose of a convolution of volumes.

    Args:
        x: a tensor of rank 5.
        kernel: a tensor (depth, height, width, filters, channels).
        output_shape: the shape of the result.
        strides: the steps.
        padding: "same" or "valid".
        data_format: "channels_last" or "channels_first".

    Returns:
        A tensor of rank 5.

    Raises:
        ValueError: if the format or the padding is unknown.
    """
    x, form, moved = _prepared(x, data_format, 5)
    x = conv3d_ops.conv3d_transpose(
        x,
        kernel,
        _transposed_shape(x, output_shape, moved),
        strides=(1, *strides, 1),
        padding=padding_of_op(padding),
        data_format=form,
    )
    return _moved_back(x) if moved else x


def separable_conv1d(
    x: TensorLike,
    depthwise_kernel: TensorLike,
    pointwise_kernel: TensorLike,
    strides: int | Sequence[int] = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: int | Sequence[int] = 1,
) -> Tensor:
    """Convolves each channel of sequences, then mixes the channels.

    Args:
        x: a tensor of rank 3.
        depthwise_kernel: a tensor (width, channels, multiplier).
        pointwise_kernel: a tensor (1, channels * multiplier, filters).
        strides: the step.
        padding: "same" or "valid".
        data_format: "channels_last" or "channels_first".
        dilation_rate: the distance of the elements of a window.

    Returns:
        A tensor of rank 3.

    Raises:
        ValueError: if the format or the padding is unknown.
    """
    first = checked_format(data_format) == "channels_first"
    axis = 2 if first else 1
    step = strides if isinstance(strides, int) else strides[0]
    rate = dilation_rate if isinstance(dilation_rate, int) else dilation_rate[0]
    x = expand_dims(x, axis)
    x = separable_conv2d(
        x,
        expand_dims(depthwise_kernel, 0),
        expand_dims(pointwise_kernel, 0),
        strides=(step, step),
        padding=padding,
        data_format=data_format,
        dilation_rate=(rate, rate),
    )
    return squeeze(x, [axis])


@export("keras.backend.separable_conv2d")
def separable_conv2d(
    x: TensorLike,
    depthwise_kernel: TensorLike,
    pointwise_kernel: TensorLike,
    strides: Sequence[int] = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Sequence[int] = (1, 1),
) -> Tensor:
    """Convolves each channel of images, then mixes the channels.

    Args:
        x: a tensor of rank 4.
        depthwise_kernel: a tensor (height, width, channels, multiplier).
        pointwise_kernel: a tensor (1, 1, channels * multiplier, filters).
        strides: the steps.
        padding: "same" or "valid".
        data_format: "channels_last" or "channels_first".
        dilation_rate: the distances of the elements of a window.

    Returns:
        A tensor of rank 4.

    Raises:
        ValueError: if the format, the padding or the number of strides is wrong.
    """
    if len(strides) != 2:
        raise ValueError("`strides` must be a tuple of 2 integers.")
    x, form, moved = _prepared(x, data_format, 4)
    x = convolutions.separable_conv2d(
        x,
        depthwise_kernel,
        pointwise_kernel,
        strides=(1, *strides, 1),
        padding=padding_of_op(padding),
        rate=dilation_rate,
        data_format=form,
    )
    return _moved_back(x) if moved else x


def depthwise_conv2d(
    x: TensorLike,
    depthwise_kernel: TensorLike,
    strides: Sequence[int] = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Sequence[int] = (1, 1),
) -> Tensor:
    """Convolves each channel of images.

    Args:
        x: a tensor of rank 4.
        depthwise_kernel: a tensor (height, width, channels, multiplier).
        strides: the steps.
        padding: "same" or "valid".
        data_format: "channels_last" or "channels_first".
        dilation_rate: the distances of the elements of a window.

    Returns:
        A tensor of rank 4.

    Raises:
        ValueError: if the format or the padding is unknown.
    """
    x, form, moved = _prepared(x, data_format, 4)
    x = convolutions.depthwise_conv2d(
        x,
        depthwise_kernel,
        strides=(1, *strides, 1),
        padding=padding_of_op(padding),
        rate=dilation_rate,
        data_format=form,
    )
    return _moved_back(x) if moved else x


def _checked_mode(pool_mode: str) -> str:
    if pool_mode not in ("max", "avg"):
        raise ValueError(f"Invalid pooling mode: {pool_mode}")
    return pool_mode


@export("keras.backend.pool2d")
def pool2d(
    x: TensorLike,
    pool_size: Sequence[int],
    strides: Sequence[int] = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    pool_mode: str = "max",
) -> Tensor:
    """Takes the maximum or mean of windows of images.

    Args:
        x: a tensor of rank 4.
        pool_size: the size of a window.
        strides: the steps.
        padding: "same" or "valid".
        data_format: "channels_last" or "channels_first".
        pool_mode: "max" or "avg".

    Returns:
        A tensor of rank 4.

    Raises:
        ValueError: if the format, the padding, the mode or a number of sizes is wrong.
    """
    if len(pool_size) != 2:
        raise ValueError("`pool_size` must be a tuple of 2 integers.")
    if len(strides) != 2:
        raise ValueError("`strides` must be a tuple of 2 integers.")
    x, form, moved = _prepared(x, data_format, 4)
    padding = padding_of_op(padding)
    pooled = pool2d_ops.max_pool if _checked_mode(pool_mode) == "max" else pool2d_ops.avg_pool
    x = pooled(x, (1, *pool_size, 1), (1, *strides, 1), padding=padding, data_format=form)
    return _moved_back(x) if moved else x


@export("keras.backend.pool3d")
def pool3d(
    x: TensorLike,
    pool_size: Sequence[int],
    strides: Sequence[int] = (1, 1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    pool_mode: str = "max",
) -> Tensor:
    """Takes the maximum or mean of windows of volumes.

    Args:
        x: a tensor of rank 5.
        pool_size: the size of a window.
        strides: the steps.
        padding: "same" or "valid".
        data_format: "channels_last" or "channels_first".
        pool_mode: "max" or "avg".

    Returns:
        A tensor of rank 5.

    Raises:
        ValueError: if the format, the padding or the mode is unknown.
    """
    x, form, moved = _prepared(x, data_format, 5)
    padding = padding_of_op(padding)
    pooled = pool3d_ops.max_pool3d if _checked_mode(pool_mode) == "max" else pool3d_ops.avg_pool3d
    x = pooled(x, (1, *pool_size, 1), (1, *strides, 1), padding=padding, data_format=form)
    return _moved_back(x) if moved else x
