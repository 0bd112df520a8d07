"""tensorflow.python.keras.utils.conv_utils: what a convolution connects, and its lengths."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from headwater.base.typing import Array

__all__ = [
    "conv_connected_inputs",
    "conv_input_length",
    "conv_kernel_idxs",
    "conv_kernel_mask",
    "conv_output_length",
    "conv_output_shape",
    "convert_data_format",
    "convert_kernel",
    "deconv_output_length",
]


def conv_output_length(
    input_length: int | None, filter_size: int, padding: str, stride: int, dilation: int = 1
) -> int | None:
    """Returns the length of the output of a convolution.

    Args:
        input_length: the length of the input, None if it is not known.
        filter_size: the length of the kernel.
        padding: "same", "valid", "full" or "causal".
        stride: the distance between outputs.
        dilation: the distance between elements of the kernel.
    """
    if input_length is None:
        return None
    assert padding in ("same", "valid", "full", "causal")
    reach = filter_size + (filter_size - 1) * (dilation - 1)
    lost = {"same": 0, "causal": 0, "valid": 1 - reach, "full": reach - 1}[padding]
    return -(-(input_length + lost) // stride)


def conv_input_length(
    output_length: int | None, filter_size: int, padding: str, stride: int
) -> int | None:
    """Returns the length of the input of a convolution with this length of output."""
    if output_length is None:
        return None
    assert padding in ("same", "valid", "full")
    pad = {"same": filter_size // 2, "valid": 0, "full": filter_size - 1}[padding]
    return (output_length - 1) * stride - 2 * pad + filter_size


def deconv_output_length(
    input_length: int | None,
    filter_size: int,
    padding: str,
    output_padding: int | None = None,
    stride: int = 0,
    dilation: int = 1,
) -> int | None:
    """Returns the length of the output of a transposed convolution.

    Args:
        input_length: the length of the input, None if it is not known.
        filter_size: the length of the kernel.
        padding: "same", "valid" or "full".
        output_padding: how many elements the output has more than the shortest possible one; None
            for the usual output.
        stride: the distance between inputs.
        dilation: the distance between elements of the kernel.
    """
    assert padding in ("same", "valid", "full")
    if input_length is None:
        return None
    reach = filter_size + (filter_size - 1) * (dilation - 1)
    if output_padding is None:
        usual = {"valid": max(reach - stride, 0), "full": 2 - stride - reach, "same": 0}
        return input_length * stride + usual[padding]
    pad = {"same": reach // 2, "valid": 0, "full": reach - 1}[padding]
    return (input_length - 1) * stride + reach - 2 * pad + output_padding


def convert_data_format(data_format: str, ndim: int) -> str:
    """Returns the data format in the notation of ops, such as NHWC.

    Args:
        data_format: "channels_last" or "channels_first".
        ndim: the rank of the inputs.

    Raises:
        ValueError: if there is no such format.
    """
    if data_format not in ("channels_last", "channels_first"):
        raise ValueError("Invalid data_format:", data_format)
    if ndim not in (3, 4, 5):
        raise ValueError("Input rank not supported:", ndim)
    axes = "DHW"[5 - ndim :]
    return f"N{axes}C" if data_format == "channels_last" else f"NC{axes}"


def convert_kernel(kernel: Array) -> Array:
    """Turns the kernel of a cross-correlation into that of a convolution, or back.

    Args:
        kernel: an array of rank 3 to 5; the last two axes are those of channels.

    Raises:
        ValueError: if it has another rank.
    """
    kernel = np.asarray(kernel)
    if not 3 <= kernel.ndim <= 5:
        raise ValueError("Invalid kernel shape:", kernel.shape)
    return np.flip(kernel, tuple(range(kernel.ndim - 2))).copy()


def conv_output_shape(
    input_shape: Sequence[int], kernel_shape: Sequence[int], strides: Sequence[int], padding: str
) -> tuple[int | None, ...]:
    """Returns the lengths of the output of a convolution along all axes of space."""
    return tuple(
        conv_output_length(length, size, padding, stride)
        for length, size, stride in zip(input_shape, kernel_shape, strides)
    )


def conv_connected_inputs(
    input_shape: Sequence[int],
    kernel_shape: Sequence[int],
    output_position: Sequence[int],
    strides: Sequence[int],
    padding: str,
) -> list[range]:
    """Returns the positions of the inputs that an output depends on, along each axis.

    Args:
        input_shape: the lengths of the input.
        kernel_shape: the lengths of the kernel.
        output_position: the position of the output.
        strides: the steps of the kernel.
        padding: "same" or "valid".
    """
    ranges = []
    for length, size, position, stride in zip(input_shape, kernel_shape, output_position, strides):
        left = size // 2
        centre = position * stride + (left if padding == "valid" else 0)
        ranges.append(range(max(0, centre - left), min(length, centre + size - left)))
    return ranges


def _connections(
    input_shape: Sequence[int], kernel_shape: Sequence[int], strides: Sequence[int], padding: str
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Yields the positions of outputs with those of the inputs that they depend on."""
    if padding not in ("same", "valid"):
        raise NotImplementedError(
            f'Padding type {padding} not supported. Only "valid" and "same" are implemented.'
        )
    if isinstance(kernel_shape, int):
        kernel_shape = (kernel_shape,) * len(input_shape)
    if isinstance(strides, int):
        strides = (strides,) * len(input_shape)
    for name, values in (("kernel_shape", kernel_shape), ("strides", strides)):
        if len(values) != len(input_shape):
            raise ValueError(
                f"Number of {name} dimensions ({len(values)}) does not match the number of input "
                f"dimensions ({len(input_shape)})."
            )
    lengths = conv_output_shape(input_shape, kernel_shape, strides, padding)
    for output in itertools.product(*(range(length or 0) for length in lengths)):
        inputs = conv_connected_inputs(input_shape, kernel_shape, output, strides, padding)
        for position in itertools.product(*inputs):
            yield output, position


