"""Complex numbers: Complex, Real, Imag, Conj, Angle."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from headwater.base import dtypes
from headwater.base.deprecation import renamed_argument
from headwater.base.lazy import lax
from headwater.base.signatures import signature
from headwater.base.typing import Array, ArrayModule, TensorLike
from headwater.graph import (
    Operation,
    Sample,
    Tensor,
    build,
    constant_node,
    control_dependencies,
    convert_to_tensor,
    export,
    name_scope,
    register_op,
    shape_tensor,
    shapes,
    zeros_like,
)
from headwater.ops.math.elementwise import binary_kernel

if TYPE_CHECKING:
    from headwater.base.dtypes import DType


@binary_kernel
def kernel_complex(xp: ArrayModule, real: Array, imag: Array) -> Array:
    if xp is not np:
        return lax.complex(*xp.broadcast_arrays(real, imag))
    kind = np.complex128 if real.dtype == np.float64 else np.complex64
    result = np.empty(np.broadcast_shapes(real.shape, imag.shape), kind)
    result.real = real
    result.imag = imag
    return result


def kernel_real(xp: ArrayModule, x: Array) -> Array:
    return xp.real(x)


def kernel_imag(xp: ArrayModule, x: Array) -> Array:
    return xp.imag(x)


def kernel_conj(xp: ArrayModule, x: Array) -> Array:
    return xp.conj(x)


def kernel_angle(xp: ArrayModule, x: Array) -> Array:
    return xp.angle(x)


def reference_complex(real: Array, imag: Array) -> Array:
    return real + imag * (np.complex64(1j) if real.dtype == np.float32 else 1j)


def reference_angle(x: Array) -> Array:
    return np.arctan2(x.imag, x.real)


def gradient_complex(op: Operation, grad: Tensor) -> tuple[Tensor, ...]:
    real, imag = op.inputs
    shape_real, shape_imag = shape_tensor(real), shape_tensor(imag)
    axes_real, axes_imag = build.BroadcastGradientArgs(shape_real, shape_imag)
    kind = real.dtype.base_dtype
    grad_real = build.Sum(build.Real(grad, Tout=kind), axes_real)
    grad_real = build.Reshape(grad_real, shape_real)
    grad_imag = build.Sum(build.Imag(grad, Tout=kind), axes_imag)
    return grad_real, build.Reshape(grad_imag, shape_imag)


def _complex(real: Tensor, imag: Tensor) -> Tensor:
    kind = dtypes.complex128 if real.dtype.base_dtype is dtypes.float64 else dtypes.complex64
    return build.Complex(real, imag, Tout=kind)


def gradient_real(op: Operation, grad: Tensor) -> Tensor:
    return _complex(grad, constant_node(0, grad.dtype.base_dtype))


def gradient_imag(op: Operation, grad: Tensor) -> Tensor:
    return _complex(constant_node(0, grad.dtype.base_dtype), grad)


def gradient_conj(op: Operation, grad: Tensor) -> Tensor:
    return build.Conj(grad)


def gradient_angle(op: Operation, grad: Tensor) -> Tensor:
    z = op.inputs[0]
    kind = grad.dtype.base_dtype
    with control_dependencies([grad]):
        real, imag = build.Real(z, Tout=kind), build.Imag(z, Tout=kind)
        inverse = build.Reciprocal(_complex(imag, real))
        zero = constant_node(0, kind)
        return -_complex(grad, zero) * inverse


def samples_complex() -> Iterator[Sample]:
    x = np.array([[1.5, -2.0], [0.25, 5.0]])
    yield Sample(x.astype(np.float32), x[::-1].astype(np.float32), Tout=np.complex64)
    yield Sample(x, x[0], Tout=np.complex128)


def samples_part() -> Iterator[Sample]:
    z = np.array([[1.5 - 2j, -2 + 0.5j], [0.25 + 1j, 5 - 1j]])
    yield Sample(z.astype(np.complex64), Tout=np.float32)
    yield Sample(z, Tout=np.float64)


def samples_conj() -> Iterator[Sample]:
    for sample in samples_part():
        yield Sample(*sample.inputs)


register_op(
    "Complex",
    inputs="real: T, imag: T",
    outputs="out: Tout",
    attrs="T: {float, double} = float, Tout: {complex64, complex128} = complex64",
    shape=shapes.broadcast,
    kernel=kernel_complex,
    gradient=gradient_complex,
    reference=reference_complex,
    samples=samples_complex,
)


def _register_part(
    name: str,
    kernel: Callable[..., Any],
    gradient: Callable[..., Any],
    reference: Callable[..., Any],
) -> None:
    register_op(
        name,
        inputs="input: T",
        outputs="output: Tout",
        attrs="T: {complex64, complex128} = complex64, Tout: {float, double} = float",
        shape=shapes.like_first,
        kernel=kernel,
        gradient=gradient,
        reference=reference,
        samples=samples_part,
    )


_register_part("Real", kernel_real, gradient_real, np.real)
_register_part("Imag", kernel_imag, gradient_imag, np.imag)
_register_part("Angle", kernel_angle, gradient_angle, reference_angle)
register_op(
    "Conj",
    inputs="input: T",
    outputs="output: T",
    attrs="T: {complex64, complex128, variant} = complex64",
    shape=shapes.like_first,
    kernel=kernel_conj,
    gradient=gradient_conj,
    reference=np.conj,
    samples=samples_conj,
)


@export("complex", "dtypes.complex")
def complex_(real: TensorLike, imag: TensorLike, name: str | None = None) -> Tensor:
    """Makes complex numbers of their real and imaginary parts.

    Args:
        real: a tensor of type float32 or float64.
        imag: a tensor of the same type.
        name: the name of the node.

    Returns:
        A tensor of type complex64 or complex128.

    Raises:
        TypeError: if the types differ or are not float32 or float64.
    """
    real = convert_to_tensor(real, name="real")
    imag = convert_to_tensor(imag, name="imag")
    with name_scope(name, "Complex", [real, imag]) as scope:
        kinds = real.dtype.base_dtype, imag.dtype.base_dtype
        if kinds == (dtypes.float64, dtypes.float64):
            target = dtypes.complex128
        elif kinds == (dtypes.float32, dtypes.float32):
            target = dtypes.complex64
        else:
            raise TypeError(f"real and imag have incorrect types: {kinds[0].name} {kinds[1].name}")
        return build.Complex(real, imag, Tout=target, name=scope)


def _real_type(x: Tensor) -> DType:
    return dtypes.float64 if x.dtype.base_dtype is dtypes.complex128 else dtypes.float32


@export("real", "math.real")
def real(input: TensorLike, name: str | None = None) -> Tensor:
    """Returns the real parts.

    Args:
        input: a tensor of numbers.
        name: the name of the node.

    Returns:
        A tensor of real numbers; `input` itself if it is real.
    """
    with name_scope(name, "Real", [input]) as scope:
        if isinstance(input, Tensor) and not input.dtype.is_complex:
            return input
        input = convert_to_tensor(input, name="input")
        if not input.dtype.is_complex:
            return input
        return build.Real(input, Tout=_real_type(input), name=scope)


@export("imag", "math.imag")
def imag(input: TensorLike, name: str | None = None) -> Tensor:
    """Returns the imaginary parts.

    Args:
        input: a tensor of numbers.
        name: the name of the node.

    Returns:
        A tensor of real numbers; zeros if `input` is real.
    """
    with name_scope(name, "Imag", [input]) as scope:
        input = convert_to_tensor(input, name="input")
        if not input.dtype.is_complex:
            return zeros_like(input)
        return build.Imag(input, Tout=_real_type(input), name=scope)


@export("angle", "math.angle")
def angle(input: TensorLike, name: str | None = None) -> Tensor:
    """Returns the angles of complex numbers in radians.

    Args:
        input: a tensor of numbers.
        name: the name of the node.

    Returns:
        A tensor of real numbers; zeros if `input` is real.
    """
    with name_scope(name, "Angle", [input]) as scope:
        input = convert_to_tensor(input, name="input")
        if not input.dtype.is_complex:
            return zeros_like(input)
        return build.Angle(input, Tout=_real_type(input), name=scope)


@export("conj", "math.conj")
@signature("x, name=None")
def conj(
    x: TensorLike | None = None, name: str | None = None, input: TensorLike | None = None
) -> Tensor:
    """Returns the complex conjugates.

    Args:
        x: a tensor of numbers.
        name: the name of the node.
        input: the older name of `x`.

    Returns:
        A tensor of the same type; `x` itself if it is real.

    Raises:
        TypeError: if `x` is not a tensor of numbers.
    """
    x = renamed_argument("x", x, "input", input)
    if isinstance(x, Tensor) and x.dtype.base_dtype.is_floating:
        return x
    with name_scope(name, "Conj", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        if x.dtype.is_complex or x.dtype is dtypes.variant:
            return build.Conj(x, name=scope)
        if x.dtype.is_floating or x.dtype.is_integer:
            return x
        raise TypeError(f"Expected numeric or variant tensor, got dtype {x.dtype!r}")
