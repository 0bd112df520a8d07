"""Depthwise convolution: every channel has filters of its own; with its gradients.

A window of h x w elements is a sum of h * w shifted products, which XLA fuses into one pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from headwater.base.lazy import lax
from headwater.graph import (
    Operation,
    Sample,
    ShapeContext,
    Tensor,
    build,
    convert_to_tensor,
    export,
    name_scope,
    register_op,
    shape_tensor,
)
from headwater.ops.nn.window import Axis, output_size, window_axes

_ATTRS = (
    "T: {half, bfloat16, float, double}, strides: list(int), padding: {'SAME', 'VALID'}, "
    "data_format: {'NHWC', 'NCHW'} = 'NHWC', dilations: list(int) = [1, 1, 1, 1]"
)


def _axes(
    sizes: Any,
    windows: Any,
    strides: list[int],
    padding: str,
    data_format: str,
    dilations: list[int],
) -> tuple[Axis, ...]:
    dims = (1, 2) if data_format == "NHWC" else (2, 3)
    return window_axes(
        sizes, windows, [strides[d] for d in dims], padding, [dilations[d] for d in dims]
    )


def _last(xp: Any, x: Any, data_format: str) -> Any:
    return x if data_format == "NHWC" else xp.transpose(x, (0, 2, 3, 1))


def _back(xp: Any, x: Any, data_format: str) -> Any:
    return x if data_format == "NHWC" else xp.transpose(x, (0, 3, 1, 2))


def _padded(xp: Any, x: Any, axes: tuple[Axis, ...]) -> Any:
    pads = [(a.low, max(a.high, a.reach - a.low - a.size)) for a in axes]
    return xp.pad(x, [(0, 0), *pads, (0, 0)]) if any(map(any, pads)) else x


def _taps(x: Any, axes: tuple[Axis, ...]) -> Iterator[tuple[tuple[int, ...], Any]]:
    """Each element of the window with what the windows see there, ``[N, out..., C]``."""
    for tap in product(*(range(a.window) for a in axes)):
        yield tap, x[(slice(None), *(a.starts(i) for a, i in zip(axes, tap)))]


def kernel_depthwise(
    xp: Any,
    x: Any,
    w: Any,
    *,
    strides: list[int],
    padding: str,
    data_format: str,
    dilations: list[int],
) -> Any:
    x = _last(xp, x, data_format)
    axes = _axes(x.shape[1:3], w.shape[:2], strides, padding, data_format, dilations)
    channels, multiplier = w.shape[2:]
    total: Any = None
    for tap, seen in _taps(_padded(xp, x, axes), axes):
        part = seen * w[tap][:, 0] if multiplier == 1 else seen[..., None] * w[tap]
        total = part if total is None else total + part
    y = total.reshape(*total.shape[:3], channels * multiplier)
    return _back(xp, y.astype(x.dtype), data_format)


def _spread(xp: Any, g: Any, axes: tuple[Axis, ...], w: Any) -> Any:
    """The transpose of the taps: each window element's share of `g`, added up in place."""
    n, channels = g.shape[0], w.shape[2]
    g = g.reshape(*g.shape[:3], channels, w.shape[3])
    lengths = [max(a.reach, a.low + a.size) for a in axes]
    total: Any = np.zeros((n, *lengths, channels), g.dtype) if xp is np else None
    for tap in product(*(range(a.window) for a in axes)):
        part = (g * w[tap]).sum(-1, dtype=g.dtype)
        if xp is np:
            total[(slice(None), *(a.starts(i) for a, i in zip(axes, tap)))] += part
            continue
        config = [
            (i * a.dilation, length - i * a.dilation - (a.out - 1) * a.stride - 1, a.stride - 1)
            for a, i, length in zip(axes, tap, lengths)
        ]
        part = lax.pad(part, xp.zeros((), part.dtype), [(0, 0, 0), *config, (0, 0, 0)])
        total = part if total is None else total + part
    rows, columns = axes
    return total[:, rows.low : rows.low + rows.size, columns.low : columns.low + columns.size]


def kernel_backprop_input(
    xp: Any,
    input_sizes: np.ndarray,
    w: Any,
    g: Any,
    *,
    strides: list[int],
    padding: str,
    data_format: str,
    dilations: list[int],
) -> Any:
    sizes = [int(size) for size in input_sizes]
    spatial = sizes[1:3] if data_format == "NHWC" else sizes[2:]
    g = _last(xp, g, data_format)
    axes = _axes(spatial, w.shape[:2], strides, padding, data_format, dilations)
    return _back(xp, _spread(xp, g, axes, w), data_format)


