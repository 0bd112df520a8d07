"""Shared by ops with sliding windows: layouts, attrs, static shapes and checks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from headwater.base import errors
from headwater.base.typing import Array, ArrayModule, Shape, ShapeFn, TensorLike
from headwater.graph import ShapeContext, Tensor, constant_value
from headwater.ops.nn.window import Axis, output_size, window_axes


def spatial_dims(data_format: str) -> tuple[int, ...]:
    """The spatial dimensions of a layout such as ``NHWC`` or ``NCDHW``."""
    return tuple(i for i, letter in enumerate(data_format) if letter not in "NC")


def channel_dim(data_format: str) -> int:
    return data_format.index("C")


def channels_last(xp: ArrayModule, x: Array, data_format: str) -> Array:
    """The array with its channels moved to the end."""
    if data_format.endswith("C"):
        return x
    return xp.transpose(x, (0, *range(2, x.ndim), 1))


def channels_back(xp: ArrayModule, x: Array, data_format: str) -> Array:
    """The inverse of `channels_last`."""
    if data_format.endswith("C"):
        return x
    return xp.transpose(x, (0, x.ndim - 1, *range(1, x.ndim - 1)))


def numbers_by_dimension(
    value: TensorLike, name: str, data_format: str, rank: int | None = None
) -> list[int]:
    """One number per dimension from one number, one per spatial dimension, or all of them.

    Args:
        value: the number or numbers.
        name: the argument's name, for the error.
        data_format: the layout.
        rank: the number of dimensions, if the layout may be one that the op has to refuse.

    Raises:
        ValueError: if there is another count of numbers.
    """
    rank = rank or len(data_format)
    values = list(value) if isinstance(value, (list, tuple, np.ndarray)) else [value]
    given = len(values)
    if given == 1:
        values = values * (rank - 2)
    if len(values) == rank - 2:
        values.insert(0, 1)
        values.insert(1 if data_format.startswith("NC") else rank - 1, 1)
    if len(values) != rank:
        raise ValueError(f"{name} should be of length 1, {rank - 2} or {rank} but was {given}")
    return [int(v) for v in values]


def attr_axes(
    sizes: Sequence[int],
    windows: Sequence[int],
    strides: list[int],
    padding: str,
    data_format: str,
    dilations: list[int],
    explicit_paddings: Sequence[int] = (),
) -> tuple[Axis, ...]:
    """The windows along the spatial dimensions, from the attrs of an op.

    Raises:
        InvalidArgumentError: if the windows move along other dimensions too, or do not fit.
    """
    dims = spatial_dims(data_format)
    for i in range(len(data_format)):
        if i not in dims and (strides[i] != 1 or dilations[i] != 1):
            what = "strides" if strides[i] != 1 else "dilations"
            invalid(
                f"Current implementation does not yet support {what} in the batch and depth "
                "dimensions."
            )
    pads = [explicit_paddings[2 * d : 2 * d + 2] for d in dims] if explicit_paddings else None
    axes = window_axes(
        sizes, windows, [strides[d] for d in dims], padding, [dilations[d] for d in dims], pads
    )
    for d, a in zip(dims, axes):
        pad = pads[dims.index(d)] if pads else (0, 0)
        out = output_size(a.size, a.window, a.stride, padding, a.dilation, pad)
        if out < 0:
            invalid(
                f"Computed output size would be negative: {out} [input_size: {a.size}, "
                f"effective_filter_size: {a.span}, stride: {a.stride}]"
            )
    return axes


def invalid(text: str) -> None:
    """Raises an InvalidArgumentError."""
    raise errors.InvalidArgumentError(None, None, text)


def check_rank(x: Array, rank: int, name: str, separator: str = "") -> None:
    """Raises TensorFlow's error if an array has another rank."""
    if x.ndim != rank:
        shape = ",".join(map(str, x.shape))
        invalid(f"{name} must be {rank}-dimensional{separator}[{shape}]")


def check_backprop(
    op: str, batch: int, g: Array, outputs: int, axes: Sequence[Axis], dims: Sequence[int]
) -> None:
    """Checks a gradient of an output against the convolution that it belongs to.

    Args:
        op: the name in the error texts.
        batch: the number of images.
        g: the gradient, channels last.
        outputs: the number of output channels.
        axes: the windows.
        dims: the spatial dimensions of the layout.

    Raises:
        InvalidArgumentError: if it does not fit.
    """
    if g.shape[0] != batch:
        invalid(
            f"{op}: input and out_backprop must have the same batch sizeinput batch: {batch}"
            f"outbackprop batch: {g.shape[0]} batch_dim: 0"
        )
    if g.shape[-1] != outputs:
        invalid(f"{op}: filter and out_backprop must have the same out_depth")
    for dim, size, a in zip(dims, g.shape[1:], axes):
        if size != a.out:
            invalid(
                f"{op}: Size of out_backprop doesn't match computed: actual = {size}, computed = "
                f"{a.out} spatial_dim: {dim} input: {a.size} filter: {a.window} output: {size} "
                f"stride: {a.stride} dilation: {a.dilation}"
            )


