"""Depthwise convolutions: the native kernels, or sums of shifted products in one fused loop.

Arrays are ``[N, H, W, C]``, filters ``[rows, columns, C, M]``; output channel ``c * M + m`` is
input channel ``c`` filtered by ``[..., c, m]``. `axes` are the windows along H and W. On a GPU
XLA's own grouped convolution is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np

from headwater.base.lazy import jax, jnp, lax
from headwater.base.typing import Array, ArrayModule
from headwater.ops.nn import convolution_native
from headwater.ops.nn.window import Axis
from headwater.ops.nn.window_arrays import interleave, pad, spatial

Axes = Sequence[Axis]

# Windows of up to this many elements are unrolled; for larger ones the program has a loop.
_WRITTEN_OUT = 50


def forward(xp: ArrayModule, x: Array, w: Array, axes: Axes) -> Array:
    """The depthwise convolution of `x` with `w`.

    Args:
        xp: NumPy or jax.numpy.
        x: ``[N, H, W, C]``.
        w: ``[rows, columns, C, M]``.
        axes: the windows.

    Returns:
        ``[N, out rows, out columns, C * M]``.
    """
    return _on_platform(xp, _forward, _grouped, axes, x, w)


def backprop_input(xp: ArrayModule, w: Array, g: Array, axes: Axes) -> Array:
    """The gradient of `forward` for its input.

    Args:
        xp: NumPy or jax.numpy.
        w: ``[rows, columns, C, M]``.
        g: the gradient of the output.
        axes: the windows.

    Returns:
        ``[N, H, W, C]``.
    """
    return _on_platform(xp, _backprop_input, _grouped_backprop_input, axes, w, g)


def backprop_filter(xp: ArrayModule, x: Array, g: Array, axes: Axes) -> Array:
    """The gradient of `forward` for its filter.

    Args:
        xp: NumPy or jax.numpy.
        x: ``[N, H, W, C]``.
        g: the gradient of the output.
        axes: the windows.

    Returns:
        ``[rows, columns, C, M]``.
    """
    return _on_platform(xp, _backprop_filter, _grouped_backprop_filter, axes, x, g)


def _on_platform(
    xp: ArrayModule,
    cpu: Callable[..., Any],
    default: Callable[..., Any],
    axes: Axes,
    a: Array,
    b: Array,
) -> Array:
    """Runs the form of the platform; on a CPU 16-bit floats are computed in float32."""

    def on_cpu(a: Array, b: Array) -> Array:
        if a.dtype.itemsize > 2:
            return cpu(xp, a, b, axes)
        return cpu(xp, a.astype(np.float32), b.astype(np.float32), axes).astype(a.dtype)

    if xp is np:
        return on_cpu(a, b)
    return lax.platform_dependent(a, b, cpu=on_cpu, default=lambda a, b: default(a, b, axes))


# XLA's own convolution


def _grouped(x: Array, w: Array, axes: Axes) -> Array:
    return lax.conv_general_dilated(
        x,
        w.reshape(*w.shape[:2], 1, -1),
        [a.stride for a in axes],
        [(a.low, max(a.high, a.reach - a.low - a.size)) for a in axes],
        rhs_dilation=[a.dilation for a in axes],
        dimension_numbers=("NHWC", "HWIO", "NHWC"),
        feature_group_count=x.shape[-1],
    )


def _grouped_backprop_input(w: Array, g: Array, axes: Axes) -> Array:
    x = jax.ShapeDtypeStruct((g.shape[0], *(a.size for a in axes), w.shape[2]), g.dtype)
    (dx,) = jax.linear_transpose(lambda x: _grouped(x, w, axes), x)(g)
    return dx


def _grouped_backprop_filter(x: Array, g: Array, axes: Axes) -> Array:
    channels = x.shape[-1]
    shape = (*(a.window for a in axes), channels, g.shape[-1] // max(1, channels))
    (dw,) = jax.linear_transpose(
        lambda w: _grouped(x, w, axes), jax.ShapeDtypeStruct(shape, g.dtype)
    )(g)
    return dw


# Sums of shifted products


def _forward(xp: ArrayModule, x: Array, w: Array, axes: Axes) -> Array:
    channels, multiplier = w.shape[2:]
    native = convolution_native.forward(xp, x, _flat(w), axes, channels)
    if native is not None:
        return native
    if channels * multiplier == 1:
        # Without the axis of length 1, neighbouring elements are neighbours in a row.
        return _shifted(xp, x[..., 0], w[..., 0, 0], axes)[..., None]
    x = _repeated(xp, x, multiplier)
    return _shifted(xp, x, w.reshape(*w.shape[:2], channels * multiplier), axes)


def _flat(w: Array) -> Array:
    """The filter of a grouped convolution with one input channel in each group."""
    return w.reshape(*w.shape[:2], 1, -1)


def _repeated(xp: ArrayModule, x: Array, multiplier: int) -> Array:
    """Every channel `multiplier` times, materialized."""
    if multiplier == 1:
        return x
    x = xp.repeat(x, multiplier, axis=-1)
    return x if xp is np else lax.optimization_barrier(x)


def _shifted(xp: ArrayModule, x: Array, w: Array, axes: Axes) -> Array:
    """The sum over all window elements of shifted `x` times the filter element."""
    x = pad(xp, x, spatial(axes))
    rows, columns = axes
    if xp is np:
        total = np.zeros((x.shape[0], rows.out, columns.out, *x.shape[3:]), x.dtype)
        for i, j in product(range(rows.window), range(columns.window)):
            total += x[:, rows.starts(i), columns.starts(j)] * w[i, j]
        return total
    if rows.window * columns.window <= _WRITTEN_OUT:
        terms = [
            x[:, rows.starts(i), columns.starts(j)] * w[i, j]
            for i, j in product(range(rows.window), range(columns.window))
        ]
        return sum(terms[1:], terms[0])

    def add_row(i: Any, total: Any) -> Any:
        start = i * rows.dilation
        taken = lax.dynamic_slice_in_dim(x, start, (rows.out - 1) * rows.stride + 1, axis=1)
        taken = taken[:, :: rows.stride]
        filters = lax.dynamic_index_in_dim(w, i, keepdims=False)
        for j in range(columns.window):
            total = total + taken[:, :, columns.starts(j)] * filters[j]
        return total

    zeros = jnp.zeros((x.shape[0], rows.out, columns.out, *x.shape[3:]), x.dtype)
    return lax.fori_loop(0, rows.window, add_row, zeros)


def _backprop_input(xp: ArrayModule, w: Array, g: Array, axes: Axes) -> Array:
    channels, multiplier = w.shape[2:]
    native = convolution_native.backprop_input(xp, _flat(w), g, axes, channels)
    if native is not None:
        return native
    strides = [a.stride for a in axes]
    flat = w.reshape(*w.shape[:2], channels * multiplier)
    if xp is np:
        dx = _backprop_in_place(flat, g, axes)
    elif strides == [1, 1]:
        dx = _shifted(xp, g, flat[::-1, ::-1], [a.mirrored() for a in axes])
    elif all(a.dilation == 1 for a in axes):
        dx = _backprop_phases(flat, g, axes)
    else:
        return _grouped_backprop_input(w, g, axes)
    if multiplier == 1:
        return dx
    return xp.sum(dx.reshape(*dx.shape[:3], channels, multiplier), axis=-1)


def _backprop_in_place(w: np.ndarray, g: np.ndarray, axes: Axes) -> np.ndarray:
    rows, columns = axes
    lengths = [max(a.reach, a.low + a.size) for a in axes]
    dx = np.zeros((g.shape[0], *lengths, g.shape[-1]), g.dtype)
    for i, j in product(range(rows.window), range(columns.window)):
        dx[:, rows.starts(i), columns.starts(j)] += g * w[i, j]
    return dx[:, rows.low : rows.low + rows.size, columns.low : columns.low + columns.size]


def _backprop_phases(w: Array, g: Array, axes: Axes) -> Array:
    """The input positions of equal remainder modulo the stride, phase by phase."""
    phases = []
    for remainders in product(*(range(a.stride) for a in axes)):
        taps, parts = zip(*(a.phase(r) for a, r in zip(axes, remainders)))
        if all(a.window for a in parts):
            phases.append(_shifted(jnp, g, w[taps][::-1, ::-1], parts))
        else:
            counts = [a.out for a in parts]
            phases.append(jnp.zeros((g.shape[0], *counts, g.shape[-1]), g.dtype))
    dx = interleave(jnp, phases, spatial(axes))
    return dx[:, : axes[0].size, : axes[1].size]


def _backprop_filter(xp: ArrayModule, x: Array, g: Array, axes: Axes) -> Array:
    channels = x.shape[-1]
    multiplier = g.shape[-1] // max(1, channels)
    native = convolution_native.backprop_filter(xp, x, g, axes, channels)
    if native is not None:
        return native.reshape(*native.shape[:2], channels, multiplier)
    padded = pad(xp, _repeated(xp, x, multiplier), spatial(axes))
    rows, columns = axes
    shape = (rows.window, columns.window, channels, multiplier)
    taps = list(product(range(rows.window), range(columns.window)))
    if 0 in g.shape:
        return xp.zeros(shape, g.dtype)
    if xp is np:
        sums = [
            np.einsum("nhwc,nhwc->c", padded[:, rows.starts(i), columns.starts(j)], g)
            for i, j in taps
        ]
        return np.stack(sums).reshape(shape)
    padded = lax.optimization_barrier(padded)

    def add_row(step: Array, totals: Sequence[Array]) -> list[Array]:
        n, row = step // rows.out, step % rows.out
        g_row = lax.dynamic_slice(g, (n, row, 0, 0), (1, 1, *g.shape[2:]))[0, 0]
        result: list[Any] = []
        for i, j in taps:
            start = (n, row * rows.stride + i * rows.dilation, 0, 0)
            x_row = lax.dynamic_slice(padded, start, (1, 1, *padded.shape[2:]))[0, 0]
            result.append(totals[len(result)] + x_row[columns.starts(j)] * g_row)
        return result

    # XLA's own reductions would read both arrays once for every window element.
    zeros = [jnp.zeros(g.shape[2:], g.dtype) for _ in taps]
    totals = lax.fori_loop(0, g.shape[0] * rows.out, add_row, zeros)
    return jnp.stack([jnp.sum(t, axis=0) for t in totals]).reshape(shape)
