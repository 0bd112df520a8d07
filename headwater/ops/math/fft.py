"""The ops of Fourier transforms over the last axes of tensors: FFT, RFFT and their inverses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.typing import Array, ArrayModule, Shape, ShapeFn
from headwater.graph import (
    VJP,
    Operation,
    Sample,
    Tensor,
    build,
    constant_node,
    register_op,
    shape_tensor,
    shapes,
)
from headwater.ops.math.segment_rows import invalid


def _axes(rank: int) -> tuple[int, ...]:
    return tuple(range(-rank, 0))


def _check_rank(x: Array, rank: int) -> None:
    if x.ndim < rank:
        raise invalid(f"Input must have rank of at least {rank} but got: {shapes.show(x.shape)}")


def _complex_kernel(function: str, rank: int) -> Callable[..., Any]:
    def kernel(xp: ArrayModule, x: Array) -> Array:
        _check_rank(x, rank)
        if x.size == 0:
            return x
        return getattr(xp.fft, function)(x, axes=_axes(rank)).astype(x.dtype)

    return kernel


def _cropped(x: Array, sizes: Sequence[int], kept: list[int]) -> Array:
    """The beginning of the last axes.

    Raises:
        InvalidArgumentError: if an axis is too short.
    """
    for axis, size in zip(_axes(len(kept)), kept):
        # TensorFlow reads a negative length as a huge unsigned one.
        if size < 0 or x.shape[axis] < size:
            raise invalid(
                f"Input dimension {x.ndim + axis} must have length of at least {size % 2**64} but "
                f"got: {x.shape[axis]}"
            )
    return x[(..., *(slice(0, size) for size in kept))]


def _lengths(fft_length: Array, rank: int) -> list[int]:
    if fft_length.shape != (rank,):
        raise invalid(f"fft_length must have shape [{rank}]")
    return [int(n) for n in fft_length]


def _real_kernel(rank: int) -> Callable[..., Any]:
    def kernel(xp: ArrayModule, x: Array, fft_length: Array) -> Array:
        _check_rank(x, rank)
        sizes = _lengths(fft_length, rank)
        x = _cropped(x, sizes, sizes)
        if x.size == 0:  # an empty transform
            last = sizes[-1] // 2 + 1 if sizes[-1] else 0
            return xp.zeros((*x.shape[:-1], last), np.complex64)
        return xp.fft.rfftn(x, axes=_axes(rank)).astype(np.complex64)

    return kernel


def _inverse_real_kernel(rank: int) -> Callable[..., Any]:
    def kernel(xp: ArrayModule, x: Array, fft_length: Array) -> Array:
        _check_rank(x, rank)
        sizes = _lengths(fft_length, rank)
        kept = sizes[-1] // 2 + 1 if sizes[-1] else 0
        x = _cropped(x, sizes, [*sizes[:-1], kept])
        if x.size == 0:
            return xp.zeros((*x.shape[:-1], sizes[-1]), np.float32)
        if rank > 1:
            x = xp.fft.ifftn(x, axes=_axes(rank)[:-1])
        return xp.fft.irfft(x, n=sizes[-1], axis=-1).astype(np.float32)

    return kernel


def _matrix(n: int, sign: int) -> np.ndarray:
    steps = np.outer(np.arange(n), np.arange(n))
    return np.exp(sign * 2j * np.pi * steps / n)


def _transformed(x: Array, rank: int, sign: int) -> Array:
    """The transform computed from its definition, axis by axis."""
    result = x.astype(np.complex128)
    for axis in _axes(rank):
        n = result.shape[axis]
        result = np.moveaxis(np.moveaxis(result, axis, -1) @ _matrix(n, sign), -1, axis)
        result = result / n if sign > 0 else result
    return result


def _complex_reference(rank: int, sign: int) -> Callable[..., Any]:
    def reference(x: Array) -> Array:
        return _transformed(x, rank, sign).astype(x.dtype)

    return reference


def _real_reference(rank: int) -> Callable[..., Any]:
    def reference(x: Array, fft_length: Array) -> Array:
        whole = _transformed(x[(..., *(slice(0, n) for n in fft_length))], rank, -1)
        return whole[..., : fft_length[-1] // 2 + 1].astype(np.complex64)

    return reference


def shape_complex(rank: int) -> ShapeFn:
    def shape(c: shapes.ShapeContext) -> Shape:
        return c.with_rank_at_least("input", rank)

    return shape


def _shape_real(rank: int, forward: bool) -> Callable[..., Any]:
    def shape(c: shapes.ShapeContext) -> Shape:
        known = c.with_rank_at_least("input", rank)
        given = c.with_rank("fft_length", 1)
        if given is not None and given[0] not in (None, rank):
            c.fail(f"Dimension must be {rank} but is {given[0]}")
        if known is None:
            return None
        lengths = c.value("fft_length")
        if lengths is None:
            return (*known[:-rank], *(None,) * rank)
        sizes = [int(n) for n in lengths]
        if forward and sizes[-1]:
            sizes[-1] = int(sizes[-1] / 2) + 1
        return (*known[:-rank], *(None if size < 0 else size for size in sizes))

    return shape


def _count(grad: Tensor, rank: int) -> Tensor:
    return build.Prod(shape_tensor(grad)[-rank:], constant_node([0], dtypes.int32))


def _gradient_forward(inverse: str, rank: int) -> Callable[..., Any]:
    def gradient(op: Operation, grad: Tensor) -> Tensor:
        count = build.Cast(_count(grad, rank), DstT=grad.dtype.base_dtype)
        return getattr(build, inverse)(grad) * count

    return gradient


def _gradient_inverse(forward: str, rank: int) -> Callable[..., Any]:
    def gradient(op: Operation, grad: Tensor) -> Tensor:
        count = build.Cast(_count(grad, rank), DstT=grad.dtype.real_dtype)
        scale = build.Cast(1.0 / count, DstT=grad.dtype.base_dtype)
        return getattr(build, forward)(grad) * scale

    return gradient


_DATA = np.array([[[1, 2j, 3], [0.5, -1, 1j]], [[2, 0, -1j], [1.5, 2, 1]]])


def samples_complex() -> Iterator[Sample]:
    yield Sample(_DATA.astype(np.complex64))
    yield Sample(_DATA)


def _samples_real(rank: int) -> Callable[..., Any]:
    def samples() -> Iterator[Sample]:
        x = np.stack([_DATA.real, _DATA.imag, _DATA.real[:, ::-1]]).astype(np.float32)
        x = np.concatenate([x, x[..., :1] * 2], axis=-1)
        yield Sample(x, np.array(x.shape[-rank:], np.int32))
        yield Sample(x, np.array([2, 2, 3][-rank:], np.int32))

    return samples


def _samples_inverse_real(rank: int) -> Callable[..., Any]:
    def samples() -> Iterator[Sample]:
        # Imaginary parts that no real signal has are ignored, by each library in its own way.
        real = np.stack([_DATA.real, _DATA.real[::-1]]).astype(np.float32)
        x = np.fft.rfftn(real, axes=_axes(rank)).astype(np.complex64)
        yield Sample(x, np.array([2, 2, 3][-rank:], np.int32), gradient=())

    return samples


def _register_complex(
    name: str, batch_name: str, *, rank: int, function: str, sign: int, gradient: Callable[..., Any]
) -> None:
    register_op(
        name,
        inputs="input: Tcomplex",
        outputs="output: Tcomplex",
        attrs="Tcomplex: {complex64, complex128} = complex64",
        shape=shape_complex(rank),
        kernel=_complex_kernel(function, rank),
        gradient=gradient,
        reference=_complex_reference(rank, sign),
        samples=samples_complex,
    )
    register_op(
        batch_name,
        inputs="input: complex64",
        outputs="output: complex64",
        shape=shape_complex(rank),
        kernel=_complex_kernel(function, rank),
        reference=_complex_reference(rank, sign),
    )


def _register_forward(name: str, batch_name: str, inverse: str, rank: int) -> None:
    gradient = _gradient_forward(inverse, rank)
    _register_complex(name, batch_name, rank=rank, function="fftn", sign=-1, gradient=gradient)


def _register_inverse(name: str, batch_name: str, forward: str, rank: int) -> None:
    gradient = _gradient_inverse(forward, rank)
    _register_complex(name, batch_name, rank=rank, function="ifftn", sign=1, gradient=gradient)


def _register_real(name: str, inverse_name: str, rank: int) -> None:
    register_op(
        name,
        inputs="input: float, fft_length: int32",
        outputs="output: complex64",
        shape=_shape_real(rank, forward=True),
        kernel=_real_kernel(rank),
        gradient=VJP if rank < 3 else None,
        reference=_real_reference(rank),
        samples=_samples_real(rank),
        concrete=("fft_length",),
    )
    register_op(
        inverse_name,
        inputs="input: complex64, fft_length: int32",
        outputs="output: float",
        shape=_shape_real(rank, forward=False),
        kernel=_inverse_real_kernel(rank),
        gradient=VJP if rank < 3 else None,
        samples=_samples_inverse_real(rank),
        concrete=("fft_length",),
    )


_register_forward("FFT", "BatchFFT", inverse="IFFT", rank=1)
_register_inverse("IFFT", "BatchIFFT", forward="FFT", rank=1)
_register_real("RFFT", "IRFFT", 1)
_register_forward("FFT2D", "BatchFFT2D", inverse="IFFT2D", rank=2)
_register_inverse("IFFT2D", "BatchIFFT2D", forward="FFT2D", rank=2)
_register_real("RFFT2D", "IRFFT2D", 2)
_register_forward("FFT3D", "BatchFFT3D", inverse="IFFT3D", rank=3)
_register_inverse("IFFT3D", "BatchIFFT3D", forward="FFT3D", rank=3)
_register_real("RFFT3D", "IRFFT3D", 3)