# Static shapes


def checked_transpose(result: Tensor, data_format: str) -> Tensor:
    """The result of a transposed convolution, checked as far as its shapes are known.

    Raises:
        ValueError: if the filter does not fit the input or the shape of the output.
    """
    sizes, w, x = result.op.inputs
    rank, channel = len(data_format), channel_dim(data_format)
    known = [tensor._shape if tensor._shape is not None else (None,) * rank for tensor in (w, x)]
    if len(known[0]) != rank or len(known[1]) != rank:
        return result
    outputs, inputs = known[0][rank - 2 :]
    given, wanted = known[1][channel], constant_value(sizes)
    if None not in (given, inputs) and given != inputs:
        raise ValueError(
            f"input channels does not match filter's input channels, {given} != {inputs}"
        )
    if wanted is not None and len(wanted) == rank and outputs not in (None, wanted[channel]):
        raise ValueError(
            f"output_shape does not match filter's output channels, {wanted[channel]} != {outputs}"
        )
    return result


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
    if stride <= 0:
        c.fail(f"Stride must be > 0, but got {stride}")
    if dilation < 1:
        c.fail(f"Dilation rate must be >= 1, but got {dilation}")
    if size is None or (window is None and padding != "SAME"):
        return None
    window = window or 1
    out = output_size(size, window, stride, padding, dilation, pads)
    span = (window - 1) * dilation + 1
    if padding != "SAME" and size + sum(pads) < span:
        c.fail(
            f"Negative dimension size caused by subtracting {span} from {size + sum(pads)}",
            "the window is larger than the (padded) input.",
        )
    return out


def convolved_shape(c: ShapeContext) -> Shape:
    """The shape of a convolution, of ops with ``input`` and ``filter`` in any layout."""
    data_format = c.attr("data_format")
    rank = len(data_format)
    x, w = c.with_rank("input", rank), c.with_rank("filter", rank)
    for name in ("strides", "dilations"):
        if len(c.attr(name)) != rank:
            c.fail(
                f"{c.record.name} requires the {'stride' if name == 'strides' else 'dilations'} "
                f"attribute to contain {rank} values, but got: {len(c.attr(name))}"
            )
    pads = _explicit_paddings(c, rank)
    channel = channel_dim(data_format)
    depth, filter_depth = x[channel], w[rank - 2]
    if depth is not None and filter_depth is not None and depth % max(filter_depth, 1):
        c.fail(
            f"Depth of input ({depth}) is not a multiple of input depth of filter ({filter_depth})"
        )
    out_depth = w[rank - 1]
    if depth is not None and filter_depth and out_depth is not None:
        groups = depth // filter_depth
        if groups and out_depth % groups:
            c.fail(
                f"Depth of output ({out_depth}) is not a multiple of the number of groups "
                f"({groups})"
            )
    result = list(x)
    result[channel] = w[rank - 1]
    strides, dilations = c.attr("strides"), c.attr("dilations")
    for i, d in enumerate(spatial_dims(data_format)):
        pad = pads[2 * d : 2 * d + 2] if pads else (0, 0)
        result[d] = window_count(c, x[d], w[i], strides[d], c.attr("padding"), dilations[d], pad)
    return tuple(result)


def _explicit_paddings(c: ShapeContext, rank: int) -> Sequence[int]:
    pads = c.attrs.get("explicit_paddings", [])
    if c.attr("padding") != "EXPLICIT":
        if pads:
            c.fail(
                "explicit_paddings attribute must be empty if the padding attribute is not EXPLICIT"
            )
        return pads
    if len(pads) != 2 * rank:
        c.fail(f"explicit_paddings attribute must contain {2 * rank} values, but got: {len(pads)}")
    if min(pads) < 0:
        c.fail("All elements of explicit_paddings must be nonnegative")
    channel = channel_dim(c.attr("data_format"))
    if any(pads[:2]) or any(pads[2 * channel : 2 * channel + 2]):
        c.fail("Nonzero explicit padding in the batch or depth dimensions is not supported")
    return pads


def shape_in(name: str, rank: int) -> ShapeFn:
    """A shape function: the output has the shape that the named input describes."""

    def shape(c: ShapeContext) -> Shape:
        sizes = c.value_as_shape(name)
        if sizes is None:
            return (None,) * rank
        if len(sizes) != rank:
            c.fail(f"Shape must be rank {rank} but is rank {len(sizes)}")
        return sizes

    return shape
