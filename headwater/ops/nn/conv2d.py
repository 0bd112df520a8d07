"""Two-dimensional convolution, its two gradients, and its transpose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from headwater.base import dtypes, errors
from headwater.base.deprecation import renamed_argument
from headwater.base.older_calls import inserted, is_no_format
from headwater.base.signatures import signature
from headwater.base.typing import Array, ArrayModule, TensorLike
from headwater.graph import (
    Sample,
    Tensor,
    build,
    convert_to_tensor,
    export,
    name_scope,
    register_op,
)
from headwater.ops.nn import convolution_host, convolution_xla
from headwater.ops.nn.convolution_gradients import ConvolutionGradients
from headwater.ops.nn.window import Axis
from headwater.ops.nn.window_arguments import (
    attr_axes,
    channels_back,
    channels_last,
    check_backprop,
    check_rank,
    checked_transpose,
    convolved_shape,
    invalid,
    numbers_by_dimension,
    shape_in,
    spatial_dims,
)

_ATTRS = (
    "T: {half, bfloat16, float, double}, strides: list(int), use_cudnn_on_gpu: bool = true, "
    "padding: {'SAME', 'VALID', 'EXPLICIT'}, explicit_paddings: list(int) = [], "
    "data_format: {'NHWC', 'NCHW'} = 'NHWC', dilations: list(int) = [1, 1, 1, 1]"
)


def _forms(xp: ArrayModule) -> ModuleType:
    """The implementation for the host or for XLA."""
    return convolution_host if xp is np else convolution_xla


def kernel_conv2d(
    xp: ArrayModule,
    x: Array,
    w: Array,
    *,
    strides: list[int],
    padding: str,
    explicit_paddings: list[int],
    data_format: str,
    dilations: list[int],
) -> Array:
    check_rank(x, 4, "input")
    check_rank(w, 4, "filter", ": ")
    x = channels_last(xp, x, data_format)
    axes = attr_axes(
        x.shape[1:3], w.shape[:2], strides, padding, data_format, dilations, explicit_paddings
    )
    return channels_back(xp, _grouped(xp, x, w, axes), data_format)


def _grouped(xp: ArrayModule, x: Array, w: Array, axes: Sequence[Axis]) -> Array:
    """The convolution; input channels beyond those of the filter form groups."""
    channels, depth = x.shape[-1], w.shape[-2]
    if channels % max(depth, 1):
        invalid(f"input depth must be evenly divisible by filter depth: {channels} vs {depth}")
    groups = channels // depth if depth else 1
    if w.shape[-1] % max(groups, 1):
        raise errors.UnimplementedError(
            None,
            None,
            "The Conv2D op currently does not support grouped convolutions on the CPU. A grouped "
            f"convolution was attempted to be run because the input depth of {channels} does not "
            f"match the filter input depth of {depth}",
            hint=f"{groups} groups do not divide the {w.shape[-1]} output channels.",
        )
    if groups == 1:
        return _forms(xp).forward(x, w, axes)
    parts = zip(xp.split(x, groups, axis=-1), xp.split(w, groups, axis=-1))
    return xp.concatenate([_forms(xp).forward(a, b, axes) for a, b in parts], axis=-1)


def kernel_conv2d_backprop_input(
    xp: ArrayModule,
    input_sizes: np.ndarray,
    w: Array,
    g: Array,
    *,
    strides: list[int],
    padding: str,
    explicit_paddings: list[int],
    data_format: str,
    dilations: list[int],
) -> Array:
    op = "Conv2DCustomBackpropInput"
    for name, array in (("filter", w), ("out_backprop", g)):
        if array.ndim != 4:
            invalid(f"{op}: {name} must be 4-dimensional")
    sizes = [int(size) for size in input_sizes]
    dims = spatial_dims(data_format)
    g = channels_last(xp, g, data_format)
    axes = attr_axes(
        [sizes[d] for d in dims],
        w.shape[:2],
        strides,
        padding,
        data_format,
        dilations,
        explicit_paddings,
    )
    check_backprop(op, sizes[0], g, w.shape[3], axes, dims)
    groups = sizes[data_format.index("C")] // max(1, w.shape[2])
    if groups <= 1:
        dx = _forms(xp).backprop_input(w, g, axes)
    else:
        pairs = zip(xp.split(w, groups, axis=-1), xp.split(g, groups, axis=-1))
        parts = [_forms(xp).backprop_input(a, b, axes) for a, b in pairs]
        dx = xp.concatenate(parts, axis=-1)
    return channels_back(xp, dx, data_format)


def kernel_conv2d_backprop_filter(
    xp: ArrayModule,
    x: Array,
    filter_sizes: np.ndarray,
    g: Array,
    *,
    strides: list[int],
    padding: str,
    explicit_paddings: list[int],
    data_format: str,
    dilations: list[int],
) -> Array:
    op = "Conv2DCustomBackpropFilter"
    for name, array in (("input", x), ("out_backprop", g)):
        if array.ndim != 4:
            invalid(f"{op}: {name} must be 4-dimensional")
    sizes = [int(size) for size in filter_sizes]
    x, g = channels_last(xp, x, data_format), channels_last(xp, g, data_format)
    axes = attr_axes(
        x.shape[1:3], sizes[:2], strides, padding, data_format, dilations, explicit_paddings
    )
    check_backprop(op, x.shape[0], g, sizes[3], axes, spatial_dims(data_format))
    groups = x.shape[-1] // max(1, sizes[2])
    if groups <= 1:
        return _forms(xp).backprop_filter(x, g, axes)
    pairs = zip(xp.split(x, groups, axis=-1), xp.split(g, groups, axis=-1))
    return xp.concatenate([_forms(xp).backprop_filter(a, b, axes) for a, b in pairs], axis=-1)


_GRADIENTS = ConvolutionGradients(
    "Conv2D",
    "Conv2DBackpropInput",
    "Conv2DBackpropFilter",
    attrs=(
        "strides",
        "padding",
        "explicit_paddings",
        "data_format",
        "dilations",
        "use_cudnn_on_gpu",
    ),
    joins_shapes=True,
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
    x = channels_last(np, x, data_format)
    rows, columns = attr_axes(
        x.shape[1:3], w.shape[:2], strides, padding, data_format, dilations, explicit_paddings
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
    return channels_back(np, y, data_format)


def _numbers(*shape: int) -> np.ndarray:
    return np.random.RandomState(sum(shape)).normal(size=shape).astype(np.float32)


def samples_conv2d() -> Iterator[Sample]:
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


def samples_backprop_input() -> Iterator[Sample]:
    for padding, out in (("SAME", (3, 3)), ("VALID", (2, 2))):
        yield Sample(
            np.array([2, 5, 6, 3], np.int32),
            _numbers(3, 3, 3, 4),
            _numbers(2, *out, 4),
            strides=[1, 2, 2, 1],
            padding=padding,
        )


def samples_backprop_filter() -> Iterator[Sample]:
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
    shape=convolved_shape,
    kernel=kernel_conv2d,
    gradient=_GRADIENTS.of_forward,
    reference=reference_conv2d,
    samples=samples_conv2d,
)
register_op(
    "Conv2DBackpropInput",
    inputs="input_sizes: int32, filter: T, out_backprop: T",
    outputs="output: T",
    attrs=_ATTRS,
    shape=shape_in("input_sizes", 4),
    kernel=kernel_conv2d_backprop_input,
    gradient=_GRADIENTS.of_backprop_input,
    concrete=("input_sizes",),
    samples=samples_backprop_input,
)
register_op(
    "Conv2DBackpropFilter",
    inputs="input: T, filter_sizes: int32, out_backprop: T",
    outputs="output: T",
    attrs=_ATTRS,
    shape=shape_in("filter_sizes", 4),
    kernel=kernel_conv2d_backprop_filter,
    gradient=_GRADIENTS.of_backprop_filter,
    concrete=("filter_sizes",),
    samples=samples_backprop_filter,
)


def _padding(padding: Any) -> tuple[Any, list[int]]:
    """The attrs `padding` and `explicit_paddings`."""
    if padding is None:
        raise TypeError("Expected string for argument 'padding' not None.")
    if not isinstance(padding, (list, tuple)):
        return padding, []
    if len(padding) != 4:
        raise ValueError(
            f"When padding is a list, it must be of size 4. Got padding of size: {len(padding)}"
        )
    return "EXPLICIT", [int(v) for pair in padding for v in pair]


@export("nn.conv2d")
def conv2d(
    input: TensorLike,
    filter: TensorLike | None = None,
    strides: int | Sequence[int] | None = None,
    padding: TensorLike | None = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: int | Sequence[int] = [1, 1, 1, 1],
    name: str | None = None,
    filters: TensorLike | None = None,
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

    Example:
        >>> image = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
        >>> sums = tf.nn.conv2d(image, tf.ones([2, 2, 1, 1]), strides=[1, 1, 1, 1], padding="VALID")
        >>> print(sums.eval()[0, :, :, 0])
        [[ 8. 12.]
         [20. 24.]]
    """
    kind, pads = _padding(padding)
    data_format = data_format or "NHWC"
    return build.Conv2D(
        input,
        renamed_argument("filters", filters, "filter", filter),
        strides=numbers_by_dimension(strides, "strides", data_format),
        padding=kind,
        explicit_paddings=pads,
        use_cudnn_on_gpu=use_cudnn_on_gpu,
        data_format=data_format,
        dilations=numbers_by_dimension(dilations, "dilations", data_format),
        name=name,
    )


