"""Fourier transforms over the last axes of tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.graph import (
    VJP,
    Operation,
    Sample,
    Tensor,
    build,
    constant_node,
    constant_value,
    convert_to_tensor,
    export,
    literal_value,
    name_scope,
    rank_tensor,
    register_op,
    shape_tensor,
    shapes,
    zeros_like,
)
from headwater.ops.math.elementwise import unary_function
from headwater.ops.math.segment_rows import invalid


def _axes(rank: int) -> tuple[int, ...]:
    return tuple(range(-rank, 0))


def _check_rank(x: Any, rank: int) -> None:
    if x.ndim < rank:
        raise invalid(f"Input must have rank of at least {rank} but got: {shapes.show(x.shape)}")


def _complex_kernel(function: str, rank: int) -> Any:
    def kernel(xp: Any, x: Any) -> Any:
        _check_rank(x, rank)
        if x.size == 0:
            return x
        return getattr(xp.fft, function)(x, axes=_axes(rank)).astype(x.dtype)

    return kernel


def _cropped(x: Any, sizes: Any, kept: list[int]) -> Any:
    """The beginning of the last axes.

    Raises:
        InvalidArgumentError: if an axis is too short.
    """
    for axis, size in zip(_axes(len(kept)), kept):
        # To the release a negative length is a huge one.
        if size < 0 or x.shape[axis] < size:
            raise invalid(
                f"Input dimension {x.ndim + axis} must have length of at least {size % 2**64} but "
                f"got: {x.shape[axis]}"
            )
    return x[(..., *(slice(0, size) for size in kept))]


def _lengths(fft_length: Any, rank: int) -> list[int]:
    if fft_length.shape != (rank,):
        raise invalid(f"fft_length must have shape [{rank}]")
    return [int(n) for n in fft_length]


def _real_kernel(rank: int) -> Any:
    def kernel(xp: Any, x: Any, fft_length: Any) -> Any:
        _check_rank(x, rank)
        sizes = _lengths(fft_length, rank)
        x = _cropped(x, sizes, sizes)
        if x.size == 0:  # a transform of no points has no points
            last = sizes[-1] // 2 + 1 if sizes[-1] else 0
            return xp.zeros((*x.shape[:-1], last), np.complex64)
        return xp.fft.rfftn(x, axes=_axes(rank)).astype(np.complex64)

    return kernel


def _inverse_real_kernel(rank: int) -> Any:
    def kernel(xp: Any, x: Any, fft_length: Any) -> Any:
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


def _transformed(x: Any, rank: int, sign: int) -> Any:
    """The sum that defines the transform, one axis after the other."""
    result = x.astype(np.complex128)
    for axis in _axes(rank):
        n = result.shape[axis]
        result = np.moveaxis(np.moveaxis(result, axis, -1) @ _matrix(n, sign), -1, axis)
        result = result / n if sign > 0 else result
    return result


def _complex_reference(rank: int, sign: int) -> Any:
    def reference(x: Any) -> Any:
        return _transformed(x, rank, sign).astype(x.dtype)

    return reference


def _real_reference(rank: int) -> Any:
    def reference(x: Any, fft_length: Any) -> Any:
        whole = _transformed(x[(..., *(slice(0, n) for n in fft_length))], rank, -1)
        return whole[..., : fft_length[-1] // 2 + 1].astype(np.complex64)

    return reference


def shape_complex(rank: int) -> Any:
    def shape(c: shapes.ShapeContext) -> Any:
        return c.with_rank_at_least("input", rank)

    return shape


def _shape_real(rank: int, forward: bool) -> Any:
    def shape(c: shapes.ShapeContext) -> Any:
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


def _gradient_forward(inverse: str, rank: int) -> Any:
    def gradient(op: Operation, grad: Tensor) -> Any:
        count = build.Cast(_count(grad, rank), DstT=grad.dtype.base_dtype)
        return getattr(build, inverse)(grad) * count

    return gradient


def _gradient_inverse(forward: str, rank: int) -> Any:
    def gradient(op: Operation, grad: Tensor) -> Any:
        count = build.Cast(_count(grad, rank), DstT=grad.dtype.real_dtype)
        scale = build.Cast(1.0 / count, DstT=grad.dtype.base_dtype)
        return getattr(build, forward)(grad) * scale

    return gradient


_DATA = np.array([[[1, 2j, 3], [0.5, -1, 1j]], [[2, 0, -1j], [1.5, 2, 1]]])


def samples_complex() -> Any:
    yield Sample(_DATA.astype(np.complex64))
    yield Sample(_DATA)


def _samples_real(rank: int) -> Any:
    def samples() -> Any:
        x = np.stack([_DATA.real, _DATA.imag, _DATA.real[:, ::-1]]).astype(np.float32)
        x = np.concatenate([x, x[..., :1] * 2], axis=-1)
        yield Sample(x, np.array(x.shape[-rank:], np.int32))
        yield Sample(x, np.array([2, 2, 3][-rank:], np.int32))

    return samples


def _samples_inverse_real(rank: int) -> Any:
    def samples() -> Any:
        # The imaginary parts that no real signal has are ignored by every transform its own way.
        real = np.stack([_DATA.real, _DATA.real[::-1]]).astype(np.float32)
        x = np.fft.rfftn(real, axes=_axes(rank)).astype(np.complex64)
        yield Sample(x, np.array([2, 2, 3][-rank:], np.int32), gradient=())

    return samples


# The public functions by name.
complex_transforms: dict[str, Callable[..., Tensor]] = {}
real_transforms: dict[str, Callable[..., Tensor]] = {}

for _rank, _suffix in ((1, ""), (2, "2D"), (3, "3D")):
    for _name, _other, _function, _sign, _gradient in (
        ("FFT", "IFFT", "fftn", -1, _gradient_forward),
        ("IFFT", "FFT", "ifftn", 1, _gradient_inverse),
    ):
        register_op(
            _name + _suffix,
            inputs="input: Tcomplex",
            outputs="output: Tcomplex",
            attrs="Tcomplex: {complex64, complex128} = complex64",
            shape=shape_complex(_rank),
            kernel=_complex_kernel(_function, _rank),
            gradient=_gradient(_other + _suffix, _rank),
            reference=_complex_reference(_rank, _sign),
            samples=samples_complex,
        )
        register_op(
            f"Batch{_name}{_suffix}",
            inputs="input: complex64",
            outputs="output: complex64",
            shape=shape_complex(_rank),
            kernel=_complex_kernel(_function, _rank),
            reference=_complex_reference(_rank, _sign),
        )
    register_op(
        f"RFFT{_suffix}",
        inputs="input: float, fft_length: int32",
        outputs="output: complex64",
        shape=_shape_real(_rank, forward=True),
        kernel=_real_kernel(_rank),
        gradient=VJP if _rank < 3 else None,
        reference=_real_reference(_rank),
        samples=_samples_real(_rank),
        concrete=("fft_length",),
    )
    register_op(
        f"IRFFT{_suffix}",
        inputs="input: complex64, fft_length: int32",
        outputs="output: float",
        shape=_shape_real(_rank, forward=False),
        kernel=_inverse_real_kernel(_rank),
        gradient=VJP if _rank < 3 else None,
        samples=_samples_inverse_real(_rank),
        concrete=("fft_length",),
    )
    _lower = _suffix.lower()
    _over = f"over the last {_rank} axes" if _rank > 1 else "over the last axis"
    complex_transforms[f"fft{_lower}"] = unary_function(
        f"FFT{_suffix}",
        f"fft{_lower}",
        f"signal.fft{_lower}",
        f"spectral.fft{_lower}",
        f"batch_fft{_lower}",
        doc=f"Returns the discrete Fourier transform of complex numbers {_over}.",
        argument="input",
    )
    complex_transforms[f"ifft{_lower}"] = unary_function(
        f"IFFT{_suffix}",
        f"ifft{_lower}",
        f"signal.ifft{_lower}",
        f"spectral.ifft{_lower}",
        f"batch_ifft{_lower}",
        doc=f"Returns the inverse discrete Fourier transform {_over}.",
        argument="input",
    )


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
        # The comparison is a node that `tf.zeros` makes for a shape of tensors; nothing reads it.
        build.Less(leading, 1000)
        others = build.Fill(build.Pack([leading], name="packed"), constant_node(0), name=scope)
    wanted = lengths
    if inverse:
        wanted = build.ConcatV2([lengths[:-1], lengths[-1:] // 2 + 1], 0, name="concat")
    missing_sizes = build.Maximum(0, wanted - sizes_x)
    ends = build.ConcatV2([others, missing_sizes], 0, name="concat")
    return build.Pad(x, build.Pack([zeros_like(ends), ends], axis=1, name="stack"))


def _real_transform(op_type: str, rank: int, inverse: bool, names: list[str], doc: str) -> None:
    default = names[0].rpartition(".")[2]

    def function(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
        with name_scope(name, default, [input_tensor, fft_length]) as scope:
            kind = dtypes.complex64 if inverse else dtypes.float32
            x = convert_to_tensor(input_tensor, dtype=kind, name="input")
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

    function.__name__ = function.__qualname__ = default
    function.__doc__ = f"""{doc}

    Args:
        input_tensor: a {"complex64" if inverse else "float32"} tensor.
        fft_length: the length of the transform per axis; shorter axes are filled up with zeros,
            longer ones are cut. None takes what fits the input.
        name: the name of the node.

    Returns:
        A {"float32" if inverse else "complex64"} tensor.

    Raises:
        ValueError: if the rank is too small.
    """
    real_transforms[default] = export(*names)(function)


for _rank, _suffix in ((1, ""), (2, "2d"), (3, "3d")):
    _over = f"over the last {_rank} axes" if _rank > 1 else "over the last axis"
    _real_transform(
        f"RFFT{_suffix.upper()}",
        _rank,
        False,
        [f"signal.rfft{_suffix}", f"spectral.rfft{_suffix}"],
        f"Returns the half of the Fourier transform of real numbers {_over} that tells all.",
    )
    _real_transform(
        f"IRFFT{_suffix.upper()}",
        _rank,
        True,
        [f"signal.irfft{_suffix}", f"spectral.irfft{_suffix}"],
        f"Returns the real numbers {_over} from half of their Fourier transform.",
    )


def _shift(x: Any, axes: Any, name: str | None, default: str, inverse: bool) -> Tensor:
    with name_scope(name, default) as scope:
        x = convert_to_tensor(x)
        sign = -1 if inverse else 1
        if axes is None:
            sizes = x._shape
            if sizes is None or None in sizes:
                whole = shape_tensor(x)
                halves: Any = sign * (whole // 2)
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
def fftshift(x: Any, axes: Any = None, name: str | None = None) -> Tensor:
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
def ifftshift(x: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """Undoes `tf.signal.fftshift`.

    Args:
        x: a tensor.
        axes: an axis or a list of axes; None means all.
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    return _shift(x, axes, name, "ifftshift", inverse=True)
