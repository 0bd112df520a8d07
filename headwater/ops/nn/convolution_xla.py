"""Convolutions as XLA programs: the form that runs fastest for a shape and platform.

Arrays are channels-last (``N, spatial..., C``), filters ``spatial..., C, O``. Every function takes
one `Axis` per spatial axis. On a GPU XLA's own convolution is taken; the other forms are for CPUs,
the native kernels first (`convolution_native`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np

from headwater.base.lazy import jax, jnp, lax
from headwater.base.typing import Array, TensorLike
from headwater.ops.nn import convolution_native
from headwater.ops.nn.window import Axis, covered, without_covered
from headwater.ops.nn.window_arrays import interleave, join_covered, pad, spatial

# Up to this many input channels (by column stride), neighbouring columns are joined to make wider
# channels.
_FEW_CHANNELS = {1: 6, 2: 4}
# From this many channels on, the phases of a strided input gradient are worth a convolution each.
_PHASE_CHANNELS = 16
_SPATIAL = "HWD"


def forward(x: Array, w: Array, axes: Sequence[Axis]) -> Array:
    """The convolution of `x` with `w`.

    Args:
        x: ``[N, spatial..., C]``.
        w: ``[window..., C, O]``.
        axes: the windows.

    Returns:
        ``[N, out..., O]``.
    """
    return _on_platform(_forward_cpu, convolve, axes, x, w)


def backprop_input(w: Array, g: Array, axes: Sequence[Axis]) -> Array:
    """The gradient of `forward` for its input.

    Args:
        w: ``[window..., C, O]``.
        g: the gradient of the output, ``[N, out..., O]``.
        axes: the windows.

    Returns:
        ``[N, spatial..., C]``.
    """
    return _on_platform(_backprop_input_cpu, _backprop_input_xla, axes, w, g)


def backprop_filter(x: Array, g: Array, axes: Sequence[Axis]) -> Array:
    """The gradient of `forward` for its filter.

    Args:
        x: ``[N, spatial..., C]``.
        g: the gradient of the output, ``[N, out..., O]``.
        axes: the windows.

    Returns:
        ``[window..., C, O]``.
    """
    return _on_platform(_backprop_filter_cpu, _backprop_filter_xla, axes, x, g)


def _on_platform(
    cpu: Callable[..., Any], default: Callable[..., Any], axes: Sequence[Axis], a: Array, b: Array
) -> Array:
    """Runs the form of the platform; on a CPU 16-bit floats are computed in float32."""
    if 0 in a.shape or 0 in b.shape:
        return default(a, b, axes)

    def on_cpu(a: Array, b: Array) -> Array:
        if a.dtype.itemsize > 2:
            return cpu(a, b, axes)
        return cpu(a.astype(np.float32), b.astype(np.float32), axes).astype(a.dtype)

    return lax.platform_dependent(a, b, cpu=on_cpu, default=lambda a, b: default(a, b, axes))


# XLA's own convolution


def convolve(x: Array, w: Array, axes: Sequence[Axis]) -> Array:
    """XLA's convolution without a choice of form."""
    return lax.conv_general_dilated(
        x,
        w,
        [a.stride for a in axes],
        [(a.low, max(a.high, a.reach - a.low - a.size)) for a in axes],
        rhs_dilation=[a.dilation for a in axes],
        dimension_numbers=_dimensions(len(axes)),
    )


def _dimensions(rank: int) -> tuple[str, str, str]:
    spatial = _SPATIAL[:rank]
    return f"N{spatial}C", f"{spatial}IO", f"N{spatial}C"


def _backprop_input_xla(w: Array, g: Array, axes: Sequence[Axis]) -> Array:
    x = jax.ShapeDtypeStruct((g.shape[0], *(a.size for a in axes), w.shape[-2]), g.dtype)
    (dx,) = jax.linear_transpose(lambda x: convolve(x, w, axes), x)(g)
    return dx


def _backprop_filter_xla(x: Array, g: Array, axes: Sequence[Axis]) -> Array:
    w = jax.ShapeDtypeStruct((*(a.window for a in axes), x.shape[-1], g.shape[-1]), g.dtype)
    (dw,) = jax.linear_transpose(lambda w: convolve(x, w, axes), w)(g)
    return dw


# CPU


