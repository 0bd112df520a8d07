"""Pooling as sums and maxima of shifted slices, for NumPy and for XLA alike.

`windows` maps dimensions to their `Axis`; all other dimensions are left alone. A maximum that
occurs several times in a window belongs to its first element in row-major order.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from itertools import product
from math import prod
from typing import Any

import numpy as np

from headwater.base.lazy import jnp, lax
from headwater.base.typing import Array, ArrayModule
from headwater.ops.nn.window import Axis
from headwater.ops.nn.window_arrays import Windows, interleave, pad, slices

# Up to this many window elements are compared in one pass; larger windows axis by axis.
_ONE_PASS = 9


def max_pool(xp: ArrayModule, x: Array, windows: Windows, start: Array | None = None) -> Array:
    """The maximum of every window.

    Args:
        xp: NumPy or jax.numpy.
        x: an array.
        windows: the windows by dimension.
        start: what elements are compared with first, if they are floats: NaN is not greater, so it
            is left out. None: NaN is the greatest.

    Returns:
        An array of the same rank.
    """
    if start is None or x.dtype.kind in "iu":
        return _maxima(xp, pad(xp, x, windows, _lowest(x.dtype)), windows, xp.maximum)
    padded = pad(xp, x, windows, start)
    if xp is np:
        result = _maxima(np, padded, windows, np.maximum)
        if np.all(np.isfinite(result)):
            return result
    if xp is np or any(map(_is_whole, _groups(windows))):
        return _maxima(xp, xp.where(padded > start, padded, start), windows, xp.maximum)
    return _maxima(xp, padded, windows, _greater, start)


def _maxima(
    xp: ArrayModule, x: Array, windows: Windows, greater: Any, start: Array | None = None
) -> Array:
    for group in _groups(windows):
        if _is_whole(group):
            x = xp.max(x, axis=tuple(group), keepdims=True)
        else:
            x = reduce(greater, slices(x, group), *(() if start is None else (start,)))
    return x


def _greater(best: Array, value: Array) -> Array:
    return jnp.where(value > best, value, best)


def max_index(xp: ArrayModule, x: Array, windows: Windows) -> Array:
    """The row-major index of every maximum within its window.

    Args:
        xp: NumPy or jax.numpy.
        x: an array.
        windows: the windows by dimension.

    Returns:
        Integers of the shape of the pooled array.
    """
    count = prod(a.window for a in windows.values())
    dtype = np.dtype(np.int8 if count <= 128 else np.int32)
    x = pad(xp, x, windows, _lowest(x.dtype))
    index = None
    passed = 1
    for group in reversed(_groups(windows)):
        if _is_whole(group):
            (dim,) = group
            first = xp.expand_dims(xp.argmax(x, axis=dim), dim)
            inner = None if index is None else xp.take_along_axis(index, first, axis=dim)
            index = (first * passed).astype(dtype)
            index = index if inner is None else index + inner
            x = xp.max(x, axis=dim, keepdims=True)
        else:
            x, index = _first_maximum(xp, x, index, group, passed, dtype)
        passed *= prod(a.window for a in group.values())
    return index


def _first_maximum(
    xp: ArrayModule, x: Array, index: Array | None, group: Windows, passed: int, dtype: np.dtype
) -> tuple[Any, Any]:
    """Maxima over one group of dimensions, and their numbers added to those found before."""
    candidates = slices(x, group)
    indices = slices(index, group) if index is not None else None
    best = candidates[0]
    where = xp.zeros(best.shape, dtype) if indices is None else indices[0]
    for i, candidate in enumerate(candidates[1:], 1):
        better = candidate > best
        number = dtype.type(i * passed)
        best = xp.where(better, candidate, best)
        where = xp.where(better, number if indices is None else indices[i] + number, where)
    return best, where


def max_pool_grad(
    xp: ArrayModule, x: Array, g: Array, windows: Windows, y: Array | None = None
) -> Array:
    """The gradient of `max_pool` for its input.

    Args:
        xp: NumPy or jax.numpy.
        x: the input of the pooling.
        g: the gradient of its output.
        windows: the windows by dimension.
        y: the output of the pooling, if all elements that are equal to it get the gradient.

    Returns:
        An array of the shape of `x`: every element of `g` at the place of its maximum.
    """
    if not windows:
        return g
    if y is not None and prod(a.window for a in windows.values()) < 64:
        return _distribute(xp, g, windows, _Equal(xp, x, y, windows))
    return _distribute(xp, g, windows, _First(max_index(xp, x, windows)))


class _First:
    """The element of each window that gets its gradient.

    Args:
        numbers: the row-major number of the element in each window.
    """

    nothing = -1

    def __init__(self, numbers: Array) -> None:
        self.numbers = numbers

    def __call__(self, numbers: np.ndarray, element: Array) -> np.ndarray:
        """Whether an element, or each of an array of them, is the one."""
        return numbers == np.asarray(element, numbers.dtype)


class _Equal(_First):
    """The elements of each window that are equal to its maximum, as bits.

    Args:
        xp: NumPy or jax.numpy.
        x: the input of the pooling.
        y: its output.
        windows: the windows by dimension.
    """

    nothing = 0

    def __init__(self, xp: ArrayModule, x: Array, y: Array, windows: Windows) -> None:
        candidates = slices(pad(xp, x, windows, _lowest(x.dtype)), windows)
        kind = np.dtype(np.uint32 if len(candidates) <= 32 else np.uint64)
        bits = [(c == y).astype(kind) << kind.type(i) for i, c in enumerate(candidates)]
        super().__init__(reduce(xp.bitwise_or, bits))

    def __call__(self, numbers: np.ndarray, element: Array) -> np.ndarray:
        kind = numbers.dtype.type
        return (numbers >> np.asarray(element, kind)) & kind(1) != 0


def max_pool_grad_grad(xp: ArrayModule, x: Array, gg: Array, windows: Windows) -> Array:
    """The gradient of `max_pool_grad` for `g`: the elements of `gg` at the maxima of `x`.

    Args:
        xp: NumPy or jax.numpy.
        x: the input of the pooling.
        gg: an array of the shape of `x`.
        windows: the windows by dimension.

    Returns:
        An array of the shape of the pooled array.
    """
    index = max_index(xp, x, windows)
    candidates = slices(pad(xp, gg, windows), windows)
    result = candidates[0]
    for i, candidate in enumerate(candidates[1:], 1):
        result = xp.where(index == index.dtype.type(i), candidate, result)
    return result


def avg_pool(xp: ArrayModule, x: Array, windows: Windows) -> Array:
    """The mean of every window, not counting padding.

    Args:
        xp: NumPy or jax.numpy.
        x: an array of floating-point numbers.
        windows: the windows by dimension.

    Returns:
        An array of the same rank and type.
    """
    dtype = x.dtype
    total = pad(xp, x.astype(_summed(dtype)), windows)
    for dim, axis in windows.items():
        if _is_whole({dim: axis}):
            total = xp.sum(total, axis=dim, keepdims=True, dtype=total.dtype)
        else:
            total = reduce(xp.add, slices(total, {dim: axis}))
    return (total / _counts(total, windows)).astype(dtype)


def avg_pool_grad(xp: ArrayModule, g: Array, windows: Windows) -> Array:
    """The gradient of `avg_pool` for its input.

    Args:
        xp: NumPy or jax.numpy.
        g: the gradient of its output.
        windows: the windows by dimension.

    Returns:
        An array of the shape of the input.
    """
    dtype = g.dtype
    share = g.astype(_summed(dtype))
    share = share / _counts(share, windows)
    for dim, axis in windows.items():
        share = _distribute(xp, share, {dim: axis}, None)
    return share.astype(dtype)


def _summed(dtype: np.dtype) -> np.dtype:
    """The accumulator type: 16-bit floats would lose too much precision."""
    return np.dtype(np.float32) if dtype.itemsize <= 2 else np.dtype(dtype)


def _lowest(dtype: np.dtype) -> float:
    if dtype.kind in "iu":
        return np.iinfo(dtype).min
    return -np.inf


def _counts(x: Array, windows: Windows) -> np.ndarray:
    """How many elements that are not padding every window has, shaped to broadcast."""
    counts = np.ones((1,) * x.ndim, x.dtype)
    for dim, a in windows.items():
        first = np.arange(a.out) * a.stride - a.low
        inside = np.minimum(first + a.span, a.size) - np.maximum(first, 0)
        shape = [1] * x.ndim
        shape[dim] = a.out
        counts = counts * inside.astype(x.dtype).reshape(shape)
    return counts


def _groups(windows: Windows) -> list[dict[int, Axis]]:
    """The dimensions to reduce together: all of a small window, each alone of a large one."""
    if prod(a.window for a in windows.values()) <= _ONE_PASS:
        return [dict(windows)]
    return [{dim: axis} for dim, axis in windows.items()]


def _is_whole(group: Windows) -> bool:
    """Whether there is one dimension, with a single large window."""
    if len(group) != 1:
        return False
    (axis,) = group.values()
    return axis.out == 1 and axis.window > 3 and axis.reach >= axis.low + axis.size


# Gradients


def _distribute(xp: ArrayModule, g: Array, windows: Windows, chosen: _First | None) -> Array:
    """Adds `g` to the elements of its windows: to those that are chosen, or to all."""
    if all(a.is_tiling for a in windows.values()):
        return _distribute_tiles(xp, g, windows, chosen)
    if xp is np:
        return _distribute_in_place(g, windows, chosen)
    return _distribute_phases(xp, g, windows, chosen)


def _distribute_tiles(xp: ArrayModule, g: Array, windows: Windows, chosen: _First | None) -> Array:
    """Windows side by side: `g` is spread over each and masked."""
    spread_shape: list[int] = []
    merged_shape: list[int] = []
    number: Array = 0
    axes = [windows.get(dim) for dim in range(g.ndim)]
    rank = g.ndim + len(windows)
    for size, axis in zip(g.shape, axes):
        spread_shape.append(size)
        merged_shape.append(size)
        if axis is not None:
            place = [1] * rank
            place[len(spread_shape)] = axis.window
            number = number * axis.window + np.arange(axis.window).reshape(place)
            spread_shape.append(1)
            merged_shape[-1] *= axis.window
    spread = g.reshape(spread_shape)
    if chosen is None:
        full = [s if a is None else a.out for s, a in zip(g.shape, axes)]
        for dim in sorted(windows, reverse=True):
            full.insert(dim + 1, windows[dim].window)
        spread = xp.broadcast_to(spread, full)
    else:
        inside = chosen(chosen.numbers.reshape(spread_shape), number)
        spread = xp.where(inside, spread, np.zeros((), g.dtype))
    return _fitted(xp, spread.reshape(merged_shape), windows)


def _fitted(xp: ArrayModule, x: Array, windows: Windows) -> Array:
    """Cuts off the padding, and adds zeros where no window reaches."""
    where = [slice(None)] * x.ndim
    pads = [(0, 0)] * x.ndim
    for dim, a in windows.items():
        where[dim] = slice(a.low, a.low + a.size)
        pads[dim] = (0, max(0, a.low + a.size - x.shape[dim]))
    x = x[tuple(where)]
    return xp.pad(x, pads) if any(map(any, pads)) else x


def _distribute_in_place(g: np.ndarray, windows: Windows, chosen: _First | None) -> np.ndarray:
    shape = list(g.shape)
    for dim, a in windows.items():
        shape[dim] = max(a.reach, a.low + a.size)
    dx = np.zeros(shape, g.dtype)
    zero = np.zeros((), g.dtype)
    for i, target in enumerate(slices(dx, windows)):
        target += g if chosen is None else np.where(chosen(chosen.numbers, i), g, zero)
    return _fitted(np, dx, windows)


def _distribute_phases(xp: ArrayModule, g: Array, windows: Windows, chosen: _First | None) -> Any:
    """Overlapping windows: positions of equal remainder modulo the stride are computed together."""
    numbers: Array = None
    if chosen is not None:
        # Without the barrier XLA would recompute the indices for every element that reads them.
        numbers = lax.optimization_barrier(chosen.numbers)
    counts = {d: -(-(a.low + a.size) // a.stride) for d, a in windows.items()}
    turns = {d: -(-a.window // a.stride) for d, a in windows.items()}
    pads = [(0, 0, 0)] * g.ndim
    for d, a in windows.items():
        pads[d] = (turns[d] - 1, counts[d] - a.out, 0)
    padded = lax.pad(g, np.zeros((), g.dtype), pads)
    if chosen is not None:
        numbers = lax.pad(numbers, numbers.dtype.type(chosen.nothing), pads)
    phases = [
        _phase(xp, padded, numbers, chosen, windows, turns, counts, remainders)
        for remainders in product(*(range(a.stride) for a in windows.values()))
    ]
    return _fitted(xp, interleave(xp, phases, windows), windows)


def _phase(
    xp: ArrayModule,
    g: Array,
    numbers: Array,
    chosen: _First | None,
    windows: Windows,
    turns: Mapping[int, int],
    counts: Mapping[int, int],
    remainders: tuple[int, ...],
) -> Any:
    total = None
    zero = np.zeros((), g.dtype)
    for back in product(*(range(turns[d]) for d in windows)):
        element = 0
        outside = False
        where = [slice(None)] * g.ndim
        for (d, a), r, t in zip(windows.items(), remainders, back):
            offset = r + a.stride * t
            outside |= offset >= a.window
            element = element * a.window + offset
            where[d] = slice(turns[d] - 1 - t, turns[d] - 1 - t + counts[d])
        if outside:
            continue
        term = g[tuple(where)]
        if chosen is not None:
            term = xp.where(chosen(numbers[tuple(where)], element), term, zero)
        total = term if total is None else total + term
    if total is None:
        shape = [counts.get(d, s) for d, s in enumerate(g.shape)]
        return xp.zeros(shape, g.dtype)
    return total
