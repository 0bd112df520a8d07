"""Two-dimensional convolution, its two gradients, and its transpose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

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
)
from headwater.ops.nn import convolution_host, convolution_xla
from headwater.ops.nn.window import Axis, output_size, window_axes

_ATTRS = (
    "T: {half, bfloat16, float, double}, strides: list(int), use_cudnn_on_gpu: bool = true, "
    "padding: {'SAME', 'VALID', 'EXPLICIT'}, explicit_paddings: list(int) = [], "
    "data_format: {'NHWC', 'NCHW'} = 'NHWC', dilations: list(int) = [1, 1, 1, 1]"
)


def _spatial(data_format: str) -> tuple[int, int]:
    return (1, 2) if data_format == "NHWC" else (2, 3)


def _axes(
    sizes: Sequence[int],
    windows: Sequence[int],
    strides: list[int],
    padding: str,
    explicit_paddings: list[int],
    data_format: str,
    dilations: list[int],
) -> tuple[Axis, ...]:
    dims = _spatial(data_format)
    pads = [explicit_paddings[2 * d : 2 * d + 2] for d in dims] if explicit_paddings else None
    return window_axes(
        sizes, windows, [strides[d] for d in dims], padding, [dilations[d] for d in dims], pads
    )


def _forms(xp: Any) -> Any:
    """The module that computes convolutions on this tier."""
    return convolution_host if xp is np else convolution_xla


def _last(xp: Any, x: Any, data_format: str) -> Any:
    """Channels moved to the end."""
    return x if data_format == "NHWC" else xp.transpose(x, (0, 2, 3, 1))


def _back(xp: Any, x: Any, data_format: str) -> Any:
    return x if data_format == "NHWC" else xp.transpose(x, (0, 3, 1, 2))


def kernel_conv2d(
    xp: Any,
    x: Any,
    w: Any,
    *,
    strides: list[int],
    padding: str,
    explicit_paddings: list[int],
    data_format: str,
    dilations: list[int],
) -> Any:
    x = _last(xp, x, data_format)
    axes = _axes(
        x.shape[1:3], w.shape[:2], strides, padding, explicit_paddings, data_format, dilations
    )
    return _back(xp, _grouped(xp, x, w, axes), data_format)


def _grouped(xp: Any, x: Any, w: Any, axes: Sequence[Axis]) -> Any:
    """The convolution; input channels beyond those of the filter form groups."""
    groups = x.shape[-1] // w.shape[-2] if w.shape[-2] else 1
    if groups == 1:
        return _forms(xp).forward(x, w, axes)
    parts = zip(xp.split(x, groups, axis=-1), xp.split(w, groups, axis=-1))
    return xp.concatenate([_forms(xp).forward(a, b, axes) for a, b in parts], axis=-1)


def kernel_conv2d_backprop_input(
    xp: Any,
    input_sizes: np.ndarray,
    w: Any,
    grad: Any,
    *,
    strides: list[int],
    padding: str,
    explicit_paddings: list[int],
    data_format: str,
    dilations: list[int],
) -> Any:
    sizes = [int(size) for size in input_sizes]
    spatial = sizes[:2] if len(sizes) == 2 else [sizes[d] for d in _spatial(data_format)]
    grad = _last(xp, grad, data_format)
    axes = _axes(spatial, w.shape[:2], strides, padding, explicit_paddings, data_format, dilations)
    return _back(xp, _forms(xp).backprop_input(w, grad, axes), data_format)


def kernel_conv2d_backprop_filter(
    xp: Any,
    x: Any,
    filter_sizes: np.ndarray,
    grad: Any,
    *,
    strides: list[int],
    padding: str,
    explicit_paddings: list[int],
    data_format: str,
    dilations: list[int],
) -> Any:
    x, grad = _last(xp, x, data_format), _last(xp, grad, data_format)
    windows = [int(size) for size in filter_sizes[:2]]
    axes = _axes(x.shape[1:3], windows, strides, padding, explicit_paddings, data_format, dilations)
    return _forms(xp).backprop_filter(x, grad, axes)


def shape_conv2d(c: ShapeContext) -> Any:
    x, w = c.with_rank("input", 4), c.with_rank("filter", 4)
    dims = _spatial(c.attr("data_format"))
    channel = 3 if c.attr("data_format") == "NHWC" else 1
    depth, filter_depth = x[channel], w[2]
    if depth is not None and filter_depth is not None and depth % max(filter_depth, 1):
        c.fail(
            f"Depth of input ({depth}) is not a multiple of input depth of filter ({filter_depth})"
        )
    result = list(x)
    result[channel] = w[3]
    pads = c.attr("explicit_paddings")
    for i, d in enumerate(dims):
        own = pads[2 * d : 2 * d + 2] if pads else (0, 0)
        result[d] = window_count(
            c, x[d], w[i], c.attr("strides")[d], c.attr("padding"), c.attr("dilations")[d], own
        )
    return tuple(result)


def window_count(
    c: ShapeContext,
    size: int | None,
    window: int | None,
    stride: int,
    padding: str,
    dilation: int = 1,
    pads: Sequence[int] = (0, 0),
) -> int | None:
    """The number of windows along an axis as far as it is known; fails if none fits."""
    if size is None or (window is None and padding != "SAME"):
        return None
    out = output_size(size, window or 1, stride, padding, dilation, pads)
    if out < 0 or (out == 0 and size > 0):
        span = ((window or 1) - 1) * dilation + 1
        c.fail(
            f"Negative dimension size caused by subtracting {span} from {size + sum(pads)}",
            "the window is larger than the (padded) input.",
        )
    return out


def shape_backprop_input(c: ShapeContext) -> Any:
    sizes = c.value_as_shape("input_sizes")
    if sizes is not None and len(sizes) == 4:
        return sizes
    return (None,) * 4


def shape_backprop_filter(c: ShapeContext) -> Any:
    sizes = c.value_as_shape("filter_sizes")
    return (None,) * 4 if sizes is None else sizes


def _attrs_of(op: Operation) -> dict[str, Any]:
    names = ("strides", "padding", "explicit_paddings", "data_format", "dilations")
    return {
        **{name: op._attrs[name] for name in names},
        "use_cudnn_on_gpu": op._attrs["use_cudnn_on_gpu"],
    }


def gradient_conv2d(op: Operation, grad: Tensor) -> Any:
    x, w = op.inputs
    x_shape, w_shape = build.ShapeN([x, w])
    attrs = _attrs_of(op)
    return (
        build.Conv2DBackpropInput(x_shape, w, grad, **attrs),
        build.Conv2DBackpropFilter(x, w_shape, grad, **attrs),
    )


def gradient_backprop_input(op: Operation, grad: Tensor) -> Any:
    _, w, g = op.inputs
    attrs = _attrs_of(op)
    w_shape = build.Shape(w)
    return (
        None,
        build.Conv2DBackpropFilter(grad, w_shape, g, **attrs),
        build.Conv2D(grad, w, **attrs),
    )


def gradient_backprop_filter(op: Operation, grad: Tensor) -> Any:
    x, _, g = op.inputs
    attrs = _attrs_of(op)
    x_shape = build.Shape(x)
    return (
        build.Conv2DBackpropInput(x_shape, grad, g, **attrs),
        None,
        build.Conv2D(x, grad, **attrs),
    )


def reference_conv2d(
    x: np.ndarray,
    w: np.ndarray,
    *,
    strides: list[int],
    padding: str,
    explicit_paddings: list[int],
    data_format: str,
    dilations: list[int],
) -> np.ndarray:
    x = x if data_format == "NHWC" else x.transpose(0, 2, 3, 1)
    rows, columns = _axes(
        x.shape[1:3], w.shape[:2], strides, padding, explicit_paddings, data_format, dilations
    )
    pads = [(0, 0), (rows.low, rows.high), (columns.low, columns.high), (0, 0)]
    padded = np.pad(x, pads)
    y = np.zeros((x.shape[0], rows.out, columns.out, w.shape[3]), x.dtype)
    for i in range(rows.out):
        for j in range(columns.out):
            top, left = i * rows.stride, j * columns.stride
            patch = padded[
                :,
                top : top + rows.span : rows.dilation,
                left : left + columns.span : columns.dilation,
            ]
            y[:, i, j] = np.einsum("nhwc,hwco->no", patch, w)
    return y if data_format == "NHWC" else y.transpose(0, 3, 1, 2)


def _numbers(*shape: int) -> np.ndarray:
    return np.random.RandomState(sum(shape)).normal(size=shape).astype(np.float32)


def samples_conv2d() -> Any:
    x = _numbers(2, 5, 6, 3)
    for padding in ("SAME", "VALID"):
        yield Sample(x, _numbers(3, 2, 3, 4), strides=[1, 1, 1, 1], padding=padding)
        yield Sample(x, _numbers(2, 3, 3, 2), strides=[1, 2, 3, 1], padding=padding)
    yield Sample(
        x, _numbers(2, 2, 3, 2), strides=[1, 1, 1, 1], padding="VALID", dilations=[1, 2, 2, 1]
    )
    yield Sample(
        x,
        _numbers(3, 3, 3, 2),
        strides=[1, 2, 1, 1],
        padding="EXPLICIT",
        explicit_paddings=[0, 0, 1, 2, 0, 3, 0, 0],
    )
    yield Sample(x, _numbers(1, 1, 3, 5), strides=[1, 1, 1, 1], padding="SAME")


def samples_backprop_input() -> Any:
    for padding, out in (("SAME", (3, 3)), ("VALID", (2, 2))):
        yield Sample(
            np.array([2, 5, 6, 3], np.int32),
            _numbers(3, 3, 3, 4),
            _numbers(2, *out, 4),
            strides=[1, 2, 2, 1],
            padding=padding,
        )


def samples_backprop_filter() -> Any:
    for padding, out in (("SAME", (3, 3)), ("VALID", (2, 2))):
        yield Sample(
            _numbers(2, 5, 6, 3),
            np.array([3, 3, 3, 4], np.int32),
            _numbers(2, *out, 4),
            strides=[1, 2, 2, 1],
            padding=padding,
        )


register_op(
    "Conv2D",
    inputs="input: T, filter: T",
    outputs="output: T",
    attrs=_ATTRS,
    shape=shape_conv2d,
    kernel=kernel_conv2d,
    gradient=gradient_conv2d,
    reference=reference_conv2d,
    samples=samples_conv2d,
)
register_op(
    "Conv2DBackpropInput",
    inputs="input_sizes: int32, filter: T, out_backprop: T",
    outputs="output: T",
    attrs=_ATTRS,
    shape=shape_backprop_input,
    kernel=kernel_conv2d_backprop_input,
    gradient=gradient_backprop_input,
    concrete=("input_sizes",),
    samples=samples_backprop_input,
)
register_op(
    "Conv2DBackpropFilter",
    inputs="input: T, filter_sizes: int32, out_backprop: T",
    outputs="output: T",
    attrs=_ATTRS,
    shape=shape_backprop_filter,
    kernel=kernel_conv2d_backprop_filter,
    gradient=gradient_backprop_filter,
    concrete=("filter_sizes",),
    samples=samples_backprop_filter,
)


def _four(value: Any, name: str, data_format: str) -> list[int]:
    """One number per dimension from one, two or four numbers."""
    values = list(value) if isinstance(value, (list, tuple, np.ndarray)) else [value]
    if len(values) == 1:
        values = values * 2
    if len(values) == 2:
        values = [1, *values, 1] if data_format == "NHWC" else [1, 1, *values]
    if len(values) != 4:
        raise ValueError(f"{name} should be of length 1, 2 or 4 but was {len(values)}")
    return [int(v) for v in values]


def _padding(padding: Any) -> tuple[str, list[int]]:
    if isinstance(padding, (list, tuple)):
        return "EXPLICIT", [int(v) for pair in padding for v in pair]
    return padding, []


@export("nn.conv2d")
def conv2d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
    filters: Any = None,
) -> Tensor:
    """Slides filters over images.

    Args:
        input: images, ``[N, H, W, C]`` (or ``[N, C, H, W]``), floating-point.
        filter: filters, ``[h, w, C, O]``.
        strides: the step of the window per dimension.
        padding: ``"SAME"``, ``"VALID"``, or pairs of numbers per dimension.
        use_cudnn_on_gpu: ignored.
        data_format: ``"NHWC"`` or ``"NCHW"``.
        dilations: the distance of the filter's elements per dimension.
        name: the name of the op.
        filters: newer name of `filter`.

    Returns:
        A tensor ``[N, H', W', O]``.

    Raises:
        ValueError: if shapes or arguments do not fit.
    """
    kind, pads = _padding(padding)
    data_format = data_format or "NHWC"
    return build.Conv2D(
        input,
        filter if filters is None else filters,
        strides=_four(strides, "strides", data_format),
        padding=kind,
        explicit_paddings=pads,
        use_cudnn_on_gpu=use_cudnn_on_gpu,
        data_format=data_format,
        dilations=_four(dilations, "dilations", data_format),
        name=name,
    )


@export("nn.conv2d_backprop_input")
def conv2d_backprop_input(
    input_sizes: Any,
    filter: Any = None,
    out_backprop: Any = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
    filters: Any = None,
) -> Tensor:
    """The gradient of `conv2d` with respect to its input.

    Args:
        input_sizes: the shape of the input as an int32 tensor.
        filter: the filters, ``[h, w, C, O]``.
        out_backprop: the gradient of the output.
        strides: as for `conv2d`.
        padding: as for `conv2d`.
        use_cudnn_on_gpu: ignored.
        data_format: as for `conv2d`.
        dilations: as for `conv2d`.
        name: the name of the op.
        filters: newer name of `filter`.

    Returns:
        A tensor of shape `input_sizes`.
    """
    kind, pads = _padding(padding)
    return build.Conv2DBackpropInput(
        input_sizes,
        filter if filters is None else filters,
        out_backprop,
        strides=_four(strides, "strides", data_format),
        padding=kind,
        explicit_paddings=pads,
        use_cudnn_on_gpu=use_cudnn_on_gpu,
        data_format=data_format,
        dilations=_four(dilations, "dilations", data_format),
        name=name,
    )


@export("nn.conv2d_backprop_filter")
def conv2d_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of `conv2d` with respect to its filters.

    Args:
        input: the images.
        filter_sizes: the shape of the filters as an int32 tensor.
        out_backprop: the gradient of the output.
        strides: as for `conv2d`.
        padding: as for `conv2d`.
        use_cudnn_on_gpu: ignored.
        data_format: as for `conv2d`.
        dilations: as for `conv2d`.
        name: the name of the op.

    Returns:
        A tensor of shape `filter_sizes`.
    """
    kind, pads = _padding(padding)
    return build.Conv2DBackpropFilter(
        input,
        filter_sizes,
        out_backprop,
        strides=_four(strides, "strides", data_format),
        padding=kind,
        explicit_paddings=pads,
        use_cudnn_on_gpu=use_cudnn_on_gpu,
        data_format=data_format,
        dilations=_four(dilations, "dilations", data_format),
        name=name,
    )


