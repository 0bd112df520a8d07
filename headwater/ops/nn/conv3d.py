"""Three-dimensional convolution, its two gradients, and its transpose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import ModuleType

import numpy as np

from headwater.base import dtypes
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
    shapes,
)
from headwater.ops.nn import convolution_host, convolution_xla
from headwater.ops.nn.convolution_gradients import ConvolutionGradients
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

_TYPES = "T: {half, bfloat16, float, double}"
_WINDOWS = (
    "strides: list(int) >= 5, padding: {'SAME', 'VALID'}, "
    "data_format: {'NDHWC', 'NCDHW'} = 'NDHWC', dilations: list(int) = [1, 1, 1, 1, 1]"
)
_OLD_ATTRS = (
    "T: {half, float, double}, strides: list(int) >= 5, padding: {'SAME', 'VALID'}, "
    "dilations: list(int) = [1, 1, 1, 1, 1]"
)


def _forms(xp: ArrayModule) -> ModuleType:
    """The implementation for the host or for XLA."""
    return convolution_host if xp is np else convolution_xla


def kernel_conv3d(
    xp: ArrayModule,
    x: Array,
    w: Array,
    *,
    strides: list[int],
    padding: str,
    data_format: str,
    dilations: list[int],
) -> Array:
    check_rank(x, 5, "input")
    check_rank(w, 5, "filter", ": ")
    x = channels_last(xp, x, data_format)
    if x.shape[-1] != w.shape[-2]:
        invalid(
            f"Input depth must be evenly divisible by filter depth: {x.shape[-1]} vs {w.shape[-2]}"
        )
    axes = attr_axes(x.shape[1:4], w.shape[:3], strides, padding, data_format, dilations)
    return channels_back(xp, _forms(xp).forward(x, w, axes), data_format)


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
    return _backprop_input(xp, sizes, w, g, strides, padding, data_format, dilations)


def kernel_backprop_input_like(
    xp: ArrayModule,
    x: Array,
    w: Array,
    g: Array,
    *,
    strides: list[int],
    padding: str,
    dilations: list[int],
) -> Array:
    return _backprop_input(xp, list(x.shape), w, g, strides, padding, "NDHWC", dilations)


def _backprop_input(
    xp: ArrayModule,
    sizes: list[int],
    w: Array,
    g: Array,
    strides: list[int],
    padding: str,
    data_format: str,
    dilations: list[int],
) -> Array:
    op = "Conv3DBackpropInputOp"
    dims = spatial_dims(data_format)
    g = channels_last(xp, g, data_format)
    spatial = [sizes[d] for d in dims]
    axes = attr_axes(spatial, w.shape[:3], strides, padding, data_format, dilations)
    check_backprop(op, sizes[0], g, w.shape[4], axes, dims)
    return channels_back(xp, _forms(xp).backprop_input(w, g, axes), data_format)


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
    return _backprop_filter(xp, x, sizes, g, strides, padding, data_format, dilations)


def kernel_backprop_filter_like(
    xp: ArrayModule,
    x: Array,
    w: Array,
    g: Array,
    *,
    strides: list[int],
    padding: str,
    dilations: list[int],
) -> Array:
    return _backprop_filter(xp, x, list(w.shape), g, strides, padding, "NDHWC", dilations)


def _backprop_filter(
    xp: ArrayModule,
    x: Array,
    sizes: list[int],
    g: Array,
    strides: list[int],
    padding: str,
    data_format: str,
    dilations: list[int],
) -> Array:
    op = "Conv3DBackpropFilterOp"
    x, g = channels_last(xp, x, data_format), channels_last(xp, g, data_format)
    axes = attr_axes(x.shape[1:4], sizes[:3], strides, padding, data_format, dilations)
    check_backprop(op, x.shape[0], g, sizes[4], axes, spatial_dims(data_format))
    return _forms(xp).backprop_filter(x, g, axes)


_GRADIENTS = ConvolutionGradients(
    "Conv3D",
    "Conv3DBackpropInputV2",
    "Conv3DBackpropFilterV2",
)


def reference_conv3d(
    x: np.ndarray,
    w: np.ndarray,
    *,
    strides: list[int],
    padding: str,
    data_format: str,
    dilations: list[int],
) -> np.ndarray:
    x = channels_last(np, x, data_format)
    axes = attr_axes(x.shape[1:4], w.shape[:3], strides, padding, data_format, dilations)
    padded = np.pad(x, [(0, 0), *((a.low, a.high) for a in axes), (0, 0)])
    y = np.zeros((x.shape[0], *(a.out for a in axes), w.shape[4]), x.dtype)
    for place in np.ndindex(*y.shape[1:4]):
        starts = [p * a.stride for p, a in zip(place, axes)]
        window = [slice(s, s + a.span, a.dilation) for s, a in zip(starts, axes)]
        patch = padded[(slice(None), *window)]
        y[(slice(None), *place)] = np.einsum("ndhwc,dhwco->no", patch, w)
    return channels_back(np, y, data_format)


def _numbers(*shape: int) -> np.ndarray:
    return np.random.RandomState(sum(shape)).normal(size=shape).astype(np.float32)


def samples_conv3d() -> Iterator[Sample]:
    x = _numbers(2, 3, 4, 3, 2)
    for padding in ("SAME", "VALID"):
        yield Sample(x, _numbers(2, 3, 1, 2, 2), strides=[1, 1, 1, 1, 1], padding=padding)
        yield Sample(x, _numbers(2, 2, 2, 2, 1), strides=[1, 2, 1, 2, 1], padding=padding)
    yield Sample(
        x,
        _numbers(2, 2, 1, 2, 1),
        strides=[1, 1, 1, 1, 1],
        padding="VALID",
        dilations=[1, 2, 3, 1, 1],
    )
    yield Sample(
        x.transpose(0, 4, 1, 2, 3),
        _numbers(2, 2, 1, 2, 1),
        strides=[1, 1, 1, 1, 1],
        padding="SAME",
        data_format="NCDHW",
    )


def samples_backprop_input() -> Iterator[Sample]:
    yield Sample(
        np.array([2, 3, 4, 3, 2], np.int32),
        _numbers(2, 3, 2, 2, 3),
        _numbers(2, 2, 4, 2, 3),
        strides=[1, 2, 1, 2, 1],
        padding="SAME",
    )


def samples_backprop_filter() -> Iterator[Sample]:
    yield Sample(
        _numbers(2, 3, 4, 3, 2),
        np.array([2, 3, 2, 2, 3], np.int32),
        _numbers(2, 2, 4, 2, 3),
        strides=[1, 2, 1, 2, 1],
        padding="SAME",
    )


def samples_backprop_like() -> Iterator[Sample]:
    yield Sample(
        _numbers(2, 3, 4, 3, 2),
        _numbers(2, 3, 2, 2, 3),
        _numbers(2, 2, 4, 2, 3),
        strides=[1, 2, 1, 2, 1],
        padding="SAME",
        gradient=(),
    )


register_op(
    "Conv3D",
    inputs="input: T, filter: T",
    outputs="output: T",
    attrs=f"{_TYPES}, {_WINDOWS}",
    shape=convolved_shape,
    kernel=kernel_conv3d,
    gradient=_GRADIENTS.of_forward,
    reference=reference_conv3d,
    samples=samples_conv3d,
)
register_op(
    "Conv3DBackpropInputV2",
    inputs="input_sizes: Tshape, filter: T, out_backprop: T",
    outputs="output: T",
    attrs=f"{_TYPES}, {_WINDOWS}, Tshape: {{int32, int64}} = DT_INT32",
    shape=shape_in("input_sizes", 5),
    kernel=kernel_backprop_input,
    gradient=_GRADIENTS.of_backprop_input,
    concrete=("input_sizes",),
    samples=samples_backprop_input,
)
register_op(
    "Conv3DBackpropFilterV2",
    inputs="input: T, filter_sizes: int32, out_backprop: T",
    outputs="output: T",
    attrs=f"{_TYPES}, {_WINDOWS}",
    shape=shape_in("filter_sizes", 5),
    kernel=kernel_backprop_filter,
    gradient=_GRADIENTS.of_backprop_filter,
    concrete=("filter_sizes",),
    samples=samples_backprop_filter,
)
register_op(
    "Conv3DBackpropInput",
    inputs="input: T, filter: T, out_backprop: T",
    outputs="output: T",
    attrs=_OLD_ATTRS,
    shape=shapes.like_first,
    kernel=kernel_backprop_input_like,
    samples=samples_backprop_like,
)
register_op(
    "Conv3DBackpropFilter",
    inputs="input: T, filter: T, out_backprop: T",
    outputs="output: T",
    attrs=_OLD_ATTRS,
    shape=lambda c: c.shape("filter"),
    kernel=kernel_backprop_filter_like,
    samples=samples_backprop_like,
)


@export("nn.conv3d")
@inserted(4, "NDHWC", (1, 1, 1, 1, 1), older=is_no_format)
def conv3d(
    input: TensorLike,
    filter: TensorLike | None = None,
    strides: TensorLike = None,
    padding: str | None = None,
    data_format: str = "NDHWC",
    dilations: Sequence[int] = [1, 1, 1, 1, 1],
    name: str | None = None,
    filters: TensorLike | None = None,
) -> Tensor:
    """Slides filters over volumes.

    Args:
        input: volumes, ``[N, D, H, W, C]`` (or ``[N, C, D, H, W]``), floating-point.
        filter: filters, ``[d, h, w, C, O]``.
        strides: the step of the window per dimension, five numbers.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"NDHWC"`` or ``"NCDHW"``.
        dilations: the distance of the filter's elements per dimension.
        name: the name of the op.
        filters: newer name of `filter`.

    Returns:
        A tensor ``[N, D', H', W', O]``.

    Raises:
        ValueError: if shapes or arguments do not fit.
    """
    return build.Conv3D(
        input,
        renamed_argument("filters", filters, "filter", filter),
        strides=list(strides),
        padding=padding,
        data_format=data_format or "NDHWC",
        dilations=list(dilations),
        name=name,
    )


@export("nn.conv3d_backprop_filter", "nn.conv3d_backprop_filter_v2")
def conv3d_backprop_filter_v2(
    input: TensorLike,
    filter_sizes: TensorLike,
    out_backprop: TensorLike,
    strides: Sequence[int],
    padding: str,
    data_format: str = "NDHWC",
    dilations: Sequence[int] = [1, 1, 1, 1, 1],
    name: str | None = None,
) -> Tensor:
    """The gradient of `conv3d` with respect to its filters.

    Args:
        input: the volumes.
        filter_sizes: the shape of the filters as an int32 tensor.
        out_backprop: the gradient of the output.
        strides: as for `conv3d`.
        padding: as for `conv3d`.
        data_format: as for `conv3d`.
        dilations: as for `conv3d`.
        name: the name of the op.

    Returns:
        A tensor of shape `filter_sizes`.
    """
    return build.Conv3DBackpropFilterV2(
        input,
        filter_sizes,
        out_backprop,
        strides=list(strides),
        padding=padding,
        data_format=data_format,
        dilations=list(dilations),
        name=name,
    )


@export("nn.conv3d_transpose")
@signature(
    "value, filter=None, output_shape=None, strides=None, padding='SAME', data_format='NDHWC', "
    "name=None, input=None, filters=None, dilations=None"
)
@inserted(5, "NDHWC", older=is_no_format)
def conv3d_transpose(
    value: TensorLike | None = None,
    filter: TensorLike | None = None,
    output_shape: TensorLike | None = None,
    strides: int | Sequence[int] | None = None,
    padding: str = "SAME",
    data_format: str = "NDHWC",
    name: str | None = None,
    input: TensorLike | None = None,
    filters: TensorLike | None = None,
    dilations: int | Sequence[int] | None = None,
) -> Tensor:
    """The transpose of `conv3d`: spreads each input element over a window of the output.

    Args:
        value: a tensor ``[N, D, H, W, C]``.
        filter: filters, ``[d, h, w, O, C]``.
        output_shape: the shape of the output, numbers or an integer tensor.
        strides: the step of the window in the output.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"NDHWC"`` or ``"NCDHW"``.
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
    with name_scope(name, "conv3d_transpose", [value, filter, output_shape]) as scope:
        result = build.Conv3DBackpropInputV2(
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