def kernel_backprop_filter(
    xp: Any,
    x: Any,
    filter_sizes: np.ndarray,
    g: Any,
    *,
    strides: list[int],
    padding: str,
    data_format: str,
    dilations: list[int],
) -> Any:
    sizes = [int(size) for size in filter_sizes]
    x, g = _last(xp, x, data_format), _last(xp, g, data_format)
    axes = _axes(x.shape[1:3], sizes[:2], strides, padding, data_format, dilations)
    g = g.reshape(*g.shape[:3], *sizes[2:])
    parts = [
        (seen[..., None] * g).sum((0, 1, 2), dtype=g.dtype)
        for _, seen in _taps(_padded(xp, x, axes), axes)
    ]
    return xp.stack(parts).reshape(sizes)


def shape_depthwise(c: ShapeContext) -> Any:
    x, w = c.with_rank("input", 4), c.with_rank("filter", 4)
    channel, dims = (3, (1, 2)) if c.attr("data_format") == "NHWC" else (1, (2, 3))
    depth = c.merge_dims(x[channel], w[2])
    result = list(x)
    result[channel] = None if depth is None or w[3] is None else depth * w[3]
    for i, d in enumerate(dims):
        size, window = x[d], w[i]
        out = None
        if size is not None and window is not None:
            out = output_size(
                size, window, c.attr("strides")[d], c.attr("padding"), c.attr("dilations")[d]
            )
            if out < 0 or (out == 0 and size):
                c.fail(f"Negative dimension size caused by subtracting {window} from {size}")
        result[d] = out
    return tuple(result)


def _shape_of_sizes(name: str) -> Any:
    def shape(c: ShapeContext) -> Any:
        sizes = c.value_as_shape(name)
        return (None,) * 4 if sizes is None else sizes

    return shape


def _attrs_of(op: Operation) -> dict[str, Any]:
    return {name: op._attrs[name] for name in ("strides", "padding", "data_format", "dilations")}


def gradient_depthwise(op: Operation, grad: Tensor) -> Any:
    x, w = op.inputs
    attrs = _attrs_of(op)
    return (
        build.DepthwiseConv2dNativeBackpropInput(shape_tensor(x), w, grad, **attrs),
        build.DepthwiseConv2dNativeBackpropFilter(x, shape_tensor(w), grad, **attrs),
    )


def gradient_backprop_input(op: Operation, grad: Tensor) -> Any:
    _, w, g = op.inputs
    attrs = _attrs_of(op)
    return (
        None,
        build.DepthwiseConv2dNativeBackpropFilter(grad, shape_tensor(w), g, **attrs),
        build.DepthwiseConv2dNative(grad, w, **attrs),
    )


def gradient_backprop_filter(op: Operation, grad: Tensor) -> Any:
    x, _, g = op.inputs
    attrs = _attrs_of(op)
    return (
        build.DepthwiseConv2dNativeBackpropInput(shape_tensor(x), grad, g, **attrs),
        None,
        build.DepthwiseConv2dNative(x, grad, **attrs),
    )


def reference_depthwise(
    x: np.ndarray,
    w: np.ndarray,
    *,
    strides: list[int],
    padding: str,
    data_format: str,
    dilations: list[int],
) -> np.ndarray:
    rows, columns = _axes(x.shape[1:3], w.shape[:2], strides, padding, data_format, dilations)
    padded = np.pad(x, [(0, 0), (rows.low, rows.high), (columns.low, columns.high), (0, 0)])
    y = np.zeros((x.shape[0], rows.out, columns.out, w.shape[2] * w.shape[3]), x.dtype)
    for i in range(rows.out):
        for j in range(columns.out):
            top, left = i * rows.stride, j * columns.stride
            patch = padded[
                :,
                top : top + rows.span : rows.dilation,
                left : left + columns.span : columns.dilation,
            ]
            y[:, i, j] = np.einsum("nhwc,hwcm->ncm", patch, w).reshape(x.shape[0], -1)
    return y


def _numbers(*shape: int) -> np.ndarray:
    return np.random.RandomState(sum(shape)).normal(size=shape).astype(np.float32)


