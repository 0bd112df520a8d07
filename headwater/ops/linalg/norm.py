"""Norms of vectors and matrices; rank and pseudo-inverse."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.typing import AxisLike, TensorLike
from headwater.graph import (
    Tensor,
    build,
    constant_node,
    convert_to_tensor,
    export,
    name_scope,
    rank_tensor,
)
from headwater.ops.linalg.compositions import matmul
from headwater.ops.math.axes import all_axes

_MATRIX_NORMS = ("euclidean", "fro", 1, 2, np.inf)


@export("norm", "linalg.norm")
def norm(
    tensor: TensorLike,
    ord: TensorLike = "euclidean",
    axis: AxisLike | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Returns norms of vectors or matrices.

    Args:
        tensor: a tensor of floating-point or complex numbers.
        ord: "euclidean" (also "fro" for matrices), a positive number, or np.inf.
        axis: the axis of the vectors, or the two axes of the matrices; None takes the whole
            tensor as one vector.
        keepdims: whether these axes stay, with length 1.
        name: the name scope.
        keep_dims: older name of `keepdims`.

    Returns:
        A tensor.

    Raises:
        ValueError: if `ord` or `axis` is not supported.
    """
    if keep_dims is not None:
        if keepdims is not None:
            raise ValueError("Cannot specify both 'keep_dims' and 'keepdims'")
        keepdims = keep_dims
    axes, matrices = _checked_axes(ord, axis)
    with name_scope(name, "norm", [tensor]):
        tensor = convert_to_tensor(tensor)
        if ord in ("fro", "euclidean", 2):
            if matrices and ord == 2:
                result = _largest_singular_value(tensor, *axes)
            else:
                conjugate = build.Conj(tensor) if tensor.dtype.is_complex else tensor
                result = build.Sqrt(_reduced("Sum", tensor * conjugate, axes))
        else:
            result = _by_order(_absolute(tensor), ord, axes, matrices)
        if keepdims:
            return result
        return build.Squeeze(result, squeeze_dims=None if axes is None else list(axes))


def _checked_axes(ord: Any, axis: AxisLike) -> tuple[Any, bool]:
    text = "'axis' must be None, an integer, or a tuple of 2 unique integers"
    matrices = isinstance(axis, (list, tuple)) and len(axis) == 2
    if matrices:
        axes = tuple(axis)
        if not all(isinstance(i, (int, np.integer)) for i in axes) or axes[0] == axes[1]:
            raise ValueError(text)
        if ord not in _MATRIX_NORMS:
            raise ValueError(
                f"'ord' must be a supported matrix norm in {list(_MATRIX_NORMS)}, got {ord}"
            )
        return axes, True
    if axis is not None and not isinstance(axis, (int, np.integer)):
        raise ValueError(text)
    number = np.isreal(ord) and not isinstance(ord, str)
    if ord != "euclidean" and not (number and ord > 0):
        raise ValueError(f"'ord' must be a supported vector norm, got {ord}")
    return (None if axis is None else (int(axis),)), False


def _reduced(op_type: str, x: Tensor, axes: AxisLike | None) -> Tensor:
    return getattr(build, op_type)(x, all_axes(x) if axes is None else axes, keep_dims=True)


def _absolute(x: Tensor) -> Tensor:
    if x.dtype.is_complex:
        return build.ComplexAbs(x, Tout=x.dtype.real_dtype, name="Abs")
    return build.Abs(x)


def _by_order(size: Tensor, ord: TensorLike, axes: AxisLike, matrices: bool) -> Tensor:
    if ord == 1:
        total = _reduced("Sum", size, None if axes is None else axes[0])
        return _reduced("Max", total, axes[-1]) if matrices else total
    if ord == np.inf:
        if matrices:
            size = _reduced("Sum", size, axes[1])
        return _reduced("Max", size, None if axes is None else axes[0])
    total = _reduced("Sum", build.Pow(size, ord), axes)
    return build.Pow(total, 1.0 / ord)


def _largest_singular_value(x: Tensor, row_axis: int, column_axis: int) -> Tensor:
    """The spectral norm of the matrices in two axes, which stay with length 1."""
    order, inverse = _matrices_last(x, row_axis, column_axis)
    matrices = build.Transpose(x, order, name="transpose")
    values = build.Svd(matrices, compute_uv=False)[0]
    largest = build.Max(_absolute(values), -1, keep_dims=True)
    return build.Transpose(build.ExpandDims(largest, -1), inverse, name="transpose")


