"""Convolutions on the host: the native kernels, or NumPy matrix products over patches (im2col).

Arrays are channels-last (``N, spatial..., C``), filters ``spatial..., C, O``. Every function takes
one `Axis` per spatial axis.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

import numpy as np

from headwater.ops.nn import convolution_native
from headwater.ops.nn.window import Axis, covered, without_covered
from headwater.ops.nn.window_arrays import join_covered, pad, spatial

# The block size in patch elements: small enough to stay in the cache.
_PATCH_ELEMENTS = 1 << 19


def forward(x: np.ndarray, w: np.ndarray, axes: Sequence[Axis]) -> np.ndarray:
    """The convolution of `x` with `w`.

    Args:
        x: ``[N, spatial..., C]``.
        w: ``[window..., C, O]``.
        axes: the windows.

    Returns:
        ``[N, out..., O]``.
    """
    if count := covered(axes):
        joined = join_covered(x, count, x.ndim - 1), join_covered(w, count, w.ndim - 2)
        return forward(*joined, without_covered(axes, count))
    native = convolution_native.forward(np, x, w, axes)
    if native is not None:
        return native
    outputs = w.shape[-1]
    y = np.empty((x.shape[0], *(a.out for a in axes), outputs), _computed(x))
    if not y.size:
        return y.astype(x.dtype)
    matrix = w.astype(y.dtype, copy=False).reshape(-1, outputs)
    for part, patches in _patches(x, axes):
        y[part] = np.dot(patches, matrix).reshape(y[part].shape)
    return y.astype(x.dtype, copy=False)


def backprop_filter(x: np.ndarray, g: np.ndarray, axes: Sequence[Axis]) -> np.ndarray:
    """The gradient of `forward` for its filter.

    Args:
        x: ``[N, spatial..., C]``.
        g: the gradient of the output, ``[N, out..., O]``.
        axes: the windows.

    Returns:
        ``[window..., C, O]``.
    """
    if count := covered(axes):
        dw = backprop_filter(join_covered(x, count, x.ndim - 1), g, without_covered(axes, count))
        return dw.reshape(*(a.window for a in axes), x.shape[-1], g.shape[-1])
    native = convolution_native.backprop_filter(np, x, g, axes)
    if native is not None:
        return native
    channels, outputs = x.shape[-1], g.shape[-1]
    windows = [a.window for a in axes]
    dw = np.zeros((prod(windows) * channels, outputs), _computed(x))
    for part, patches in _patches(x, axes) if g.size else ():
        dw += np.dot(patches.T, g[part].astype(dw.dtype, copy=False).reshape(-1, outputs))
    return dw.reshape(*windows, channels, outputs).astype(x.dtype, copy=False)


def backprop_input(w: np.ndarray, g: np.ndarray, axes: Sequence[Axis]) -> np.ndarray:
    """The gradient of `forward` for its input.

    Args:
        w: ``[window..., C, O]``.
        g: the gradient of the output, ``[N, out..., O]``.
        axes: the windows.

    Returns:
        ``[N, spatial..., C]``.
    """
    if count := covered(axes):
        dx = backprop_input(join_covered(w, count, w.ndim - 2), g, without_covered(axes, count))
        return dx.reshape(g.shape[0], *(a.size for a in axes), w.shape[-2])
    native = convolution_native.backprop_input(np, w, g, axes)
    if native is not None:
        return native
    channels, outputs = w.shape[-2:]
    dtype = _computed(g)
    lengths = [max(a.reach, a.low + a.size) for a in axes]
    dx = np.zeros((g.shape[0], *lengths, channels), dtype)
    transposed = np.swapaxes(w.astype(dtype, copy=False), -1, -2)
    images = max(1, _PATCH_ELEMENTS // max(1, prod(g.shape[1:])))
    for n in range(0, g.shape[0], images):
        part = g[n : n + images].astype(dtype, copy=False)
        rows = part.reshape(-1, outputs)
        for taps in product(*(range(a.window) for a in axes)):
            target = dx[(slice(n, n + images), *(a.starts(t) for a, t in zip(axes, taps)))]
            target += np.dot(rows, transposed[taps]).reshape(target.shape)
    inside = (slice(None), *(slice(a.low, a.low + a.size) for a in axes))
    return dx[inside].astype(g.dtype, copy=False)


def _computed(x: np.ndarray) -> np.dtype:
    """The type to compute in: 16-bit floats have no matrix product of their own."""
    return np.dtype(np.float32) if x.dtype.itemsize <= 2 else x.dtype


def _patches(
    x: np.ndarray, axes: Sequence[Axis]
) -> Iterator[tuple[tuple[slice, slice], np.ndarray]]:
    """Pairs of (output images and rows, their patches as a matrix of ``window... * C`` columns)."""
    channels = x.shape[-1]
    columns = prod(a.window for a in axes) * channels
    per_row = max(1, prod(a.out for a in axes[1:]) * columns)
    rows = min(axes[0].out, max(1, _PATCH_ELEMENTS // per_row))
    images = max(1, _PATCH_ELEMENTS // (per_row * max(1, axes[0].out)))
    for n in range(0, x.shape[0], images):
        windows = _windows(x[n : n + images], axes)
        for row in range(0, axes[0].out, rows):
            patches = windows[:, row : row + rows].reshape(-1, columns)
            yield (slice(n, n + images), slice(row, row + rows)), patches


def _windows(x: np.ndarray, axes: Sequence[Axis]) -> np.ndarray:
    """A view of all windows: ``[N, out..., window..., C]``."""
    rank = len(axes)
    padded = pad(np, x.astype(_computed(x), copy=False), spatial(axes))
    view = np.lib.stride_tricks.sliding_window_view(
        padded, [a.span for a in axes], tuple(range(1, rank + 1))
    )
    view = view[(slice(None), *(slice(0, a.reach - a.span + 1, a.stride) for a in axes))]
    view = view[(slice(None),) * (rank + 2) + tuple(slice(None, None, a.dilation) for a in axes)]
    return np.moveaxis(view, rank + 1, -1)