def samples_depthwise() -> Any:
    x = _numbers(2, 5, 6, 3)
    for padding in ("SAME", "VALID"):
        yield Sample(x, _numbers(3, 2, 3, 2), strides=[1, 1, 1, 1], padding=padding)
        yield Sample(x, _numbers(2, 3, 3, 1), strides=[1, 2, 2, 1], padding=padding)
    yield Sample(
        x, _numbers(2, 2, 3, 1), strides=[1, 1, 1, 1], padding="VALID", dilations=[1, 2, 2, 1]
    )


def samples_backprop_input() -> Any:
    yield Sample(
        np.array([2, 5, 6, 3], np.int32),
        _numbers(3, 3, 3, 2),
        _numbers(2, 3, 3, 6),
        strides=[1, 2, 2, 1],
        padding="SAME",
    )


def samples_backprop_filter() -> Any:
    yield Sample(
        _numbers(2, 5, 6, 3),
        np.array([3, 3, 3, 2], np.int32),
        _numbers(2, 3, 3, 6),
        strides=[1, 2, 2, 1],
        padding="SAME",
    )


register_op(
    "DepthwiseConv2dNative",
    inputs="input: T, filter: T",
    outputs="output: T",
    attrs=_ATTRS,
    shape=shape_depthwise,
    kernel=kernel_depthwise,
    gradient=gradient_depthwise,
    reference=reference_depthwise,
    samples=samples_depthwise,
)
register_op(
    "DepthwiseConv2dNativeBackpropInput",
    inputs="input_sizes: int32, filter: T, out_backprop: T",
    outputs="output: T",
    attrs=_ATTRS,
    shape=_shape_of_sizes("input_sizes"),
    kernel=kernel_backprop_input,
    gradient=gradient_backprop_input,
    concrete=("input_sizes",),
    samples=samples_backprop_input,
)
register_op(
    "DepthwiseConv2dNativeBackpropFilter",
    inputs="input: T, filter_sizes: int32, out_backprop: T",
    outputs="output: T",
    attrs=_ATTRS,
    shape=_shape_of_sizes("filter_sizes"),
    kernel=kernel_backprop_filter,
    gradient=gradient_backprop_filter,
    concrete=("filter_sizes",),
    samples=samples_backprop_filter,
)


@export("nn.depthwise_conv2d_native")
def depthwise_conv2d_native(
    input: Any,
    filter: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """Slides filters over each channel of images by itself.

    Args:
        input: images, ``[N, H, W, C]``, floating-point.
        filter: filters, ``[h, w, C, M]``.
        strides: the step of the window per dimension.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"NHWC"`` or ``"NCHW"``.
        dilations: the distance of the filter's elements per dimension.
        name: the name of the op.

    Returns:
        A tensor ``[N, H', W', C * M]``; the M results of one channel stand together.
    """
    return build.DepthwiseConv2dNative(
        input,
        filter,
        strides=list(strides),
        padding=padding,
        data_format=data_format,
        dilations=list(dilations),
        name=name,
    )


@export("nn.depthwise_conv2d")
def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: str,
    rate: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Any = None,
) -> Tensor:
    """Slides filters over each channel of images by itself, with gaps if `rate` is above one.

    Args:
        input: images, ``[N, H, W, C]``, floating-point.
        filter: filters, ``[h, w, C, M]``.
        strides: the step of the window per dimension.
        padding: ``"SAME"`` or ``"VALID"``.
        rate: two numbers, the distance of the filter's elements; the strides must then be 1.
        name: the name of the ops.
        data_format: ``"NHWC"`` or ``"NCHW"``.
        dilations: newer name of `rate`.

    Returns:
        A tensor ``[N, H', W', C * M]``.

    Raises:
        ValueError: if both strides and rates are above one.
    """
    rate = dilations if rate is None else rate
    rate = [1, 1] if rate is None else list(rate)
    with name_scope(name, "depthwise", [input, filter]) as scope:
        x = convert_to_tensor(input, name="tensor_in")
        w = convert_to_tensor(filter, name="filter_in")
        if any(r > 1 for r in rate) and any(s > 1 for s in strides):
            raise ValueError("strides > 1 not supported in conjunction with dilation_rate > 1")
        # TensorFlow makes these two constants on its way to the general convolution.
        shape_tensor(w, name="Shape")
        convert_to_tensor(rate, name="dilation_rate")
        data_format = data_format or "NHWC"
        spread = [1, *rate, 1] if data_format == "NHWC" else [1, 1, *rate]
        return build.DepthwiseConv2dNative(
            x,
            w,
            strides=list(strides),
            padding=padding,
            data_format=data_format,
            dilations=spread,
            name=scope,
        )
