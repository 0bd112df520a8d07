"""Arguments and output lengths of layers that move a window over their input."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import TensorLike

if TYPE_CHECKING:
    from headwater.graph import Tensor


def numbers(value: TensorLike, count: int, name: str) -> tuple[int, ...]:
    """One number for each axis of the window.

    Args:
        value: a number for all axes, or a list.
        count: the number of axes.
        name: the argument's name, for the error.

    Returns:
        The numbers.

    Raises:
        ValueError: if there are more or fewer of them, or other values.
    """
    if isinstance(value, int):
        return (value,) * count
    text = f"The `{name}` argument must be a tuple of {count} integers. Received: {value}"
    try:
        values = tuple(value)
    except TypeError:
        raise ValueError(text) from None
    if len(values) != count:
        raise ValueError(text)
    for item in values:
        try:
            int(item)
        except (ValueError, TypeError):
            raise ValueError(f"{text} including element {item} of type {type(item)}") from None
    return values


def checked_format(value: str | None) -> str:
    """A data format in lower case.

    Raises:
        ValueError: if it is unknown.
    """
    lower = "channels_last" if value is None else value.lower()
    if lower not in ("channels_first", "channels_last"):
        raise ValueError(
            'The `data_format` argument must be one of "channels_first", "channels_last". '
            f"Received: {lower}"
        )
    return str(lower)


def checked_padding(value: str) -> str:
    """A padding in lower case, or a list.

    Raises:
        ValueError: if it is unknown.
    """
    if isinstance(value, (list, tuple)):
        return value
    lower = value.lower()
    if lower not in ("valid", "same", "causal"):
        raise ValueError(
            'The `padding` argument must be a list/tuple or one of "valid", "same" (or "causal", '
            f"only for `Conv1D). Received: {lower}"
        )
    return lower


def short_format(data_format: str, rank: int) -> str:
    """The data format in the notation of ops, such as NHWC."""
    spatial = "DHW"[3 - rank :]
    return f"N{spatial}C" if data_format == "channels_last" else f"NC{spatial}"


def output_length(
    length: int | None, window: int, padding: str, stride: int, dilation: int = 1
) -> int | None:
    """The number of positions of a window along an axis; None if unknown."""
    if length is None:
        return None
    if padding == "valid":
        length -= (window - 1) * dilation
    return (length + stride - 1) // stride


def transposed_length(
    length: TensorLike | None,
    window: int,
    padding: str,
    stride: int,
    extra: int | None = None,
    dilation: int = 1,
) -> Tensor | float | None:
    """The output length of a transposed convolution, whose convolution gives `length`.

    Args:
        length: the input length: a number or a tensor.
        window: the length of the kernel.
        padding: "valid" or "same".
        stride: the step.
        extra: the output padding; the length is that of a convolution of one more window if None.
        dilation: the distance of kernel elements.

    Returns:
        The length; None if that of the input is None.
    """
    if length is None:
        return None
    window += (window - 1) * (dilation - 1)
    if extra is None:
        length = length * stride
        return length + max(window - stride, 0) if padding == "valid" else length
    cut = 2 * (window // 2) if padding == "same" else 0
    return (length - 1) * stride + window - cut + extra


def with_lengths(
    shape: TensorShape, lengths: list[int | None], channels: int | None, data_format: str
) -> TensorShape:
    """A shape with other lengths and another number of channels."""
    batch = shape[0].value
    if data_format == "channels_last":
        return TensorShape([batch, *lengths, channels])
    return TensorShape([batch, channels, *lengths])
