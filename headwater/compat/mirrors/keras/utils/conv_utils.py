"""tensorflow.python.keras.utils.conv_utils: lengths after convolutions."""

from __future__ import annotations

__all__ = ["conv_input_length", "conv_output_length", "deconv_output_length"]


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
