"""Arrays under sliding windows: padding, shifted slices, phases of a stride."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np

from headwater.base.lazy import lax
from headwater.base.typing import Array, ArrayModule
from headwater.ops.nn.window import Axis

Windows = Mapping[int, Axis]
"""The sliding windows by dimension of an array; other dimensions are left alone."""


def spatial(axes: Sequence[Axis]) -> dict[int, Axis]:
    """The windows of a channels-last array: dimension 0 is the batch."""
    return dict(enumerate(axes, 1))


def join_covered(array: Array, covered: int, channels: int) -> Array:
    """An input, or the filter of a convolution, with its last axes joined with the channels.

    Args:
        array: ``[..., axes..., C]``, or ``[axes..., C, O]``.
        covered: how many axes are joined.
        channels: the position of the channels.
    """
    first = channels - covered
    shape = array.shape
    joined = prod(shape[first : channels + 1])
    return array.reshape(*shape[:first], *(1,) * covered, joined, *shape[channels + 1 :])


def pad(xp: ArrayModule, x: Array, windows: Windows, value: Array = 0) -> Array:
    """Pads (or crops) the dimensions to exactly what the windows cover.

    Args:
        xp: NumPy or jax.numpy.
        x: an array.
        windows: the windows by dimension.
        value: what to pad with.

    Returns:
        An array whose length along the dimensions is their `reach`.
    """
    pads = [(0, 0)] * x.ndim
    for dim, a in windows.items():
        pads[dim] = (a.low, a.reach - a.low - a.size)
    if not any(map(any, pads)):
        return x
    value = np.asarray(value, x.dtype)
    if xp is not np:
        return lax.pad(x, value, [(low, high, 0) for low, high in pads])
    padded = np.full([s + low + high for s, (low, high) in zip(x.shape, pads)], value, x.dtype)
    target = tuple(
        slice(max(0, low), n - max(0, high)) for n, (low, high) in zip(padded.shape, pads)
    )
    source = tuple(slice(max(0, -low), n - max(0, -high)) for n, (low, high) in zip(x.shape, pads))
    padded[target] = x[source]
    return padded


def slices(x: Array, windows: Windows) -> list[Any]:
    """For every window element in row-major order, its values in all windows.

    Args:
        x: a padded array.
        windows: the windows by dimension.

    Returns:
        Views (or slices) of `x`.
    """
    result = []
    for offsets in product(*(range(a.window) for a in windows.values())):
        where = [slice(None)] * x.ndim
        for (dim, axis), offset in zip(windows.items(), offsets):
            where[dim] = axis.starts(offset)
        result.append(x[tuple(where)])
    return result


def interleave(xp: ArrayModule, phases: Sequence[Any], windows: Windows) -> Array:
    """Interleaves the phases of strided dimensions.

    Args:
        xp: NumPy or jax.numpy.
        phases: for every combination of remainders in row-major order, the elements at
            ``position = index * stride + remainder``.
        windows: the windows by dimension.

    Returns:
        An array whose dimensions are longer by the factor of their strides.
    """
    dims = list(windows)
    order: list[int] = []
    merged: list[int] = []
    for dim, size in enumerate(phases[0].shape):
        order.append(len(dims) + dim)
        merged.append(size)
        if dim in windows:
            order.append(dims.index(dim))
            merged[-1] *= windows[dim].stride
    y = xp.stack(phases).reshape(*(a.stride for a in windows.values()), *phases[0].shape)
    return y.transpose(order).reshape(merged)
