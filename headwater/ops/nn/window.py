"""The geometry of windows that slide along the spatial axes of convolutions and poolings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Axis(NamedTuple):
    """A window sliding along one axis.

    Attributes:
        size: the length of the axis.
        window: the number of elements that the window looks at.
        stride: the step from one window to the next.
        dilation: the distance of neighbouring elements of one window.
        low: the padding before the axis.
        high: the padding after the axis.
        out: the number of windows.
    """

    size: int
    window: int
    stride: int
    dilation: int
    low: int
    high: int
    out: int

    @property
    def span(self) -> int:
        """The length that one window covers."""
        return (self.window - 1) * self.dilation + 1

    @property
    def reach(self) -> int:
        """The length that all windows cover, padding included."""
        return (self.out - 1) * self.stride + self.span

    @property
    def is_tiling(self) -> bool:
        """Whether the windows lie side by side, as a single one does whatever its stride."""
        return self.dilation == 1 and (self.window == self.stride or self.out == 1)

    def starts(self, offset: int) -> slice:
        """The padded positions of one window element, for all windows."""
        first = offset * self.dilation
        return slice(first, first + (self.out - 1) * self.stride + 1, self.stride)

    def mirrored(self) -> Axis:
        """The windows that gather a gradient along this axis, whose stride is 1."""
        low = self.span - 1 - self.low
        high = self.size + self.span - 1 - low - self.out
        return Axis(self.out, self.window, 1, self.dilation, low, high, self.size)

    def phase(self, remainder: int) -> tuple[slice, Axis]:
        """The gradient at the positions of equal remainder modulo the stride (dilation 1).

        Args:
            remainder: the remainder.

        Returns:
            The window elements that meet these positions, and the mirrored windows, made of those
            elements, that gather the gradient.
        """
        first = (remainder + self.low) % self.stride
        ahead = (remainder + self.low) // self.stride
        window = len(range(first, self.window, self.stride))
        count = -(-self.size // self.stride)
        part = Axis(self.out, window, 1, 1, window - 1 - ahead, count + ahead - self.out, count)
        return slice(first, None, self.stride), part


# The window of an axis of length 1.
POINT = Axis(size=1, window=1, stride=1, dilation=1, low=0, high=0, out=1)


def covered(axes: Sequence[Axis]) -> int:
    """How many of the last axes their only window covers; 0 if all of these have length 1.

    They can be joined with the channels: a convolution that covers the columns of its input, such
    as one over the vectors of words, is one along the rows with as many times the channels.
    """
    count = 0
    for axis in reversed(axes):
        if axis._replace(size=1, window=1, stride=1) != POINT or axis.window != axis.size:
            break
        count += 1
    return count if any(axis.size > 1 for axis in axes[len(axes) - count :]) else 0


def without_covered(axes: Sequence[Axis], count: int) -> list[Axis]:
    """The windows when so many of the last axes are joined with the channels."""
    return [*axes[: len(axes) - count], *[POINT] * count]


def output_size(
    size: int,
    window: int,
    stride: int,
    padding: str,
    dilation: int = 1,
    pads: Sequence[int] = (0, 0),
) -> int:
    """The number of windows along an axis; negative or zero if none fits.

    Args:
        size: the length of the axis.
        window: the elements of a window.
        stride: the step between windows.
        padding: "SAME", "VALID" or "EXPLICIT".
        dilation: the distance of neighbouring elements of a window.
        pads: the elements added below and above, for "EXPLICIT".

    Returns:
        The number of windows.
    """
    if padding == "SAME":
        return -(-size // stride)
    padded = size + sum(pads) if padding == "EXPLICIT" else size
    return (padded - (window - 1) * dilation - 1 + stride) // stride


def window_axis(
    size: int,
    window: int,
    stride: int,
    padding: str,
    dilation: int = 1,
    pads: Sequence[int] = (0, 0),
) -> Axis:
    """The sliding window along one axis, with TensorFlow's padding.

    "SAME" pads just enough for ``ceil(size / stride)`` windows, the odd element above.

    Args:
        size: the length of the axis.
        window: the elements of a window.
        stride: the step between windows.
        padding: "SAME", "VALID" or "EXPLICIT".
        dilation: the distance of neighbouring elements of a window.
        pads: the elements added below and above, for "EXPLICIT".

    Returns:
        The Axis.
    """
    out = max(0, output_size(size, window, stride, padding, dilation, pads))
    low, high = (pads[0], pads[1]) if padding == "EXPLICIT" else (0, 0)
    if padding == "SAME":
        total = max(0, (out - 1) * stride + (window - 1) * dilation + 1 - size)
        low, high = total // 2, total - total // 2
    return Axis(size, window, stride, dilation, low, high, out)


def window_axes(
    sizes: Sequence[int],
    windows: Sequence[int],
    strides: Sequence[int],
    padding: str,
    dilations: Sequence[int] | None = None,
    pads: Sequence[Sequence[int]] | None = None,
) -> tuple[Axis, ...]:
    """The sliding windows along several axes; see `window_axis`."""
    n = len(sizes)
    return tuple(
        window_axis(size, window, stride, padding, dilation, pad)
        for size, window, stride, dilation, pad in zip(
            sizes, windows, strides, dilations or (1,) * n, pads or ((0, 0),) * n
        )
    )
