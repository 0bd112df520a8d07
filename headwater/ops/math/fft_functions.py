"""The public functions of Fourier transforms: `tf.fft`, `tf.signal.rfft` and their relatives."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.typing import Array, AxisLike, TensorLike
from headwater.graph import (
    Tensor,
    build,
    constant_node,
    constant_value,
    convert_to_tensor,
    export,
    literal_value,
    name_scope,
    rank_tensor,
    shape_tensor,
    zeros_like,
)


@export("fft", "signal.fft", "spectral.fft", "batch_fft")
def fft(input: TensorLike, name: str | None = None) -> Tensor:
    """Returns the discrete Fourier transform of complex numbers over the last axis.

    Args:
        input: a tensor.
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    return build.FFT(input, name=name)


@export("ifft", "signal.ifft", "spectral.ifft", "batch_ifft")
def ifft(input: TensorLike, name: str | None = None) -> Tensor:
    """Returns the inverse discrete Fourier transform over the last axis.

    Args:
        input: a tensor.
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    return build.IFFT(input, name=name)


@export("fft2d", "signal.fft2d", "spectral.fft2d", "batch_fft2d")
def fft2d(input: TensorLike, name: str | None = None) -> Tensor:
    """Returns the discrete Fourier transform of complex numbers over the last 2 axes.

    Args:
        input: a tensor.
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    return build.FFT2D(input, name=name)


@export("ifft2d", "signal.ifft2d", "spectral.ifft2d", "batch_ifft2d")
def ifft2d(input: TensorLike, name: str | None = None) -> Tensor:
    """Returns the inverse discrete Fourier transform over the last 2 axes.

    Args:
        input: a tensor.
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    return build.IFFT2D(input, name=name)


@export("fft3d", "signal.fft3d", "spectral.fft3d", "batch_fft3d")
def fft3d(input: TensorLike, name: str | None = None) -> Tensor:
    """Returns the discrete Fourier transform of complex numbers over the last 3 axes.

    Args:
        input: a tensor.
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    return build.FFT3D(input, name=name)


