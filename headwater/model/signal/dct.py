"""The discrete cosine transform and its inverse, computed by Fourier transforms."""

from __future__ import annotations

import math

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, export, name_scope, shape_tensor
from headwater.ops.array.concat import concat
from headwater.ops.array.pad import pad
from headwater.ops.array.reshape import expand_dims
from headwater.ops.math.cast import cast
from headwater.ops.math.complex_numbers import complex_, real
from headwater.ops.math.fft_functions import irfft, rfft
from headwater.ops.math.ranges import range_


def _check(kind: int, n: TensorLike | None, axis: int, norm: str | None, last: int | None) -> None:
    if n is not None and not (isinstance(n, int) and n > 0):
        raise ValueError("n should be a positive integer or None")
    if axis != -1:
        raise NotImplementedError(f"axis must be -1. Got: {axis}")
    if kind not in (1, 2, 3):
        raise ValueError("Only Types I, II and III (I)DCT are supported.")
    if kind == 1:
        if norm == "ortho":
            raise ValueError("Normalization is not supported for the Type-I DCT.")
        if last is not None and last < 2:
            raise ValueError("Type-I DCT requires the dimension to be greater than one.")
    if norm not in (None, "ortho"):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")


def _of_length(x: Tensor, n: int) -> Tensor:
    """The first n elements of the last axis, with zeros behind it if it is shorter."""
    size = x.get_shape().as_list()[-1] if x.get_shape().ndims else None
    if size is None:
        raise ValueError(
            "The length of the transform needs a signal whose last dimension is known."
        )
    if size >= n:
        return x[..., :n]
    rank = int(x.get_shape().ndims or 1)
    return pad(x, convert_to_tensor([[0, 0]] * (rank - 1) + [[0, n - size]], name="Const"))


def _first_and_others(first: Tensor, count: int, others: Tensor) -> Tensor:
    """A vector of `others` except for its first element."""
    return build.PadV2(expand_dims(first, 0), [[0, count - 1]], others)


def _type_one(x: Tensor) -> Tensor:
    """The transform of a signal that is mirrored at its last element."""
    mirrored = concat([x, x[..., -2:0:-1]], axis=-1)
    return real(rfft(mirrored))


def _type_two(x: Tensor, size: TensorLike, count: Tensor, norm: str | None) -> Tensor:
    turns = -range_(count) * math.pi * 0.5 / count
    scale = 2.0 * build.Exp(complex_(0.0, turns))
    whole = rfft(x, fft_length=[2 * size])[..., :size]
    result = real(whole * scale)
    if norm is None:
        return result
    first = 0.5 * build.Rsqrt(count)
    return result * _first_and_others(first, size, first * build.Sqrt(2.0))


def _type_three(x: Tensor, size: TensorLike, count: Tensor, norm: str | None) -> Tensor:
    if norm == "ortho":
        first = build.Sqrt(count)
        x = x * _first_and_others(first, size, first * build.Sqrt(0.5))
    else:
        x = x * count
    turns = range_(count) * math.pi * 0.5 / count
    scale = 2.0 * build.Exp(complex_(0.0, turns))
    return irfft(scale * complex_(x, 0.0), fft_length=[2 * size])[..., :size]


@export("signal.dct", "spectral.dct")
def dct(
    input: TensorLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns the discrete cosine transforms of real signals along the last axis.

    Args:
        input: float32 tensor of shape [..., samples].
        type: 1, 2 or 3.
        n: the length of the transform; the signal is cut or padded with zeros.
        axis: -1.
        norm: None, or ``"ortho"`` for an orthonormal transform.
        name: the name scope.

    Returns:
        A tensor of shape [..., n].

    Raises:
        NotImplementedError: if `axis` is not -1.
        ValueError: if another argument is not possible.
    """
    with name_scope(name, "dct", [input]):
        x = convert_to_tensor(input, dtype=dtypes.float32)
        last = x.get_shape().as_list()[-1] if x.get_shape().ndims else None
        _check(type, n, axis, norm, last)
        if n is not None:
            x = _of_length(x, n)
            last = n
        size: TensorLike = last
        if last is None:
            # TensorFlow creates the length twice; the first one is unused.
            shape_tensor(x)[-1]
            size = shape_tensor(x)[-1]
        count = cast(size, dtypes.float32)
        if type == 1:
            return _type_one(x)
        return (_type_two if type == 2 else _type_three)(x, size, count, norm)


@export("signal.idct", "spectral.idct")
def idct(
    input: TensorLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Undoes `tf.signal.dct` of the same type, up to a factor if `norm` is None.

    Args:
        input: float32 tensor of shape [..., samples].
        type: 1, 2 or 3.
        n: None.
        axis: -1.
        norm: None, or ``"ortho"`` for an orthonormal transform.
        name: the name scope.

    Returns:
        A tensor of the same shape.

    Raises:
        NotImplementedError: if `axis` is not -1.
        ValueError: if another argument is not possible.
    """
    _check(type, n, axis, norm, None)
    return dct(input, type={1: 1, 2: 3, 3: 2}[type], n=n, axis=axis, norm=norm, name=name)