@export("nn.conv2d_transpose")
def conv2d_transpose(
    value: Any = None,
    filter: Any = None,
    output_shape: Any = None,
    strides: Any = None,
    padding: str = "SAME",
    data_format: str = "NHWC",
    name: str | None = None,
    input: Any = None,
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """The transpose of `conv2d`: spreads each input element over a window of the output.

    Args:
        value: a tensor ``[N, H, W, C]``.
        filter: filters, ``[h, w, O, C]``.
        output_shape: the shape of the output, numbers or an int32 tensor.
        strides: the step of the window in the output.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"NHWC"`` or ``"NCHW"``.
        name: the name of the op.
        input: newer name of `value`.
        filters: newer name of `filter`.
        dilations: the distance of the filter's elements.

    Returns:
        A tensor of shape `output_shape`.
    """
    value = value if input is None else input
    filter = filter if filters is None else filters
    with name_scope(name, "conv2d_transpose", [value, filter, output_shape]) as scope:
        data_format = data_format or "NHWC"
        return build.Conv2DBackpropInput(
            convert_to_tensor(output_shape, name="input_sizes"),
            filter,
            value,
            strides=_four(strides, "strides", data_format),
            padding=padding,
            data_format=data_format,
            dilations=_four(1 if dilations is None else dilations, "dilations", data_format),
            name=scope,
        )