@export("ifft3d", "signal.ifft3d", "spectral.ifft3d", "batch_ifft3d")
def ifft3d(input: TensorLike, name: str | None = None) -> Tensor:
    """Returns the inverse discrete Fourier transform over the last 3 axes.

    Args:
        input: a tensor.
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    return build.IFFT3D(input, name=name)


def _wanted_lengths(x: Tensor, rank: int, inverse: bool) -> Tensor:
    """The lengths of the transform that fit the input."""
    shape = x._shape
    if shape is not None and len(shape) >= rank and None not in shape[-rank:]:
        sizes: list[int] = [int(n or 0) for n in shape[-rank:]]
        if inverse:
            sizes[-1] = max(0, 2 * (sizes[-1] - 1))
        return constant_node(sizes, dtypes.int32)
    whole = shape_tensor(x)[-rank:]
    if not inverse:
        return whole
    counts = build.Unpack(whole, num=rank, name="unstack")
    counts = [*counts[:-1], build.Maximum(0, 2 * (counts[-1] - 1))]
    return build.Pack(counts, name="stack")


def _padded(x: Tensor, lengths: Tensor, rank: int, inverse: bool) -> Tensor:
    """The input with zeros at the ends of axes that are shorter than the transform."""
    known = literal_value(lengths)
    shape = x._shape
    if known is not None and shape is not None and None not in shape[-rank:]:
        sizes = [int(n) for n in known]
        if inverse:
            sizes[-1] = sizes[-1] // 2 + 1 if sizes[-1] else 0
        missing = [max(size - int(have or 0), 0) for size, have in zip(sizes, shape[-rank:])]
        if not any(missing):
            return x
        return build.Pad(x, [[0, 0]] * (len(shape) - rank) + [[0, n] for n in missing])
    rank_x = rank_tensor(x)
    sizes_x = shape_tensor(x)[-rank:]
    leading = build.Maximum(0, rank_x - rank)
    with name_scope(None, "zeros") as scope:
        # `tf.zeros` makes this unused comparison node for a shape of tensors.
        build.Less(leading, 1000)
        others = build.Fill(build.Pack([leading], name="packed"), constant_node(0), name=scope)
    wanted = lengths
    if inverse:
        wanted = build.ConcatV2([lengths[:-1], lengths[-1:] // 2 + 1], 0, name="concat")
    missing_sizes = build.Maximum(0, wanted - sizes_x)
    ends = build.ConcatV2([others, missing_sizes], 0, name="concat")
    return build.Pad(x, build.Pack([zeros_like(ends), ends], axis=1, name="stack"))


def _real_transform(
    op_type: str, rank: int, inverse: bool, x: TensorLike, fft_length: TensorLike, name: str | None
) -> Tensor:
    with name_scope(name, op_type.lower(), [x, fft_length]) as scope:
        kind = dtypes.complex64 if inverse else dtypes.float32
        x = convert_to_tensor(x, dtype=kind, name="input")
        if x._shape is not None and len(x._shape) < rank:
            raise ValueError(f"Shape {x.get_shape()} must have rank at least {rank}")
        if fft_length is None:
            lengths = _wanted_lengths(x, rank, inverse)
        else:
            lengths = convert_to_tensor(fft_length, dtype=dtypes.int32)
            if lengths._rank() == 0:
                raise ValueError(
                    f"Received a scalar value '{constant_value(lengths)}' as shape; require a "
                    "statically known scalar with value '-1' to describe an unknown shape."
                )
            lengths.get_shape().assert_has_rank(1)
        x = _padded(x, lengths, rank, inverse)
        return getattr(build, op_type)(x, lengths, name=scope)


@export("signal.rfft", "spectral.rfft")
def rfft(
    input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """Returns the unique half of the Fourier transform of real numbers over the last axis.

    Args:
        input_tensor: a float32 tensor.
        fft_length: the length of the transform per axis; shorter axes are padded with zeros,
            longer ones are cut. None takes what fits the input.
        name: the name of the node.

    Returns:
        A complex64 tensor.

    Raises:
        ValueError: if the rank is too small.
    """
    return _real_transform("RFFT", 1, False, input_tensor, fft_length, name)


@export("signal.irfft", "spectral.irfft")
def irfft(
    input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """Returns the real numbers over the last axis from half of their Fourier transform.

    Args:
        input_tensor: a complex64 tensor.
        fft_length: the length of the transform per axis; shorter axes are padded with zeros,
            longer ones are cut. None takes what fits the input.
        name: the name of the node.

    Returns:
        A float32 tensor.

    Raises:
        ValueError: if the rank is too small.
    """
    return _real_transform("IRFFT", 1, True, input_tensor, fft_length, name)


@export("signal.rfft2d", "spectral.rfft2d")
def rfft2d(
    input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """Returns the unique half of the Fourier transform of real numbers over the last 2 axes.

    Args:
        input_tensor: a float32 tensor.
        fft_length: the length of the transform per axis; shorter axes are padded with zeros,
            longer ones are cut. None takes what fits the input.
        name: the name of the node.

    Returns:
        A complex64 tensor.

    Raises:
        ValueError: if the rank is too small.
    """
    return _real_transform("RFFT2D", 2, False, input_tensor, fft_length, name)


@export("signal.irfft2d", "spectral.irfft2d")
def irfft2d(
    input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """Returns the real numbers over the last 2 axes from half of their Fourier transform.

    Args:
        input_tensor: a complex64 tensor.
        fft_length: the length of the transform per axis; shorter axes are padded with zeros,
            longer ones are cut. None takes what fits the input.
        name: the name of the node.

    Returns:
        A float32 tensor.

    Raises:
        ValueError: if the rank is too small.
    """
    return _real_transform("IRFFT2D", 2, True, input_tensor, fft_length, name)


@export("signal.rfft3d", "spectral.rfft3d")
def rfft3d(
    input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """Returns the unique half of the Fourier transform of real numbers over the last 3 axes.

    Args:
        input_tensor: a float32 tensor.
        fft_length: the length of the transform per axis; shorter axes are padded with zeros,
            longer ones are cut. None takes what fits the input.
        name: the name of the node.

    Returns:
        A complex64 tensor.

    Raises:
        ValueError: if the rank is too small.
    """
    return _real_transform("RFFT3D", 3, False, input_tensor, fft_length, name)


@export("signal.irfft3d", "spectral.irfft3d")
def irfft3d(
    input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """Returns the real numbers over the last 3 axes from half of their Fourier transform.

    Args:
        input_tensor: a complex64 tensor.
        fft_length: the length of the transform per axis; shorter axes are padded with zeros,
            longer ones are cut. None takes what fits the input.
        name: the name of the node.

    Returns:
        A float32 tensor.

    Raises:
        ValueError: if the rank is too small.
    """
    return _real_transform("IRFFT3D", 3, True, input_tensor, fft_length, name)


def _shift(
    x: TensorLike, axes: AxisLike | None, name: str | None, default: str, inverse: bool
) -> Tensor:
    with name_scope(name, default) as scope:
        x = convert_to_tensor(x)
        sign = -1 if inverse else 1
        if axes is None:
            sizes = x._shape
            if sizes is None or None in sizes:
                whole = shape_tensor(x)
                halves: Array = sign * (whole // 2)
                axes = build.Range(0, rank_tensor(x), 1, name="range")
            else:
                halves = [sign * (int(n or 0) // 2) for n in sizes]
                axes = list(range(len(sizes)))
        elif isinstance(axes, int):
            halves = sign * (_length(x, axes) // 2)
        else:
            halves = [sign * (_length(x, axis) // 2) for axis in axes]
        return build.Roll(x, halves, axes, name=scope)


def _length(x: Tensor, axis: int) -> Any:
    size = None if x._shape is None else x._shape[axis]
    return shape_tensor(x)[axis] if size is None else size


@export("signal.fftshift")
def fftshift(x: TensorLike, axes: AxisLike | None = None, name: str | None = None) -> Tensor:
    """Moves the zero frequency of a Fourier transform to the middle.

    Args:
        x: a tensor.
        axes: an axis or a list of axes; None means all.
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    return _shift(x, axes, name, "fftshift", inverse=False)


@export("signal.ifftshift")
def ifftshift(x: TensorLike, axes: AxisLike | None = None, name: str | None = None) -> Tensor:
    """Undoes `tf.signal.fftshift`.

    Args:
        x: a tensor.
        axes: an axis or a list of axes; None means all.
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    return _shift(x, axes, name, "ifftshift", inverse=True)
