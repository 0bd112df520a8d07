"""Convolutions along one to three dimensions, dilated and separable ones included."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base.deprecation import renamed_argument
from headwater.base.older_calls import inserted
from headwater.base.signatures import signature
from headwater.base.typing import ShapeLike, TensorLike
from headwater.graph import (
    Tensor,
    build,
    convert_to_tensor,
    export,
    name_scope,
    shape_tensor,
)
from headwater.model.nn.dilated_windows import with_space_to_batch
from headwater.ops.array.reshape import expand_dims, squeeze
from headwater.ops.nn.conv2d import conv2d, conv2d_transpose
from headwater.ops.nn.conv3d import conv3d, conv3d_transpose
from headwater.ops.nn.depthwise_conv2d import depthwise_conv2d_native


def _channels_first(data_format: str | None) -> bool:
    return data_format is not None and data_format.startswith("NC")


def _full(values: Sequence[int], data_format: str | None) -> list[int]:
    """Numbers for all dimensions from those of the spatial ones."""
    values = list(values)
    return [1, 1, *values] if _channels_first(data_format) else [1, *values, 1]


@export("nn.convolution")
@signature(
    "input, filter, padding, strides=None, dilation_rate=None, name=None, data_format=None, "
    "filters=None, dilations=None"
)
def convolution(
    input: TensorLike,
    filter: TensorLike | None = None,
    padding: Any = None,
    strides: TensorLike = None,
    dilation_rate: TensorLike = None,
    name: str | None = None,
    data_format: str | None = None,
    filters: TensorLike | None = None,
    dilations: int | Sequence[int] | None = None,
) -> Tensor:
    """Slides filters over one to three spatial dimensions.

    Args:
        input: a tensor ``[N, spatial..., C]``, floating-point.
        filter: filters, ``[window..., C, O]``.
        padding: ``"SAME"`` or ``"VALID"``.
        strides: the step of the window per spatial dimension.
        dilation_rate: the distance of the filter's elements per spatial dimension.
        name: the name of the ops.
        data_format: a layout; one that begins with ``NC`` has the channels first.
        filters: newer name of `filter`.
        dilations: newer name of `dilation_rate`.

    Returns:
        A tensor ``[N, spatial'..., O]``.

    Raises:
        ValueError: if an argument is not allowed, or both strides and rates are above one.
    """
    filter = renamed_argument("filters", filters, "filter", filter)
    rate = renamed_argument("dilations", dilations, "dilation_rate", dilation_rate)
    with name_scope(name, "convolution", [input, filter]) as scope:
        x = convert_to_tensor(input, name="input")
        w = convert_to_tensor(filter, name="filter")
        shape = w._shape if x._shape is None else x._shape
        if shape is None:
            raise ValueError("Cannot estimate broadcast rank: rank of input must be known")
        count = len(shape) - 2
        if count not in (1, 2, 3):
            raise ValueError(
                "num_spatial_dims (input.get_shape().ndims - 2) must be one of 1, 2 or 3 but saw "
                f"{count}"
            )
        steps = _per_dimension(strides, count)
        gaps = rate if isinstance(rate, Tensor) else _per_dimension(rate, count)

        def dense(x: Tensor, count: int, padding: str) -> Tensor:
            return _dense(x, w, padding, steps, data_format, scope)

        if not isinstance(gaps, Tensor) and all(r == 1 for r in gaps):
            return dense(x, count, padding)
        if any(s > 1 for s in steps):
            raise ValueError("strides > 1 not supported in conjunction with dilation_rate > 1")
        static = w._shape is not None and None not in w._shape
        window = list(w._shape) if static else shape_tensor(w)  # type: ignore[arg-type]
        return with_space_to_batch(x, gaps, padding, dense, window, data_format=data_format)


def _per_dimension(value: TensorLike | None, count: int) -> list[int]:
    """One number per spatial dimension; a single one stands for all, None for ones."""
    if value is None:
        return [1] * count
    values = [int(v) for v in value] if hasattr(value, "__len__") else [int(value)]
    return values * count if len(values) == 1 else values


def _dense(
    x: Tensor, w: Tensor, padding: str, strides: list[int], data_format: str | None, scope: str
) -> Tensor:
    if len(strides) == 1:
        return conv1d(x, w, strides[0], padding, data_format=data_format, name=scope)
    form = {True: {2: "NCHW", 3: "NCDHW"}, False: {2: "NHWC", 3: "NDHWC"}}
    layout = form[_channels_first(data_format)][len(strides)]
    op = conv2d if len(strides) == 2 else conv3d
    return op(x, w, _full(strides, layout), padding, data_format=layout, name=scope)


@export("nn.conv1d")
def conv1d(
    value: TensorLike | None = None,
    filters: TensorLike | None = None,
    stride: int | Sequence[int] | None = None,
    padding: str | None = None,
    use_cudnn_on_gpu: bool | None = None,
    data_format: str | None = None,
    name: str | None = None,
    input: TensorLike | None = None,
    dilations: int | Sequence[int] | None = None,
) -> Tensor:
    """Slides filters over sequences.

    Args:
        value: sequences, ``[N, W, C]`` (or ``[N, C, W]``), floating-point.
        filters: filters, ``[w, C, O]``.
        stride: the step of the window.
        padding: ``"SAME"`` or ``"VALID"``.
        use_cudnn_on_gpu: ignored.
        data_format: ``"NWC"`` or ``"NCW"`` (also ``"NHWC"`` and ``"NCHW"``).
        name: the name of the ops.
        input: newer name of `value`.
        dilations: the distance of the filter's elements.

    Returns:
        A tensor ``[N, W', O]``.

    Raises:
        ValueError: if shapes or arguments do not fit.
    """
    value = renamed_argument("input", input, "value", value)
    with name_scope(name, "conv1d", [value, filters]) as scope:
        layout = _flat_layout(data_format)
        axis = 2 if _channels_first(layout) else 1
        x = expand_dims(value, axis)
        w = expand_dims(filters, 0)
        y = conv2d(
            x,
            w,
            _along_one(stride, layout),
            padding,
            data_format=layout,
            dilations=_along_one(1 if dilations is None else dilations, layout),
            name=scope,
        )
        return squeeze(y, [axis])


def _flat_layout(data_format: str | None) -> str:
    if data_format is None or data_format in ("NHWC", "NWC"):
        return "NHWC"
    if data_format in ("NCHW", "NCW"):
        return "NCHW"
    raise ValueError('data_format must be "NWC" or "NCW".')


def _along_one(value: TensorLike, layout: str) -> list[int]:
    """Numbers for four dimensions from the one (or three) of a sequence."""
    values = list(value) if hasattr(value, "__len__") else [value]
    if len(values) == 3:
        values = [values[2 if _channels_first(layout) else 1]]
    return _full([1, *values], layout)


@export("nn.conv1d_transpose")
def conv1d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike,
    strides: int | Sequence[int],
    padding: str = "SAME",
    data_format: str = "NWC",
    dilations: int | Sequence[int] | None = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of `conv1d`: spreads each input element over a window of the output.

    Args:
        input: a tensor ``[N, W, C]``.
        filters: filters, ``[w, O, C]``.
        output_shape: the shape of the output, three numbers or an integer tensor.
        strides: the step of the window in the output.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"NWC"`` or ``"NCW"``.
        dilations: the distance of the filter's elements.
        name: the name of the ops.

    Returns:
        A tensor of shape `output_shape`.
    """
    with name_scope(name, "conv1d_transpose", [input, filters, output_shape]) as scope:
        layout = _flat_layout(data_format)
        axis = 2 if _channels_first(layout) else 1
        x = expand_dims(input, axis)
        w = expand_dims(filters, 0)
        shape = list(output_shape) if isinstance(output_shape, (tuple, list)) else output_shape
        whole = build.ConcatV2([shape[:axis], [1], shape[axis:]], 0, name="concat")
        y = conv2d_transpose(
            x,
            w,
            whole,
            _along_one(strides, layout),
            padding,
            layout,
            name=scope,
            dilations=_along_one(1 if dilations is None else dilations, layout),
        )
        return squeeze(y, [axis])


@export("nn.conv_transpose")
def conv_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike,
    strides: int | Sequence[int],
    padding: str = "SAME",
    data_format: str | None = None,
    dilations: int | Sequence[int] | None = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of `convolution` along one to three spatial dimensions.

    Args:
        input: a tensor ``[N, spatial..., C]``.
        filters: filters, ``[window..., O, C]``.
        output_shape: the shape of the output, numbers or an integer tensor.
        strides: the step of the window in the output.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: a layout; one that begins with ``NC`` has the channels first.
        dilations: the distance of the filter's elements.
        name: the name of the ops.

    Returns:
        A tensor of shape `output_shape`.

    Raises:
        ValueError: if there are not one to three spatial dimensions.
    """
    with name_scope(name, "conv_transpose", [input, filters, output_shape]) as scope:
        if isinstance(output_shape, Tensor):
            rank = (output_shape._shape or (None,))[0]
        else:
            rank = len(output_shape)
        forms: dict[Any, tuple[Any, str, str]] = {
            3: (conv1d_transpose, "NWC", "NCW"),
            4: (conv2d_transpose, "NHWC", "NCHW"),
            5: (conv3d_transpose, "NDHWC", "NCDHW"),
        }
        if rank not in forms:
            raise ValueError(f"output_shape must be of length 3, 4 or 5, but was of length {rank}.")
        op, last, first = forms[rank]
        layout = first if _channels_first(data_format) else last
        return op(
            input,
            filters,
            output_shape,
            strides,
            padding=padding,
            data_format=layout,
            dilations=dilations,
            name=scope,
        )


@export("nn.atrous_conv2d")
def atrous_conv2d(
    value: TensorLike, filters: TensorLike, rate: int, padding: str, name: str | None = None
) -> Tensor:
    """Dilated convolution of images: the elements of filters are `rate` apart.

    Args:
        value: images, ``[N, H, W, C]``, floating-point.
        filters: filters, ``[h, w, C, O]``.
        rate: the distance of the filter's elements.
        padding: ``"SAME"`` or ``"VALID"``.
        name: the name of the ops.

    Returns:
        A tensor ``[N, H', W', O]``.
    """
    return convolution(value, filters, padding, dilation_rate=[rate, rate], name=name)


@export("nn.atrous_conv2d_transpose")
def atrous_conv2d_transpose(
    value: TensorLike,
    filters: TensorLike,
    output_shape: TensorLike,
    rate: int,
    padding: str,
    name: str | None = None,
) -> Tensor:
    """The transpose of `atrous_conv2d`.

    Args:
        value: a tensor ``[N, H, W, C]``.
        filters: filters, ``[h, w, O, C]``.
        output_shape: the shape of the output.
        rate: the distance of the filter's elements.
        padding: ``"SAME"`` or ``"VALID"``.
        name: the name of the ops.

    Returns:
        A tensor of shape `output_shape`.

    Raises:
        ValueError: if shapes or arguments do not fit.
    """
    with name_scope(name, "atrous_conv2d_transpose", [value, filters, output_shape]) as scope:
        x = convert_to_tensor(value, name="value")
        w = convert_to_tensor(filters, name="filters")
        if rate < 1:
            raise ValueError(f"rate {rate} cannot be less than one")
        return conv2d_transpose(
            x, w, output_shape, [1, 1, 1, 1], padding, dilations=[1, rate, rate, 1], name=scope
        )


@export("nn.depthwise_conv2d")
@inserted(4, None)
def depthwise_conv2d(
    input: TensorLike,
    filter: TensorLike,
    strides: int | Sequence[int],
    padding: str,
    rate: TensorLike | None = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: int | Sequence[int] | None = None,
) -> Tensor:
    """Depthwise convolution of images, dilated if `rate` is above one.

    Args:
        input: images, ``[N, H, W, C]``, floating-point.
        filter: filters, ``[h, w, C, M]``.
        strides: the step of the window per dimension.
        padding: ``"SAME"`` or ``"VALID"``.
        rate: two numbers, the distance of the filter's elements.
        name: the name of the ops.
        data_format: ``"NHWC"`` or ``"NCHW"``.
        dilations: newer name of `rate`.

    Returns:
        A tensor ``[N, H', W', C * M]``; the M results of one channel stand together.
    """
    rate = renamed_argument("dilations", dilations, "rate", rate)
    with name_scope(name, "depthwise", [input, filter]) as scope:
        x = convert_to_tensor(input, name="tensor_in")
        w = convert_to_tensor(filter, name="filter_in")
        return _depthwise(x, w, strides, padding, rate, data_format, scope)


def _depthwise(
    x: Tensor,
    w: Tensor,
    strides: Any,
    padding: str,
    rate: Sequence[int] | None,
    data_format: Any,
    name: str,
) -> Tensor:
    def dense(x: Tensor, count: int, padding: str) -> Tensor:
        return depthwise_conv2d_native(
            x, w, strides, padding, data_format=data_format or "NHWC", name=name
        )

    gaps = [1, 1] if rate is None else rate
    return with_space_to_batch(x, gaps, padding, dense, shape_tensor(w), data_format=data_format)


@export("nn.separable_conv2d")
@inserted(5, None)
def separable_conv2d(
    input: TensorLike,
    depthwise_filter: TensorLike,
    pointwise_filter: TensorLike,
    strides: int | Sequence[int],
    padding: str,
    rate: TensorLike | None = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: int | Sequence[int] | None = None,
) -> Tensor:
    """Filters each channel by itself, then mixes the channels.

    Args:
        input: images, ``[N, H, W, C]``, floating-point.
        depthwise_filter: filters of the channels, ``[h, w, C, M]``.
        pointwise_filter: the mixture, ``[1, 1, C * M, O]``.
        strides: the step of the window per dimension.
        padding: ``"SAME"`` or ``"VALID"``.
        rate: two numbers, the distance of the filter's elements.
        name: the name of the ops.
        data_format: ``"NHWC"`` or ``"NCHW"``.
        dilations: newer name of `rate`.

    Returns:
        A tensor ``[N, H', W', O]``.

    Raises:
        ValueError: if shapes or arguments do not fit.
    """
    rate = renamed_argument("dilations", dilations, "rate", rate)
    with name_scope(name, "separable_conv2d", [input, depthwise_filter, pointwise_filter]) as scope:
        x = convert_to_tensor(input, name="tensor_in")
        w = convert_to_tensor(depthwise_filter, name="depthwise_filter")
        mixture = convert_to_tensor(pointwise_filter, name="pointwise_filter")
        mixture.get_shape().with_rank(4)[0].merge_with(1)
        mixture.get_shape().with_rank(4)[1].merge_with(1)
        y = _depthwise(x, w, strides, padding, rate, data_format, "depthwise")
        return conv2d(
            y, mixture, [1, 1, 1, 1], "VALID", data_format=data_format or "NHWC", name=scope
        )