@export("nn.conv2d_backprop_input")
def conv2d_backprop_input(
    input_sizes: TensorLike,
    filter: TensorLike | None = None,
    out_backprop: TensorLike | None = None,
    strides: int | Sequence[int] | None = None,
    padding: str | None = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: int | Sequence[int] = [1, 1, 1, 1],
    name: str | None = None,
    filters: TensorLike | None = None,
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
        renamed_argument("filters", filters, "filter", filter),
        out_backprop,
        strides=numbers_by_dimension(strides, "strides", data_format),
        padding=kind,
        explicit_paddings=pads,
        use_cudnn_on_gpu=use_cudnn_on_gpu,
        data_format=data_format,
        dilations=numbers_by_dimension(dilations, "dilations", data_format),
        name=name,
    )


@export("nn.conv2d_backprop_filter")
@signature(
    "input, filter_sizes, out_backprop, strides, padding, use_cudnn_on_gpu=True, "
    "data_format='NHWC', dilations=[1, 1, 1, 1], name=None"
)
def conv2d_backprop_filter(
    input: TensorLike,
    filter_sizes: TensorLike,
    out_backprop: TensorLike,
    strides: int | Sequence[int] | None = None,
    padding: str | None = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: int | Sequence[int] = [1, 1, 1, 1],
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
        strides=numbers_by_dimension(strides, "strides", data_format),
        padding=kind,
        explicit_paddings=pads,
        use_cudnn_on_gpu=use_cudnn_on_gpu,
        data_format=data_format,
        dilations=numbers_by_dimension(dilations, "dilations", data_format),
        name=name,
    )


@export("nn.conv2d_transpose")
@inserted(5, "NHWC", older=is_no_format)
def conv2d_transpose(
    value: TensorLike | None = None,
    filter: TensorLike | None = None,
    output_shape: TensorLike | None = None,
    strides: int | Sequence[int] | None = None,
    padding: str = "SAME",
    data_format: str = "NHWC",
    name: str | None = None,
    input: TensorLike | None = None,
    filters: TensorLike | None = None,
    dilations: int | Sequence[int] | None = None,
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

    Raises:
        ValueError: if shapes or arguments do not fit.
    """
    value = renamed_argument("input", input, "value", value)
    filter = renamed_argument("filters", filters, "filter", filter)
    with name_scope(name, "conv2d_transpose", [value, filter, output_shape]) as scope:
        data_format = data_format or "NHWC"
        result = build.Conv2DBackpropInput(
            convert_to_tensor(output_shape, preferred_dtype=dtypes.int32, name="input_sizes"),
            filter,
            value,
            strides=numbers_by_dimension(strides, "strides", data_format),
            padding=padding,
            data_format=data_format,
            dilations=numbers_by_dimension(
                1 if dilations is None else dilations, "dilations", data_format
            ),
            name=scope,
        )
        return checked_transpose(result, data_format)
