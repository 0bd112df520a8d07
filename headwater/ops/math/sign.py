"""Absolute values and signs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from headwater.base import dtypes
from headwater.base.typing import Array, ArrayModule, TensorLike
from headwater.graph import (
    Operation,
    Sample,
    Tensor,
    build,
    convert_to_tensor,
    export,
    name_scope,
    register_op,
    shape_tensor,
    shapes,
    zeros_like,
    zeros_of,
)
from headwater.ops.math.complex_arithmetic import joined
from headwater.ops.math.elementwise import FLOATS, also_of_sparse


def kernel_abs(xp: ArrayModule, x: Array) -> Array:
    return xp.abs(x)


def kernel_sign(xp: ArrayModule, x: Array) -> Array:
    if x.dtype.kind in "iu":
        return xp.sign(x)
    if x.dtype.kind != "c":
        # The sign of NaN is 0.
        return xp.where(xp.isnan(x), x.dtype.type(0), xp.sign(x))
    size = xp.abs(x)
    none = size.dtype.type(0)
    factor = size.dtype.type(1) / xp.where(size == none, size.dtype.type(1), size)
    # As in TensorFlow, the sign of the largest numbers is 0: the factor is flushed to 0.
    factor = xp.where((size == none) | (factor < np.finfo(factor.dtype).tiny), none, factor)
    return joined(xp, xp.real(x) * factor, xp.imag(x) * factor)


def reference_sign(x: Array) -> Array:
    with np.errstate(all="ignore"):
        return np.where(x == 0, 0, x / np.abs(x)).astype(x.dtype)


def gradient_abs(op: Operation, grad: Tensor) -> Tensor:
    return grad * build.Sign(op.inputs[0])


def gradient_complex_abs(op: Operation, grad: Tensor) -> Tensor:
    size = op.outputs[0]
    kind = op.inputs[0].dtype
    direction = build.Complex(grad, zeros_like(grad), Tout=kind) * op.inputs[0]
    length = build.Complex(size, zeros_like(size), Tout=kind)
    return build.DivNoNan(direction, length, name="div_no_nan")


def gradient_sign(op: Operation, grad: Tensor) -> Tensor:
    x = op.inputs[0]
    return zeros_of(shape_tensor(x), x.dtype)


def samples_abs() -> Iterator[Sample]:
    for kind in (np.float32, np.float64, np.int32, np.int64, np.int8):
        yield Sample(np.array([[1.5, -2.0], [-0.75, 7.0]]).astype(kind))
    yield Sample(np.array([0.0, -0.0, np.inf, -np.inf], np.float32), gradient=())


def samples_complex_abs() -> Iterator[Sample]:
    yield Sample(np.array([3 + 4j, -1j, 2.0], np.complex64), Tout=np.float32)
    yield Sample(np.array([[3 + 4j], [1 - 1j]], np.complex128), Tout=np.float64)


def samples_sign() -> Iterator[Sample]:
    yield Sample(np.array([[1.5, -2.0], [-0.75, 7.0]], np.float32))
    yield Sample(np.array([0, -3, 4], np.int32))
    yield Sample(np.array([0.0, -3.0], np.float64), gradient=())
    yield Sample(np.array([0, 3 + 4j, -2j], np.complex64), gradient=())


register_op(
    "Abs",
    inputs="x: T",
    outputs="y: T",
    attrs=f"T: {{{FLOATS}, int8, int16, int32, int64}}",
    shape=shapes.like_first,
    kernel=kernel_abs,
    gradient=gradient_abs,
    reference=np.abs,
    samples=samples_abs,
)
register_op(
    "ComplexAbs",
    inputs="x: T",
    outputs="y: Tout",
    attrs="T: {complex64, complex128} = complex64, Tout: {float, double} = float",
    shape=shapes.like_first,
    kernel=kernel_abs,
    gradient=gradient_complex_abs,
    reference=np.abs,
    samples=samples_complex_abs,
)
register_op(
    "Sign",
    inputs="x: T",
    outputs="y: T",
    attrs=f"T: {{{FLOATS}, int32, int64, complex64, complex128}}",
    shape=shapes.like_first,
    kernel=kernel_sign,
    gradient=gradient_sign,
    reference=reference_sign,
    samples=samples_sign,
)


@export("sign", "math.sign")
@also_of_sparse
def sign(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns -1, 0 or 1; x / |x| of complex numbers.

    Args:
        x: a tensor or SparseTensor.
        name: the name of the node.

    Returns:
        What `x` is, of the same shape.
    """
    return build.Sign(x, name=name)


@export("abs", "math.abs", "complex_abs")
@also_of_sparse
def absolute(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns |x|, of complex numbers as real ones.

    Args:
        x: a tensor or SparseTensor of numbers.
        name: the name of the node.

    Returns:
        What `x` is, of the same shape.

    Example:
        >>> print(tf.abs([-1.5, 2.0]).eval())
        [1.5 2. ]
    """
    with name_scope(name, "Abs", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        if not x.dtype.is_complex:
            return build.Abs(x, name=scope)
        real = dtypes.float64 if x.dtype.base_dtype is dtypes.complex128 else dtypes.float32
        return build.ComplexAbs(x, Tout=real, name=scope)


Tensor._override_operator("__abs__", absolute)
