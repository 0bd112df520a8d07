"""Convolutions by the native kernels, for the shapes at which they are the fastest form.

Every function returns None where another form is to be taken. Arrays are channels-last, with two
spatial axes; `groups` splits the channels, as in depthwise convolutions.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TypeAlias

import numpy as np

from headwater.base import native
from headwater.base.lazy import jax
from headwater.base.typing import Array, ArrayModule
from headwater.ops.nn.window import Axis

_FORWARD, _INPUT, _FILTER = range(3)
# The sizes where the other forms begin to be faster; see `_is_fastest`.
_FEW_MULTIPLICATIONS = 1 << 15
_FEW_CHANNELS = 4
_MANY_OUTPUTS = 16
_MANY_FILTERS = 1 << 18
_MANY_POSITIONS = 1 << 12
# groups, batch, channels, outputs
_Sizes: TypeAlias = tuple[int, int, int, int]


def forward(
    xp: ArrayModule, x: Array, w: Array, axes: Sequence[Axis], groups: int = 1
) -> Array | None:
    """The convolution of `x` with `w`.

    Args:
        xp: NumPy or jax.numpy.
        x: ``[N, H, W, C]``.
        w: ``[rows, columns, C / groups, O]``.
        axes: the windows.
        groups: the number of groups of channels.

    Returns:
        ``[N, out..., O]``, or None.
    """
    shape = (x.shape[0], *(a.out for a in axes), w.shape[-1])
    sizes = (groups, x.shape[0], x.shape[-1], w.shape[-1])
    return _computed(xp, _FORWARD, x, w, axes, sizes, shape)


def backprop_input(
    xp: ArrayModule, w: Array, g: Array, axes: Sequence[Axis], groups: int = 1
) -> Array | None:
    """The gradient of `forward` for its input.

    Args:
        xp: NumPy or jax.numpy.
        w: ``[rows, columns, C / groups, O]``.
        g: the gradient of the output, ``[N, out..., O]``.
        axes: the windows.
        groups: the number of groups of channels.

    Returns:
        ``[N, H, W, C]``, or None.
    """
    channels = w.shape[-2] * groups
    shape = (g.shape[0], *(a.size for a in axes), channels)
    sizes = (groups, g.shape[0], channels, g.shape[-1])
    return _computed(xp, _INPUT, w, g, axes, sizes, shape)


def backprop_filter(
    xp: ArrayModule, x: Array, g: Array, axes: Sequence[Axis], groups: int = 1
) -> Array | None:
    """The gradient of `forward` for its filter.

    Args:
        xp: NumPy or jax.numpy.
        x: ``[N, H, W, C]``.
        g: the gradient of the output, ``[N, out..., O]``.
        axes: the windows.
        groups: the number of groups of channels.

    Returns:
        ``[rows, columns, C / groups, O]``, or None.
    """
    shape = (*(a.window for a in axes), x.shape[-1] // max(1, groups), g.shape[-1])
    sizes = (groups, x.shape[0], x.shape[-1], g.shape[-1])
    return _computed(xp, _FILTER, x, g, axes, sizes, shape)


def _computed(
    xp: ArrayModule,
    direction: int,
    a: Array,
    b: Array,
    axes: Sequence[Axis],
    sizes: _Sizes,
    shape: tuple[int, ...],
) -> Array | None:
    if len(axes) != 2 or not a.dtype == b.dtype == np.float32 or 0 in (*shape, *a.shape, *b.shape):
        return None
    problem = _problem(direction, sizes, axes)
    if not _is_fastest(direction, sizes, axes) or not native.has_fast_convolution(problem):
        return None
    if xp is np:
        return _on_host(problem, a, b, shape)
    if not native.is_registered():
        return None
    result = jax.ShapeDtypeStruct(shape, np.float32)
    call = jax.ffi.ffi_call(native.CONVOLUTION, result, vmap_method="sequential")
    return call(a, b, problem=np.array(problem, np.int64))


def _on_host(
    problem: tuple[int, ...], a: np.ndarray, b: np.ndarray, shape: tuple[int, ...]
) -> np.ndarray | None:
    result = np.empty(shape, np.float32)
    first, second = np.ascontiguousarray(a), np.ascontiguousarray(b)
    return result if native.convolution(problem, first, second, result) else None


def _problem(direction: int, sizes: _Sizes, axes: Sequence[Axis]) -> tuple[int, ...]:
    """The numbers of `Problem` in `headwater/native/convolution.h`."""
    numbers = [(a.size, a.window, a.stride, a.dilation, a.low, a.out) for a in axes]
    return (direction, *sizes, *numbers[0], *numbers[1])


# What decides was measured on two cores with AVX-512 against the forms of `convolution_xla`,
# `convolution_host` and `depthwise_forms`: about a hundred shapes of batches of 1 to 100.


def _is_fastest(direction: int, sizes: _Sizes, axes: Sequence[Axis]) -> bool:
    """Whether no other form is faster."""
    groups, batch, channels, outputs = sizes
    taps = prod(a.window for a in axes)
    positions = batch * prod(a.out for a in axes)
    if positions * taps * (channels // groups) * outputs < _FEW_MULTIPLICATIONS:
        return False
    if groups > 1:
        return _is_fastest_depthwise(direction, channels, axes)
    strided = any(a.stride > 1 for a in axes)
    filters = taps * channels * outputs
    if direction == _FILTER:
        # The threads' gradients have to be added.
        is_added = batch > 1 or taps == 1
        return not is_added or filters < _MANY_FILTERS or positions >= _MANY_POSITIONS
    # The other forms compute a product of all window elements.
    if direction == _FORWARD and taps * outputs <= channels and not strided and taps > 1:
        return False
    if direction == _INPUT and channels < _FEW_CHANNELS and outputs >= _MANY_OUTPUTS:
        return False
    if direction == _INPUT and taps > 1 and not strided:
        return True
    # The filters are converted at every call.
    return filters < 2 * _MANY_FILTERS or positions >= _MANY_POSITIONS


def _is_fastest_depthwise(direction: int, channels: int, axes: Sequence[Axis]) -> bool:
    if channels < _MANY_OUTPUTS:
        return False
    if direction == _INPUT:
        return all(a.stride == 1 for a in axes)
    return direction == _FORWARD or all(a.window <= 3 for a in axes)