def _matrices_last(x: Tensor, row_axis: int, column_axis: int) -> tuple[Any, Any]:
    """The permutation that brings two axes to the end, and its inverse."""
    rank = x._rank()
    if rank is not None:
        inner = [row_axis % rank, column_axis % rank]
        order = [i for i in range(rank) if i not in inner] + inner
        return order, [int(i) for i in np.argsort(order)]
    count = rank_tensor(x)
    moved = build.FloorMod([row_axis, column_axis], count, name="mod")
    others = build.ListDiff(build.Range(0, count, 1, name="range"), moved)[0]
    permutation = build.ConcatV2([others, moved], 0, name="concat")
    return permutation, build.InvertPermutation(permutation)


@export("linalg.normalize")
def normalize(
    tensor: TensorLike,
    ord: TensorLike = "euclidean",
    axis: AxisLike | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Divides vectors or matrices by their norms.

    Args:
        tensor: a tensor of floating-point or complex numbers.
        ord: the norm; see `tf.norm`.
        axis: the axis of the vectors, or the two axes of the matrices; None means all.
        name: the name scope.

    Returns:
        The result and the norms.
    """
    with name_scope(name, "normalize", [tensor]):
        tensor = convert_to_tensor(tensor)
        size = norm(tensor, ord, axis, keepdims=True)
        if size.dtype.base_dtype is not tensor.dtype.base_dtype:
            size = build.Cast(size, DstT=tensor.dtype.base_dtype)
        return tensor / size, size


def _columns(x: Tensor) -> tuple[Any, Any]:
    """Rows and columns of matrices whose sizes must be known.

    Raises:
        ValueError: if they are not.
    """
    shape = x._shape
    if shape is None or len(shape) < 2 or None in shape[-2:]:
        raise ValueError("The number of rows and columns must be known.")
    return shape[-2], shape[-1]


@export("linalg.matrix_rank")
def matrix_rank(
    a: TensorLike,
    tol: TensorLike | None = None,
    validate_args: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns how many singular values of matrices are above a tolerance.

    Args:
        a: a tensor of shape [..., m, n].
        tol: the tolerance; None takes eps * max(m, n) * the largest singular value.
        validate_args: ignored; the rank is always checked.
        name: the name scope.

    Returns:
        An int32 tensor of shape [...].
    """
    with name_scope(name or "matrix_rank"):
        a = convert_to_tensor(a, name="a")
        s = build.Svd(a, compute_uv=False)[0]
        if tol is None:
            larger = max(_columns(a))
            with name_scope(None, "Cast") as scope:
                count = constant_node(larger, dtypes.int64, "x")
                count = build.Cast(count, DstT=a.dtype.base_dtype, name=scope)
            epsilon = np.finfo(a.dtype.as_numpy_dtype).eps
            tol = epsilon * count * build.Max(s, -1, keep_dims=True)
        above = build.Cast(build.Greater(s, tol), DstT=dtypes.int32)
        return build.Sum(above, -1)


@export("linalg.pinv")
def pinv(
    a: TensorLike,
    rcond: TensorLike | None = None,
    validate_args: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the pseudo-inverses of matrices (Moore, Penrose).

    Args:
        a: a tensor of shape [..., m, n] of floating-point numbers.
        rcond: singular values below this times the largest count as zero; None takes
            10 * max(m, n) * eps.
        validate_args: ignored; the rank is always checked.
        name: the name scope.

    Returns:
        A tensor of shape [..., n, m].

    Raises:
        TypeError: if `a` does not hold floating-point numbers.
    """
    with name_scope(name or "pinv"):
        a = convert_to_tensor(a, name="a")
        if not a.dtype.is_floating:
            raise TypeError(f"Input `a` must have `float`-like `dtype` (saw {a.dtype.name}).")
        kind = a.dtype.base_dtype
        if rcond is None:
            rcond = 10.0 * max(_columns(a)) * np.finfo(kind.as_numpy_dtype).eps
        rcond = convert_to_tensor(rcond, dtype=kind, name="rcond")
        s, u, v = build.Svd(a, compute_uv=True, full_matrices=False)
        cutoff = rcond * build.Max(s, -1)
        inside = build.Greater(s, build.ExpandDims(cutoff, -1))
        safe = build.SelectV2(inside, s, np.array(np.inf, kind.as_numpy_dtype))
        return matmul(v / build.ExpandDims(safe, -2), u, adjoint_b=True)