def _forward_cpu(x: Array, w: Array, axes: Sequence[Axis]) -> Array:
    if count := covered(axes):
        joined = join_covered(x, count, x.ndim - 1), join_covered(w, count, w.ndim - 2)
        return _forward_cpu(*joined, without_covered(axes, count))
    native = convolution_native.forward(jnp, x, w, axes)
    if native is not None:
        return native
    if _is_pointwise(axes):
        return jnp.dot(_strided(x, axes), w.reshape(w.shape[-2:]))
    if len(axes) == 3:
        return _sum_over_depth(x, w, axes)
    if _joins_columns(x.shape[-1], axes):
        return _forward_joined(x, w, axes)
    if _sums_taps(w, axes):
        return _forward_taps(x, w, axes)
    return convolve(x, w, axes)


def _backprop_input_cpu(w: Array, g: Array, axes: Sequence[Axis]) -> Array:
    if count := covered(axes):
        dx = _backprop_input_cpu(
            join_covered(w, count, w.ndim - 2), g, without_covered(axes, count)
        )
        return dx.reshape(g.shape[0], *(a.size for a in axes), w.shape[-2])
    native = convolution_native.backprop_input(jnp, w, g, axes)
    if native is not None:
        return native
    if _is_pointwise(axes):
        dx = jnp.dot(g, w.reshape(w.shape[-2:]).T)
        inserted = [(0, a.size - a.reach, a.stride - 1) for a in axes]
        return lax.pad(dx, _zero(dx), [(0, 0, 0), *inserted, (0, 0, 0)])
    if len(axes) == 3:
        return _backprop_input_over_depth(w, g, axes)
    if all(a.stride == 1 for a in axes):
        flipped = jnp.swapaxes(jnp.flip(w, range(len(axes))), -1, -2)
        return _forward_cpu(g, flipped, [a.mirrored() for a in axes])
    if all(a.dilation == 1 for a in axes) and w.shape[-2] >= _PHASE_CHANNELS:
        return _backprop_input_phases(w, g, axes)
    return _backprop_input_xla(w, g, axes)


def _backprop_filter_cpu(x: Array, g: Array, axes: Sequence[Axis]) -> Array:
    if count := covered(axes):
        dw = _backprop_filter_cpu(
            join_covered(x, count, x.ndim - 1), g, without_covered(axes, count)
        )
        return dw.reshape(*(a.window for a in axes), x.shape[-1], g.shape[-1])
    native = convolution_native.backprop_filter(jnp, x, g, axes)
    if native is not None:
        return native
    channels, outputs = x.shape[-1], g.shape[-1]
    if _is_pointwise(axes):
        dw = jnp.dot(_strided(x, axes).reshape(-1, channels).T, g.reshape(-1, outputs))
        return dw.reshape(*(1,) * len(axes), channels, outputs)
    if len(axes) == 3:
        frames = _depth_frames(x, axes)
        slices = [_backprop_filter_cpu(f, _merge_batch(g), axes[1:]) for f in frames]
        return jnp.stack(slices)
    return _backprop_filter_xla(x, g, axes)


def _is_pointwise(axes: Sequence[Axis]) -> bool:
    return all(a.window == 1 and not a.low and not a.high for a in axes)


def _strided(x: Array, axes: Sequence[Axis]) -> Array:
    if all(a.stride == 1 for a in axes):
        return x
    return x[(slice(None), *(a.starts(0) for a in axes))]


def _zero(x: Array) -> np.ndarray:
    return np.zeros((), x.dtype)


# Few channels: columns of the input are joined in blocks, so that XLA's convolution has enough
# channels to be efficient. One output block holds `tile` columns.


def _joins_columns(channels: int, axes: Sequence[Axis]) -> bool:
    last = axes[-1]
    few = channels <= _FEW_CHANNELS.get(last.stride, 0)
    return len(axes) == 2 and few and last.dilation == 1 and last.window > 2


