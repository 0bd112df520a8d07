"""Convolutions whose kernel differs from place to place."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph import Tensor
from headwater.keras.backend.settings import checked_format
from headwater.keras.backend.tensors import int_shape
from headwater.ops.array.concat import concat
from headwater.ops.array.reshape import reshape
from headwater.ops.array.transpose import transpose
from headwater.ops.math.matmul import matmul


def local_conv(
    inputs: TensorLike,
    kernel: TensorLike,
    kernel_size: Sequence[int],
    strides: Sequence[int],
    output_shape: Sequence[int],
    data_format: str | None = None,
) -> Tensor:
    """Multiplies each window with a matrix of its own.

    Args:
        inputs: a tensor: batch, places, channels in the order of `data_format`.
        kernel: a tensor (number of windows, size of a window * channels, filters).
        kernel_size: the size of a window.
        strides: the steps.
        output_shape: the numbers of windows per axis.
        data_format: "channels_last" or "channels_first".

    Returns:
        A tensor of the rank of the inputs.

    Raises:
        ValueError: if the format is unknown.
    """
    first = checked_format(data_format) == "channels_first"
    kernel_shape = int_shape(kernel) or ()
    features, filters = kernel_shape[1], kernel_shape[-1]
    axes = len(output_shape)
    every = slice(None)
    windows = []
    for place in itertools.product(*(range(n) for n in output_shape)):
        cut = [
            slice(i * step, i * step + size)
            for i, step, size in zip(place, strides, kernel_size, strict=True)
        ]
        index = (every, every, *cut) if first else (every, *cut, every)
        windows.append(reshape(inputs[index], (1, -1, features)))
    outputs = matmul(concat(windows, axis=0), kernel)
    outputs = reshape(outputs, (*output_shape, -1, filters))
    if first:
        order = [axes, axes + 1, *range(axes)]
    else:
        order = [axes, *range(axes), axes + 1]
    return transpose(outputs, order)


@export("keras.backend.local_conv1d")
def local_conv1d(
    inputs: TensorLike,
    kernel: TensorLike,
    kernel_size: Sequence[int],
    strides: Sequence[int],
    data_format: str | None = None,
) -> Tensor:
    """Convolves sequences with a kernel that differs from place to place.

    Args:
        inputs: a tensor of rank 3.
        kernel: a tensor (length of the result, width * channels, filters).
        kernel_size: the width of a window, in a tuple.
        strides: the step, in a tuple.
        data_format: "channels_last" or "channels_first".

    Returns:
        A tensor of rank 3.

    Raises:
        ValueError: if the format is unknown.
    """
    length = (kernel.shape[0].value,)
    return local_conv(inputs, kernel, kernel_size, strides, length, data_format)


@export("keras.backend.local_conv2d")
def local_conv2d(
    inputs: TensorLike,
    kernel: TensorLike,
    kernel_size: Sequence[int],
    strides: Sequence[int],
    output_shape: Sequence[int],
    data_format: str | None = None,
) -> Tensor:
    """Convolves images with a kernel that differs from place to place.

    Args:
        inputs: a tensor of rank 4.
        kernel: a tensor (places of the result, height * width * channels, filters).
        kernel_size: the size of a window.
        strides: the steps.
        output_shape: the numbers of rows and columns of the result.
        data_format: "channels_last" or "channels_first".

    Returns:
        A tensor of rank 4.

    Raises:
        ValueError: if the format is unknown.
    """
    return local_conv(inputs, kernel, kernel_size, strides, output_shape, data_format)