def conv_kernel_mask(
    input_shape: Sequence[int], kernel_shape: Sequence[int], strides: Sequence[int], padding: str
) -> Array:
    """Returns which outputs of a convolution depend on which inputs.

    Args:
        input_shape: the lengths of the input.
        kernel_shape: the lengths of the kernel.
        strides: the steps of the kernel.
        padding: "same" or "valid".

    Returns:
        A boolean array; its axes are those of the input, then those of the output.
    """
    lengths = conv_output_shape(input_shape, kernel_shape, strides, padding)
    mask = np.zeros((*input_shape, *[length or 0 for length in lengths]), bool)
    for output, position in _connections(input_shape, kernel_shape, strides, padding):
        mask[position + output] = True
    return mask


def conv_kernel_idxs(
    input_shape: Sequence[int],
    kernel_shape: Sequence[int],
    strides: Sequence[int],
    padding: str,
    filters_in: int,
    filters_out: int,
    data_format: str,
) -> Iterator[tuple[int, int]]:
    """Yields the flat indices of connected outputs and inputs of a convolution.

    Args:
        input_shape: the lengths of the input.
        kernel_shape: the lengths of the kernel.
        strides: the steps of the kernel.
        padding: "same" or "valid".
        filters_in: the number of input channels.
        filters_out: the number of output channels.
        data_format: "channels_last" or "channels_first".
    """
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(
            f"Data format {data_format} not supported.`data_format` must be "
            '"channels_first" or "channels_last".'
        )
    lengths = conv_output_shape(input_shape, kernel_shape, strides, padding)
    last = data_format == "channels_last"

    def flat(position: Sequence[int], channel: int, sizes: Sequence[int], channels: int) -> int:
        at = (*position, channel) if last else (channel, *position)
        shape = (*sizes, channels) if last else (channels, *sizes)
        return int(np.ravel_multi_index(at, shape))

    for output, position in _connections(input_shape, kernel_shape, strides, padding):
        for source, target in itertools.product(range(filters_in), range(filters_out)):
            yield (
                flat(output, target, lengths, filters_out),  # type: ignore[arg-type]
                flat(position, source, input_shape, filters_in),
            )
