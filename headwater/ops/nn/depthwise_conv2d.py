"""Depthwise convolution: every channel has filters of its own; with its gradients."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from headwater.base.older_calls import inserted, is_no_format
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    Sample,
    ShapeContext,
    Tensor,
    build,
    export,
    register_op,
)
from headwater.ops.nn import depthwise_forms
from headwater.ops.nn.convolution_gradients import ConvolutionGradients
from headwater.ops.nn.window_arguments import (
    attr_axes,
    channel_dim,
    channels_back,
    channels_last,
    check_backprop,
    check_rank,
    invalid,
    shape_in,
    spatial_dims,
    window_count,
)

_ATTRS = (
    "T: {half, bfloat16, float, double}, strides: list(int), padding: {'SAME', 'VALID'}, "
    "data_format: {'NHWC', 'NCHW'} = 'NHWC', dilations: list(int) = [1, 1, 1, 1]"
)


def kernel_depthwise(
    xp: ArrayModule,
    x: Array,
    w: Array,
    *,
    strides: list[int],
    padding: str,
    data_format: str,
    dilations: list[int],
) -> Array:
    check_rank(x, 4, "input")
    check_rank(w, 4, "filter", ": ")
    x = channels_last(xp, x, data_format)
    if x.shape[-1] != w.shape[2]:
        invalid(f"input and filter must have the same depth: {x.shape[-1]} vs {w.shape[2]}")
    axes = attr_axes(x.shape[1:3], w.shape[:2], strides, padding, data_format, dilations)
    return channels_back(xp, depthwise_forms.forward(xp, x, w, axes), data_format)


def kernel_backprop_input(
    xp: ArrayModule,
    input_sizes: np.ndarray,
    w: Array,
    g: Array,
    *,
    strides: list[int],
    padding: str,
    data_format: str,
    dilations: list[int],
) -> Array:
    sizes = [int(size) for size in input_sizes]
    dims = spatial_dims(data_format)
    g = channels_last(xp, g, data_format)
    spatial = [sizes[d] for d in dims]
    axes = attr_axes(spatial, w.shape[:2], strides, padding, data_format, dilations)
    channels = w.shape[2] * w.shape[3]
    check_backprop("Conv2DBackpropInput", sizes[0], g, channels, axes, dims)
    return channels_back(xp, depthwise_forms.backprop_input(xp, w, g, axes), data_format)


def kernel_backprop_filter(
    xp: ArrayModule,
    x: Array,
    filter_sizes: np.ndarray,
    g: Array,
    *,
    strides: list[int],
    padding: str,
    data_format: str,
    dilations: list[int],
) -> Array:
    sizes = [int(size) for size in filter_sizes]
    x, g = channels_last(xp, x, data_format), channels_last(xp, g, data_format)
    axes = attr_axes(x.shape[1:3], sizes[:2], strides, padding, data_format, dilations)
    channels = sizes[2] * sizes[3]
    dims = spatial_dims(data_format)
    check_backprop("Conv2DBackpropFilter", x.shape[0], g, channels, axes, dims)
    return depthwise_forms.backprop_filter(xp, x, g, axes)


def shape_depthwise(c: ShapeContext) -> Shape:
    x, w = c.with_rank("input", 4), c.with_rank("filter", 4)
    channel = channel_dim(c.attr("data_format"))
    depth = c.merge_dims(x[channel], w[2])
    result = list(x)
    result[channel] = None if depth is None or w[3] is None else depth * w[3]
    strides, dilations = c.attr("strides"), c.attr("dilations")
    for name, given in (("stride", strides), ("dilations", dilations)):
        if len(given) != 4:
            c.fail(
                f"DepthwiseConv2D requires the {name} attribute to contain 4 values, but got: "
                f"{len(given)}"
            )
    for i, d in enumerate(spatial_dims(c.attr("data_format"))):
        result[d] = window_count(c, x[d], w[i], strides[d], c.attr("padding"), dilations[d])
    return tuple(result)


_GRADIENTS = ConvolutionGradients(
    "DepthwiseConv2dNative",
    "DepthwiseConv2dNativeBackpropInput",
    "DepthwiseConv2dNativeBackpropFilter",
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
    rows, columns = attr_axes(x.shape[1:3], w.shape[:2], strides, padding, data_format, dilations)
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


def samples_depthwise() -> Iterator[Sample]:
    x = _numbers(2, 5, 6, 3)
    for padding in ("SAME", "VALID"):
        yield Sample(x, _numbers(3, 2, 3, 2), strides=[1, 1, 1, 1], padding=padding)
        yield Sample(x, _numbers(2, 3, 3, 1), strides=[1, 2, 2, 1], padding=padding)
    yield Sample(
        x, _numbers(2, 2, 3, 1), strides=[1, 1, 1, 1], padding="VALID", dilations=[1, 2, 2, 1]
    )


def samples_backprop_input() -> Iterator[Sample]:
    yield Sample(
        np.array([2, 5, 6, 3], np.int32),
        _numbers(3, 3, 3, 2),
        _numbers(2, 3, 3, 6),
        strides=[1, 2, 2, 1],
        padding="SAME",
    )


def samples_backprop_filter() -> Iterator[Sample]:
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
    gradient=_GRADIENTS.of_forward,
    reference=reference_depthwise,
    samples=samples_depthwise,
)
register_op(
    "DepthwiseConv2dNativeBackpropInput",
    inputs="input_sizes: int32, filter: T, out_backprop: T",
    outputs="output: T",
    attrs=_ATTRS,
    shape=shape_in("input_sizes", 4),
    kernel=kernel_backprop_input,
    gradient=_GRADIENTS.of_backprop_input,
    concrete=("input_sizes",),
    samples=samples_backprop_input,
)
register_op(
    "DepthwiseConv2dNativeBackpropFilter",
    inputs="input: T, filter_sizes: int32, out_backprop: T",
    outputs="output: T",
    attrs=_ATTRS,
    shape=shape_in("filter_sizes", 4),
    kernel=kernel_backprop_filter,
    gradient=_GRADIENTS.of_backprop_filter,
    concrete=("filter_sizes",),
    samples=samples_backprop_filter,
)


@export("nn.depthwise_conv2d_native")
@inserted(4, "NHWC", (1, 1, 1, 1), older=is_no_format)
def depthwise_conv2d_native(
    input: TensorLike,
    filter: TensorLike,
    strides: Sequence[int],
    padding: str,
    data_format: str = "NHWC",
    dilations: TensorLike = [1, 1, 1, 1],  # noqa: B006
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


@export("nn.depthwise_conv2d_native_backprop_input", "nn.depthwise_conv2d_backprop_input")
def depthwise_conv2d_native_backprop_input(
    input_sizes: TensorLike,
    filter: TensorLike,
    out_backprop: TensorLike,
    strides: Sequence[int],
    padding: str,
    data_format: str = "NHWC",
    dilations: Sequence[int] = [1, 1, 1, 1],
    name: str | None = None,
) -> Tensor:
    """The gradient of `depthwise_conv2d_native` with respect to its input.

    Args:
        input_sizes: the shape of the input as an int32 tensor.
        filter: the filters, ``[h, w, C, M]``.
        out_backprop: the gradient of the output.
        strides: as for `depthwise_conv2d_native`.
        padding: as for `depthwise_conv2d_native`.
        data_format: as for `depthwise_conv2d_native`.
        dilations: as for `depthwise_conv2d_native`.
        name: the name of the op.

    Returns:
        A tensor of shape `input_sizes`.
    """
    return build.DepthwiseConv2dNativeBackpropInput(
        input_sizes,
        filter,
        out_backprop,
        strides=list(strides),
        padding=padding,
        data_format=data_format,
        dilations=list(dilations),
        name=name,
    )


@export("nn.depthwise_conv2d_native_backprop_filter", "nn.depthwise_conv2d_backprop_filter")
def depthwise_conv2d_native_backprop_filter(
    input: TensorLike,
    filter_sizes: TensorLike,
    out_backprop: TensorLike,
    strides: Sequence[int],
    padding: str,
    data_format: str = "NHWC",
    dilations: Sequence[int] = [1, 1, 1, 1],
    name: str | None = None,
) -> Tensor:
    """The gradient of `depthwise_conv2d_native` with respect to its filters.

    Args:
        input: the images.
        filter_sizes: the shape of the filters as an int32 tensor.
        out_backprop: the gradient of the output.
        strides: as for `depthwise_conv2d_native`.
        padding: as for `depthwise_conv2d_native`.
        data_format: as for `depthwise_conv2d_native`.
        dilations: as for `depthwise_conv2d_native`.
        name: the name of the op.

    Returns:
        A tensor of shape `filter_sizes`.
    """
    return build.DepthwiseConv2dNativeBackpropFilter(
        input,
        filter_sizes,
        out_backprop,
        strides=list(strides),
        padding=padding,
        data_format=data_format,
        dilations=list(dilations),
        name=name,
    )