def _forward_joined(x: Array, w: Array, axes: Sequence[Axis]) -> Array:
    rows, columns = axes
    channels, outputs = w.shape[-2:]
    tile = 4 // columns.stride if channels == 1 else 2 // columns.stride
    block = tile * columns.stride
    span = (tile - 1) * columns.stride + columns.window
    taps = -(-span // block)
    tiles = -(-columns.out // tile)
    width = (tiles + taps - 1) * block
    pads = [(0, 0, 0), (0, 0, 0), (columns.low, width - columns.low - columns.size, 0), (0, 0, 0)]
    blocks = lax.pad(x, _zero(x), pads).reshape(*x.shape[:2], -1, block * channels)
    room = taps * block - columns.window
    starts = [t * columns.stride for t in range(tile)]
    shifted = [jnp.pad(w, [(0, 0), (s, room - s), (0, 0), (0, 0)]) for s in starts]
    filters = jnp.stack(shifted, 3).reshape(rows.window, taps, block * channels, tile * outputs)
    wide = Axis(tiles + taps - 1, taps, 1, 1, 0, 0, tiles)
    y = convolve(blocks, filters, (rows, wide))
    return y.reshape(*y.shape[:2], tiles * tile, outputs)[:, :, : columns.out]


# Few output channels: one matrix product for all window elements, whose results are shifted and
# added. They must not take more room than the input.


def _sums_taps(w: Array, axes: Sequence[Axis]) -> bool:
    channels, outputs = w.shape[-2:]
    strided = any(a.stride > 1 for a in axes)
    return not strided and prod(w.shape[:-2]) * outputs <= channels


def _forward_taps(x: Array, w: Array, axes: Sequence[Axis]) -> Array:
    channels, outputs = w.shape[-2:]
    rank = len(axes)
    matrix = jnp.swapaxes(w, -1, -2).reshape(-1, channels)
    taps = lax.dot_general(matrix, x, (((1,), (rank + 1,)), ((), ())))
    taps = taps.reshape(*w.shape[:-2], outputs, *x.shape[:-1])
    taps = pad(jnp, taps, dict(enumerate(axes, rank + 2)))
    total = None
    for offsets in product(*(range(a.window) for a in axes)):
        where = [a.starts(o) for a, o in zip(axes, offsets)]
        tap = taps[offsets][(slice(None), slice(None), *where)]
        total = tap if total is None else total + tap
    return jnp.moveaxis(total, 0, -1)


# Strided input gradients: the input positions of equal remainder modulo the stride form a phase,
# whose gradient is a dense convolution of `g` with every stride-th filter element.


def _backprop_input_phases(w: Any, g: TensorLike, axes: Sequence[Axis]) -> Any:
    flipped = jnp.swapaxes(w, -1, -2)
    phases = []
    for remainders in product(*(range(a.stride) for a in axes)):
        taps, parts = zip(*(a.phase(r) for a, r in zip(axes, remainders)))
        if all(a.window for a in parts):
            phases.append(convolve(g, jnp.flip(flipped[taps], range(len(axes))), parts))
        else:
            counts = [a.out for a in parts]
            phases.append(jnp.zeros((g.shape[0], *counts, flipped.shape[-1]), g.dtype))
    dx = interleave(jnp, phases, spatial(axes))
    return dx[(slice(None), *(slice(0, a.size) for a in axes))]


# Three spatial axes: XLA's volumetric convolution is slow on a CPU, so one flat convolution is made
# for every depth of the filter.


def _depth_frames(x: Array, axes: Sequence[Axis]) -> list[Any]:
    """For every depth of the filter, the input frames that meet it, merged into the batch."""
    depth = axes[0]
    padded = pad(jnp, x, {1: depth})
    return [_merge_batch(padded[:, depth.starts(i)]) for i in range(depth.window)]


def _merge_batch(x: Array) -> Array:
    return x.reshape(prod(x.shape[:2]), *x.shape[2:])


def _sum_over_depth(x: Array, w: Array, axes: Sequence[Axis]) -> Array:
    frames = _depth_frames(x, axes)
    y = sum(_forward_cpu(f, w[i], axes[1:]) for i, f in enumerate(frames))
    return y.reshape(x.shape[0], axes[0].out, *y.shape[1:])


def _backprop_input_over_depth(w: Array, g: Array, axes: Sequence[Axis]) -> Array:
    depth = axes[0]
    merged = _merge_batch(g)
    parts = []
    for i in range(depth.window):
        dx = _backprop_input_cpu(w[i], merged, axes[1:])
        dx = dx.reshape(g.shape[0], depth.out, *dx.shape[1:])
        first = i * depth.dilation - depth.low
        last = depth.size - first - (depth.out - 1) * depth.stride - 1
        config = [(0, 0, 0), (first, last, depth.stride - 1)] + [(0, 0, 0)] * 3
        parts.append(lax.pad(dx, _zero(dx), config))
    return sum(parts[1:], parts[0])
