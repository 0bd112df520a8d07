"""Grey-scale dilation and erosion of images by a structuring function, with their gradients."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    Operation,
    Sample,
    ShapeContext,
    Tensor,
    build,
    export,
    name_scope,
    register_op,
    shapes,
)
from headwater.ops.nn import window_arrays
from headwater.ops.nn.window import Axis, output_size, window_axis

_ATTRS = (
    "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}, "
    "strides: list(int) >= 4, rates: list(int) >= 4, padding: {'SAME', 'VALID'}"
)


def _windows(
    x: Array, w: Array, strides: list[int], rates: list[int], padding: str
) -> dict[int, Axis]:
    return {
        d: window_axis(x.shape[d], w.shape[d - 1], strides[d], padding, rates[d]) for d in (1, 2)
    }


def _sums(xp: ArrayModule, x: Array, w: Array, windows: dict[int, Axis]) -> list[Any]:
    """The input plus the filter for every element of the window; the lowest value outside."""
    lowest = np.iinfo(x.dtype).min if x.dtype.kind in "iu" else -np.inf
    parts = window_arrays.slices(window_arrays.pad(xp, x, windows, lowest), windows)
    if x.dtype.kind not in "iu":
        return [part + w[divmod(i, w.shape[1])] for i, part in enumerate(parts)]
    # The lowest integer plus a negative number would wrap around.
    ones = np.ones((1, *x.shape[1:3], 1), np.int8)
    inside = window_arrays.slices(window_arrays.pad(np, ones, windows), windows)
    bottom = np.asarray(lowest, x.dtype)
    return [
        xp.where(inside[i] == 1, part + w[divmod(i, w.shape[1])], bottom)
        for i, part in enumerate(parts)
    ]


def kernel_dilation(
    xp: ArrayModule, x: Array, w: Array, *, strides: list[int], rates: list[int], padding: str
) -> Array:
    best, *others = _sums(xp, x, w, _windows(x, w, strides, rates, padding))
    for other in others:
        best = xp.maximum(best, other)
    return best


def _chosen(xp: ArrayModule, x: Array, w: Array, windows: dict[int, Axis]) -> Array:
    """The number of the window element that has the maximum, the first of several."""
    best, *others = _sums(xp, x, w, windows)
    index = xp.zeros(best.shape, np.int32)
    for i, other in enumerate(others, 1):
        better = other > best
        best = xp.where(better, other, best)
        index = xp.where(better, np.int32(i), index)
    return index


def kernel_backprop_input(
    xp: ArrayModule,
    x: Array,
    w: Array,
    g: Array,
    *,
    strides: list[int],
    rates: list[int],
    padding: str,
) -> Array:
    windows = _windows(x, w, strides, rates, padding)
    index = _chosen(xp, x, w, windows)
    shape = list(x.shape)
    for d, a in windows.items():
        shape[d] = max(a.reach, a.low + a.size)
    total = xp.zeros(shape, g.dtype)
    rows, columns = windows[1], windows[2]
    zero = np.zeros((), g.dtype)
    for i in range(rows.window * columns.window):
        where = (
            slice(None),
            rows.starts(i // columns.window),
            columns.starts(i % columns.window),
        )
        term = xp.where(index == i, g, zero)
        if xp is np:
            total[where] += term
        else:
            total = total.at[where].add(term)
    return total[:, rows.low : rows.low + rows.size, columns.low : columns.low + columns.size]


def kernel_backprop_filter(
    xp: ArrayModule,
    x: Array,
    w: Array,
    g: Array,
    *,
    strides: list[int],
    rates: list[int],
    padding: str,
) -> Array:
    index = _chosen(xp, x, w, _windows(x, w, strides, rates, padding))
    zero = np.zeros((), g.dtype)
    sums = [
        xp.sum(xp.where(index == i, g, zero), axis=(0, 1, 2), dtype=g.dtype)
        for i in range(w.shape[0] * w.shape[1])
    ]
    return xp.stack(sums).reshape(w.shape)


def reference_dilation(
    x: np.ndarray, w: np.ndarray, *, strides: list[int], rates: list[int], padding: str
) -> np.ndarray:
    rows, columns = _windows(x, w, strides, rates, padding).values()
    y = np.full((x.shape[0], rows.out, columns.out, x.shape[3]), -np.inf)
    for i, j, di, dj in np.ndindex(rows.out, columns.out, *w.shape[:2]):
        row = i * rows.stride - rows.low + di * rows.dilation
        column = j * columns.stride - columns.low + dj * columns.dilation
        if 0 <= row < x.shape[1] and 0 <= column < x.shape[2]:
            y[:, i, j] = np.maximum(y[:, i, j], x[:, row, column] + w[di, dj])
    return y


def _size(
    c: ShapeContext, size: int | None, window: int | None, stride: int, rate: int
) -> int | None:
    if size is None or window is None:
        return None
    out = output_size(size, window, stride, c.attr("padding"), rate)
    if out < 0:
        c.fail(
            f"Computed output size would be negative: {out} [input_size: {size}, "
            f"effective_filter_size: {(window - 1) * rate + 1}, stride: {stride}]"
        )
    return out


def shape_dilation(c: ShapeContext) -> Shape:
    x, w = c.with_rank("input", 4), c.with_rank("filter", 3)
    strides, rates = c.attr("strides"), c.attr("rates")
    for name, values in (("stride", strides), ("rates", rates)):
        if len(values) != 4:
            c.fail(
                f"Dilation2D requires the {name} attribute to contain 4 values, but got: "
                f"{len(values)}"
            )
    sizes = [_size(c, x[d], w[d - 1], strides[d], rates[d]) for d in (1, 2)]
    if x[3] is not None and w[2] is not None and x[3] != w[2]:
        c.fail(f"Dimensions must be equal, but are {x[3]} and {w[2]}")
    return (x[0], *sizes, w[2] if x[3] is None else x[3])


def shape_like_filter(c: ShapeContext) -> Shape:
    return c.shape("filter")


def gradient_dilation(op: Operation, grad: Tensor) -> tuple[Tensor, ...]:
    attrs = {name: op._attrs[name] for name in ("strides", "rates", "padding")}
    x, w = op.inputs
    return (
        build.Dilation2DBackpropInput(x, w, grad, **attrs),
        build.Dilation2DBackpropFilter(x, w, grad, **attrs),
    )


def samples_dilation() -> Iterator[Sample]:
    random = np.random.RandomState(4)
    x = random.permutation(120).reshape(2, 5, 6, 2).astype(np.float32)
    w = random.uniform(-3, 3, [2, 3, 2]).astype(np.float32)
    for padding in ("SAME", "VALID"):
        yield Sample(x, w, strides=[1, 1, 1, 1], rates=[1, 1, 1, 1], padding=padding)
        yield Sample(x, w, strides=[1, 2, 1, 1], rates=[1, 2, 2, 1], padding=padding)
    whole = random.permutation(30).reshape(1, 5, 6, 1).astype(np.int32)
    yield Sample(whole, -np.ones([2, 2, 1], np.int32), strides=[1, 1, 1, 1],
                 rates=[1, 1, 1, 1], padding="SAME")  # fmt: skip


register_op(
    "Dilation2D",
    inputs="input: T, filter: T",
    outputs="output: T",
    attrs=_ATTRS,
    shape=shape_dilation,
    kernel=kernel_dilation,
    gradient=gradient_dilation,
    reference=reference_dilation,
    samples=samples_dilation,
)
register_op(
    "Dilation2DBackpropInput",
    inputs="input: T, filter: T, out_backprop: T",
    outputs="in_backprop: T",
    attrs=_ATTRS,
    shape=shapes.like_first,
    kernel=kernel_backprop_input,
)
register_op(
    "Dilation2DBackpropFilter",
    inputs="input: T, filter: T, out_backprop: T",
    outputs="filter_backprop: T",
    attrs=_ATTRS,
    shape=shape_like_filter,
    kernel=kernel_backprop_filter,
)


@export("nn.dilation2d")
def dilation2d(
    input: TensorLike,
    filter: TensorLike | None = None,
    strides: int | Sequence[int] | None = None,
    rates: int | Sequence[int] | None = None,
    padding: str | None = None,
    name: str | None = None,
    filters: TensorLike | None = None,
    dilations: int | Sequence[int] | None = None,
) -> Tensor:
    """The maximum over each window of the image plus the filter.

    output[b, y, x, c] = max over dy, dx of
    input[b, strides[1] y + rates[1] dy, strides[2] x + rates[2] dx, c] + filter[dy, dx, c]

    Args:
        input: images, ``[N, H, W, C]``.
        filter: the structuring function, ``[h, w, C]``.
        strides: the step of the window, four numbers.
        rates: the distance of the filter's elements, four numbers.
        padding: ``"SAME"`` or ``"VALID"``.
        name: the name of the op.
        filters: newer name of `filter`.
        dilations: newer name of `rates`.

    Returns:
        A tensor ``[N, H', W', C]``.
    """
    return build.Dilation2D(
        input,
        filter if filters is None else filters,
        strides=strides,
        rates=rates if dilations is None else dilations,
        padding=padding,
        name=name,
    )


@export("nn.erosion2d")
def erosion2d(
    value: TensorLike,
    kernel: TensorLike,
    strides: int | Sequence[int],
    rates: int | Sequence[int],
    padding: str,
    name: str | None = None,
) -> Tensor:
    """The minimum over each window of the image minus the mirrored kernel.

    Args:
        value: images, ``[N, H, W, C]``.
        kernel: the structuring function, ``[h, w, C]``.
        strides: the step of the window, four numbers.
        rates: the distance of the kernel's elements, four numbers.
        padding: ``"SAME"`` or ``"VALID"``.
        name: the name of the op.

    Returns:
        A tensor ``[N, H', W', C]``.
    """
    with name_scope(name, "erosion2d", [value, kernel]) as scope:
        negative = build.Neg(value)
        mirrored = build.ReverseV2(kernel, [0, 1])
        return build.Neg(
            build.Dilation2D(
                negative, mirrored, strides=strides, rates=rates, padding=padding, name=scope
            )
        )


def dilation2d_v2(
    input: TensorLike,
    filters: TensorLike,
    strides: int | Sequence[int],
    padding: str,
    data_format: str,
    dilations: int | Sequence[int],
    name: str | None = None,
) -> Tensor:
    """The maximum over each window of the image plus the filter; see `tf.nn.dilation2d`.

    Args:
        input: images, ``[N, H, W, C]``.
        filters: the structuring function, ``[h, w, C]``.
        strides: the step of the window, four numbers.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"NHWC"``.
        dilations: the distance of the filter's elements, four numbers.
        name: the name of the op.

    Returns:
        A tensor ``[N, H', W', C]``.

    Raises:
        ValueError: if the data format is another one.
    """
    _check_data_format(data_format)
    return dilation2d(input, filters, strides, dilations, padding, name)


def erosion2d_v2(
    value: TensorLike,
    filters: TensorLike,
    strides: int | Sequence[int],
    padding: str,
    data_format: str,
    dilations: int | Sequence[int],
    name: str | None = None,
) -> Tensor:
    """The minimum over each window of the image minus the mirrored filter.

    Args:
        value: images, ``[N, H, W, C]``.
        filters: the structuring function, ``[h, w, C]``.
        strides: the step of the window, four numbers.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"NHWC"``.
        dilations: the distance of the filter's elements, four numbers.
        name: the name of the op.

    Returns:
        A tensor ``[N, H', W', C]``.

    Raises:
        ValueError: if the data format is another one.
    """
    _check_data_format(data_format)
    return erosion2d(value, filters, strides, dilations, padding, name)


def _check_data_format(data_format: str) -> None:
    if data_format != "NHWC":
        raise ValueError("Data formats other than NHWC are not yet supported")
