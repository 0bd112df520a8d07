"""Fourier transforms of short frames of a signal, and back."""

from __future__ import annotations

import math
from collections.abc import Callable
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
)
from headwater.model.signal.frames import frame, overlap_and_add
from headwater.model.signal.windows import hann_window
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import zeros
from headwater.ops.array.pad import pad
from headwater.ops.array.reshape import reshape
from headwater.ops.array.tile import tile
from headwater.ops.math.cast import cast
from headwater.ops.math.fft_functions import irfft, rfft
from headwater.ops.math.reduce_functions import reduce_sum

if TYPE_CHECKING:
    from headwater.base.dtypes import DType


def next_power_of_two(value: Tensor) -> Tensor:
    """The least power of two that is not less than an integer scalar, as a tensor."""
    known = constant_value(value)
    if known is not None:
        exponent = math.ceil(math.log2(int(known))) if int(known) > 0 else 0
        return constant_node(2**exponent, value.dtype)
    exponent = build.Ceil(build.Log(cast(value, dtypes.float32)) / build.Log(2.0))
    return cast(build.Pow(2.0, exponent), value.dtype)


def _lengths(
    frame_length: TensorLike, frame_step: TensorLike, fft_length: TensorLike | None
) -> tuple[Tensor, Tensor, Tensor]:
    frame_length = convert_to_tensor(frame_length, name="frame_length")
    frame_length.get_shape().assert_has_rank(0)
    frame_step = convert_to_tensor(frame_step, name="frame_step")
    frame_step.get_shape().assert_has_rank(0)
    if fft_length is None:
        fft_length = next_power_of_two(frame_length)
    else:
        fft_length = convert_to_tensor(fft_length, name="fft_length")
    return frame_length, frame_step, fft_length


@export("signal.stft", "contrib.signal.stft")
def stft(
    signals: TensorLike,
    frame_length: TensorLike,
    frame_step: TensorLike,
    fft_length: TensorLike | None = None,
    window_fn: Callable[..., Tensor] | None = hann_window,
    pad_end: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the Fourier transforms of overlapping frames of signals.

    Args:
        signals: float32 tensor of shape [..., samples].
        frame_length: samples per frame, an integer scalar.
        frame_step: samples from the beginning of one frame to that of the next.
        fft_length: the length of the transform; None takes the next power of two.
        window_fn: a function of the frame's length and a type that returns what frames are
            multiplied with; None means nothing.
        pad_end: whether the last frames are padded with zeros; otherwise they are left out.
        name: the name scope.

    Returns:
        complex64 tensor of shape [..., frames, fft_length // 2 + 1].

    Raises:
        ValueError: if an argument has the wrong rank.
    """
    with name_scope(name, "stft", [signals, frame_length, frame_step]):
        signals = convert_to_tensor(signals, name="signals")
        signals.get_shape().with_rank_at_least(1)
        frame_length, frame_step, fft_length = _lengths(frame_length, frame_step, fft_length)
        frames = frame(signals, frame_length, frame_step, pad_end=pad_end)
        if window_fn is not None:
            frames = frames * window_fn(frame_length, dtype=frames.dtype)
        return rfft(frames, [fft_length])


@export("signal.inverse_stft_window_fn", "contrib.signal.inverse_stft_window_fn")
def inverse_stft_window_fn(
    frame_step: TensorLike,
    forward_window_fn: Callable[..., Tensor] = hann_window,
    name: str | None = None,
) -> Callable[..., Tensor]:
    """Returns the window function with which `tf.signal.inverse_stft` undoes `tf.signal.stft`.

    Args:
        frame_step: samples from the beginning of one frame to that of the next.
        forward_window_fn: the window function of `tf.signal.stft`.
        name: the name scope.

    Returns:
        A function of the frame's length and a type.
    """
    with name_scope(name, "inverse_stft_window_fn", [forward_window_fn]):
        frame_step = convert_to_tensor(frame_step, name="frame_step")
        frame_step.get_shape().assert_has_rank(0)

    def inverse_window(frame_length: TensorLike, dtype: DType) -> Tensor:
        """The forward window divided by the sum of the squares that overlap at each sample."""
        with name_scope(name, "inverse_stft_window_fn", [forward_window_fn]):
            frame_length = convert_to_tensor(frame_length, name="frame_length")
            frame_length.get_shape().assert_has_rank(0)
            window = forward_window_fn(frame_length, dtype=dtype)
            energy = build.Square(window)
            overlaps = -(-frame_length // frame_step)
            energy = pad(energy, [(0, overlaps * frame_step - frame_length)])
            energy = reshape(energy, [overlaps, frame_step])
            energy = reduce_sum(energy, 0, keepdims=True)
            energy = reshape(tile(energy, [overlaps, 1]), [overlaps * frame_step])
            return window / energy[:frame_length]

    return inverse_window


@export("signal.inverse_stft", "contrib.signal.inverse_stft")
def inverse_stft(
    stfts: TensorLike,
    frame_length: TensorLike,
    frame_step: TensorLike,
    fft_length: TensorLike | None = None,
    window_fn: Callable[..., Tensor] | None = hann_window,
    name: str | None = None,
) -> Tensor:
    """Returns signals from the Fourier transforms of their frames.

    With ``inverse_stft_window_fn(frame_step)`` as window function, what `tf.signal.stft` has made
    with its default window becomes the signal again.

    Args:
        stfts: complex64 tensor of shape [..., frames, fft_length // 2 + 1].
        frame_length: samples per frame, an integer scalar.
        frame_step: samples from the beginning of one frame to that of the next.
        fft_length: the length of the transform; None takes the next power of two.
        window_fn: a function of the frame's length and a type that returns what frames are
            multiplied with; None means nothing.
        name: the name scope.

    Returns:
        float32 tensor of shape [..., samples].

    Raises:
        ValueError: if an argument has the wrong rank.
    """
    with name_scope(name, "inverse_stft", [stfts]):
        stfts = convert_to_tensor(stfts, name="stfts")
        stfts.get_shape().with_rank_at_least(2)
        frame_length, frame_step, fft_length = _lengths(frame_length, frame_step, fft_length)
        fft_length.get_shape().assert_has_rank(0)
        frames = irfft(stfts, [fft_length])
        frames = _of_length(frames, frame_length, fft_length)
        if window_fn is not None:
            frames = frames * window_fn(frame_length, dtype=stfts.dtype.real_dtype)
        return overlap_and_add(frames, frame_step)


def _of_length(frames: Tensor, frame_length: Tensor, fft_length: Tensor) -> Tensor:
    """The frames cut or padded with zeros."""
    wanted, have = constant_value(frame_length), constant_value(fft_length)
    rank = frames.get_shape().ndims
    if wanted is None or have is None or rank is None:
        frames = frames[..., :frame_length]
        whole = rank_tensor(frames)
        shape = shape_tensor(frames)
        widths = [
            zeros([whole - 1, 2], dtypes.int32),
            [[0, build.Maximum(0, frame_length - shape[-1])]],
        ]
        return pad(frames, concat(widths, 0))
    if wanted < have:
        return frames[..., : int(wanted)]
    if wanted > have:
        return pad(frames, [[0, 0]] * (rank - 1) + [[0, int(wanted) - int(have)]])
    return frames
