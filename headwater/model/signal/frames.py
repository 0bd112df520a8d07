"""Signals split into overlapping frames, and reconstructed from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import (
    Tensor,
    build,
    constant_node,
    constant_value,
    convert_to_tensor,
    export,
    name_scope,
    rank_tensor,
    shape_tensor,
    size_tensor,
    zeros_like,
)
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import zeros
from headwater.ops.array.gather import gather
from headwater.ops.array.getitem import strided_slice
from headwater.ops.array.pad import pad
from headwater.ops.array.reshape import reshape
from headwater.ops.array.split import split
from headwater.ops.array.transpose import transpose
from headwater.ops.control.while_loop import while_loop
from headwater.ops.math.ranges import range_
from headwater.ops.math.reduce_functions import reduce_sum

if TYPE_CHECKING:
    from headwater.base.tensor_shape import TensorShape


def scalar(value: TensorLike, name: str) -> Tensor:
    """A tensor that is known to have no axes.

    Raises:
        ValueError: if it has some.
    """
    tensor = convert_to_tensor(value, name=name)
    tensor.get_shape().assert_has_rank(0)
    return tensor


def greatest_common_divisor(a: TensorLike, b: TensorLike, name: str | None = None) -> Tensor:
    """Returns the largest integer that divides two others.

    Args:
        a: an integer scalar.
        b: an integer scalar.
        name: the name scope.

    Returns:
        A scalar: a constant if both are known.

    Raises:
        ValueError: if one of them is not an integer scalar.
    """
    with name_scope(name, "gcd", [a, b]):
        a, b = convert_to_tensor(a), convert_to_tensor(b)
        a.get_shape().assert_has_rank(0)
        b.get_shape().assert_has_rank(0)
        for argument, value in (("a", a), ("b", b)):
            if not value.dtype.is_integer:
                raise ValueError(f"{argument} must be an integer type. Got: {value.dtype}")
        known_a, known_b = constant_value(a), constant_value(b)
        if known_a is not None and known_b is not None:
            whole, rest = int(known_a), int(known_b)
            while rest:
                whole, rest = rest, whole % rest
            return constant_node(whole, a.dtype)
        return while_loop(
            lambda _, rest: build.Greater(rest, zeros_like(rest)),
            lambda whole, rest: [rest, build.FloorMod(whole, rest)],
            [a, b],
            back_prop=False,
        )[0]


def _no_paddings(count: Tensor) -> Tensor:
    return zeros([count, 2], dtypes.int32)


def _padded(
    signal: Tensor, missing: Tensor, before: Tensor, after: Tensor, value: Tensor
) -> Tensor:
    widths = [_no_paddings(before), [[0, missing]], _no_paddings(after)]
    return pad(signal, concat(widths, 0), constant_values=value)


@export("signal.frame", "contrib.signal.frame")
def frame(
    signal: TensorLike,
    frame_length: TensorLike,
    frame_step: TensorLike,
    pad_end: bool = False,
    pad_value: TensorLike = 0,
    axis: TensorLike = -1,
    name: str | None = None,
) -> Tensor:
    """Cuts an axis of a signal into frames, which overlap if the step is less than their length.

    Args:
        signal: a tensor of shape [..., samples, ...].
        frame_length: samples per frame, an integer scalar.
        frame_step: samples from the beginning of one frame to that of the next.
        pad_end: whether the last frames are filled up; otherwise they are left out.
        pad_value: what they are filled up with.
        axis: the axis that is cut.
        name: the name scope.

    Returns:
        A tensor of shape [..., frames, frame_length, ...].

    Raises:
        ValueError: if an argument has the wrong rank.
    """
    with name_scope(name, "frame", [signal, frame_length, frame_step, pad_value]):
        signal = convert_to_tensor(signal, name="signal")
        frame_length = convert_to_tensor(frame_length, name="frame_length")
        frame_step = convert_to_tensor(frame_step, name="frame_step")
        axis = convert_to_tensor(axis, name="axis")
        sizes = signal.get_shape().with_rank_at_least(1)
        for argument in (frame_length, frame_step, axis):
            argument.get_shape().assert_has_rank(0)
        static = _static_shape(sizes, axis, frame_length, frame_step, pad_end)

        rank = rank_tensor(signal)
        axis = range_(rank)[axis]
        shape = shape_tensor(signal)
        outer, length, inner = split(shape, [axis, 1, rank - 1 - axis])
        length = reshape(length, [])
        outer_rank, inner_rank = size_tensor(outer), size_tensor(inner)
        if pad_end:
            pad_value = convert_to_tensor(pad_value, dtype=signal.dtype)
            pad_value.get_shape().assert_has_rank(0)
            count = -(-length // frame_step)
            missing = build.Maximum(0, frame_length + frame_step * (count - 1) - length)
            signal = _padded(signal, missing, outer_rank, inner_rank, pad_value)
            shape = shape_tensor(signal)
            length = shape[axis]
        else:
            count = build.Maximum(0, 1 + (length - frame_length) // frame_step)

        # Length and step are multiples of the gathered pieces, which keeps the gather small.
        piece = greatest_common_divisor(frame_length, frame_step)
        per_frame, per_step = frame_length // piece, frame_step // piece
        pieces = length // piece
        end = concat([outer, [pieces * piece], inner], 0)
        cut = concat([outer, [pieces, piece], inner], 0)
        signal = reshape(strided_slice(signal, zeros_like(shape), end), cut)
        first = reshape(range_(count) * per_step, [count, 1])
        others = reshape(range_(per_frame), [1, per_frame])
        frames = gather(signal, first + others, axis=axis)
        result = reshape(frames, concat([outer, [count, frame_length], inner], 0))
        result.set_shape(static)
        return result


def _static_shape(
    sizes: TensorShape, axis: Tensor, frame_length: Tensor, frame_step: Tensor, pad_end: bool
) -> list[int | None] | None:
    if sizes.ndims is None:
        return None
    dims = sizes.as_list()
    known_axis = constant_value(axis)
    if known_axis is None:
        return [None] * (len(dims) + 1)
    samples = dims[int(known_axis)]  # as in TensorFlow, an axis out of range is an IndexError
    position = int(known_axis) % len(dims)
    length, step = (
        None if value is None else int(value)
        for value in (constant_value(frame_length), constant_value(frame_step))
    )
    count = None
    if samples is not None and step:
        if pad_end:
            count = -(-samples // step)
        elif length is not None:
            count = max(0, 1 + (samples - length) // step)
    return [*dims[:position], count, length, *dims[position + 1 :]]


@export("signal.overlap_and_add", "contrib.signal.overlap_and_add")
def overlap_and_add(signal: TensorLike, frame_step: TensorLike, name: str | None = None) -> Tensor:
    """Reconstructs a signal from overlapping frames, whose samples are added.

    Args:
        signal: a tensor of shape [..., frames, frame_length].
        frame_step: samples from the beginning of one frame to that of the next, an integer scalar.
        name: the name scope.

    Returns:
        A tensor of shape [..., samples] with ``(frames - 1) * frame_step + frame_length`` samples.

    Raises:
        ValueError: if an argument has the wrong rank, or the step is not an integer.
    """
    with name_scope(name, "overlap_and_add", [signal, frame_step]):
        signal = convert_to_tensor(signal, name="signal")
        signal.get_shape().with_rank_at_least(2)
        frame_step = scalar(frame_step, "frame_step")
        if not frame_step.dtype.is_integer:
            raise ValueError(f"frame_step must be an integer. Got {frame_step.dtype}")
        shape = shape_tensor(signal)
        outer = shape[:-2]
        outer_rank = size_tensor(outer)
        length, count = shape[-1], shape[-2]
        samples = length + frame_step * (count - 1)

        # A frame is cut into segments of one step each. Segment i of frame j is added to the step
        # i + j of the result: with one frame of zeros more per segment, the segments of all frames
        # in one row are shifted against each other by just one step.
        segments = -(-length // frame_step)
        widths = [[0, segments], [0, segments * frame_step - length]]
        signal = pad(signal, concat([_no_paddings(outer_rank), widths], 0))
        signal = reshape(signal, concat([outer, [count + segments, segments, frame_step]], 0))
        order = concat([range_(outer_rank), outer_rank + [1, 0, 2]], 0)
        signal = transpose(signal, order)
        signal = reshape(signal, concat([outer, [(count + segments) * segments, frame_step]], 0))
        signal = signal[..., : (count + segments - 1) * segments, :]
        signal = reshape(signal, concat([outer, [segments, count + segments - 1, frame_step]], 0))
        signal = reduce_sum(signal, -3)
        signal = reshape(signal, concat([outer, [(count + segments - 1) * frame_step]], 0))
        return signal[..., :samples]
