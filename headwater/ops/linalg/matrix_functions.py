"""Functions of whole matrices: exponential, logarithm, square root."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.blas import decomposition
from headwater.base.checks import require
from headwater.base.lazy import jax, scipy_linalg
from headwater.base.typing import Array, ArrayModule, TensorLike
from headwater.graph import (
    VJP,
    Operation,
    RunsOn,
    Sample,
    Tensor,
    build,
    constant_node,
    export,
    register_op,
    shape_tensor,
)
from headwater.ops.linalg.compositions import (
    check_square,
    identity_matrix,
    invalid,
    square_shape,
    transposed,
    wide,
)


def _each(function: Callable[..., Any], x: Array) -> Array:
    check_square(x)
    if x.size == 0:
        return x
    result = np.empty_like(wide(x))
    for position in np.ndindex(x.shape[:-2]):
        if not np.isfinite(x[position]).all():
            result[position] = np.nan
            continue
        value = function(wide(x)[position])
        if result.dtype.kind != "c" and np.iscomplexobj(value):
            if np.any(np.abs(value.imag) > 1e-3 * np.abs(value).max(initial=0)):
                value = np.full_like(value.real, np.nan)
            value = value.real
        result[position] = value
    return result.astype(x.dtype)


@decomposition
def kernel_exponential(xp: ArrayModule, x: Array) -> Array:
    text = "Input matrix is not invertible."
    require(xp, xp.isfinite(x), lambda: invalid(text, "the matrix holds an infinity or NaN."))
    if xp is np:
        return _each(scipy_linalg.expm, x)
    check_square(x)
    return jax.scipy.linalg.expm(wide(x)).astype(x.dtype)


@decomposition
def kernel_logarithm(xp: ArrayModule, x: Array) -> Array:
    # In single precision SciPy warns of its own rounding errors.
    return _each(lambda matrix: scipy_linalg.logm(matrix.astype(np.complex128)), x)


@decomposition
def kernel_square_root(xp: ArrayModule, x: Array) -> Array:
    return _each(scipy_linalg.sqrtm, x)


def _reference(function: Callable[..., Any]) -> Callable[..., Any]:
    """Applies a function of numbers to the eigenvalues."""

    def reference(x: Array) -> Array:
        values, vectors = np.linalg.eig(x.astype(np.complex128))
        result = vectors * function(values)[..., None, :] @ np.linalg.inv(vectors)
        return (result if x.dtype.kind == "c" else result.real).astype(x.dtype)

    return reference


def gradient_square_root(op: Operation, grad: Tensor) -> Tensor:
    """Solves the Sylvester equation R^T X + X R^T = grad as one linear system of n * n unknowns."""
    root = op.outputs[0]
    shape = shape_tensor(root)
    size = shape[-1]
    matrices = build.Prod(shape[:-2], constant_node([0], dtypes.int32))
    eye = identity_matrix(size, dtype=root.dtype.base_dtype)
    flat = build.Tile(build.Reshape(eye, [-1]), [matrices])
    eyes = build.Reshape(flat, shape)
    flipped = transposed(root)
    system = _kronecker(eyes, flipped, shape) + _kronecker(root, eyes, shape)
    batch = shape[:-2]
    column_shape = build.ConcatV2([batch, [size * size, 1]], 0, name="concat")
    columns = build.Reshape(transposed(grad), column_shape)
    solution = build.MatrixSolve(system, columns)
    return transposed(build.Reshape(solution, shape))


def _kronecker(a: Tensor, b: Tensor, shape: Tensor) -> Tensor:
    """The matrices of all products of elements, of shape [..., n * n, n * n]."""
    left = build.ExpandDims(build.ExpandDims(a, -1), -3)
    right = build.ExpandDims(build.ExpandDims(b, -2), -4)
    product = left * right
    size = shape[-1]
    whole = build.ConcatV2([shape[:-2], [size * size, size * size]], 0, name="concat")
    return build.Reshape(product, whole)


_MATRIX = np.array([[2.0, 0.5, -0.25], [0.25, 3.0, 0.5], [-0.5, 0.25, 1.5]])


def samples_real() -> Iterator[Sample]:
    yield Sample(_MATRIX.astype(np.float32))
    yield Sample(np.stack([_MATRIX, _MATRIX * 0.5]))


def samples_complex() -> Iterator[Sample]:
    yield Sample(_MATRIX.astype(np.complex64), rtol=1e-4, gradient=())
    yield Sample((_MATRIX + 0.2j * _MATRIX.T).astype(np.complex128), gradient=())


_TYPES = "double, float, half, complex64, complex128"
register_op(
    "MatrixExponential",
    inputs="input: T",
    outputs="output: T",
    attrs=f"T: {{{_TYPES}}}",
    shape=square_shape,
    kernel=kernel_exponential,
    gradient=VJP,
    reference=_reference(np.exp),
    samples=samples_real,
)
register_op(
    "MatrixLogarithm",
    inputs="input: T",
    outputs="output: T",
    attrs="T: {complex64, complex128}",
    shape=square_shape,
    kernel=kernel_logarithm,
    reference=_reference(np.log),
    samples=samples_complex,
    runs_on=RunsOn.HOST,
)
register_op(
    "MatrixSquareRoot",
    inputs="input: T",
    outputs="output: T",
    attrs=f"T: {{{_TYPES}}}",
    shape=square_shape,
    kernel=kernel_square_root,
    gradient=gradient_square_root,
    reference=_reference(np.sqrt),
    samples=samples_real,
    runs_on=RunsOn.HOST,
)


@export("linalg.expm")
def expm(input: TensorLike, name: str | None = None) -> Tensor:
    """Returns the exponentials of matrices.

    Args:
        input: a tensor of shape [..., n, n].
        name: the name of the node.

    Returns:
        A tensor of the same type and shape.
    """
    return build.MatrixExponential(input, name=name or "matrix_exponential")


@export("linalg.logm")
def logm(input: TensorLike, name: str | None = None) -> Tensor:
    """Returns the logarithms of matrices.

    Args:
        input: a tensor of shape [..., n, n] of complex numbers.
        name: the name of the node.

    Returns:
        A tensor of the same type and shape.
    """
    return build.MatrixLogarithm(input, name=name)


@export("matrix_square_root", "linalg.sqrtm")
def matrix_square_root(input: TensorLike, name: str | None = None) -> Tensor:
    """Returns the square roots of matrices: root @ root = input.

    Args:
        input: a tensor of shape [..., n, n].
        name: the name of the node.

    Returns:
        A tensor of the same type and shape.
    """
    return build.MatrixSquareRoot(input, name=name)
