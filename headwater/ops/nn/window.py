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
        low: how far the first window reaches below the axis.
        high: how far the last window may reach above the axis.
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
    def is_trivial(self) -> bool:
        return self.window == 1 and self.stride == 1 and not self.low and not self.high

    @property
    def is_tiling(self) -> bool:
        """Whether the windows lie side by side."""
        return self.window == self.stride and self.dilation == 1

    def starts(self, offset: int, shift: int = 0) -> slice:
        """The padded positions of one window element, for all windows."""
        first = offset * self.dilation + shift
        return slice(first, first + (self.out - 1) * self.stride + 1, self.stride)


def output_size(
    size: int, window: int, stride: int, padding: str, dilation: int = 1, pads: Sequence[int] = (0, 0)
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
