"""Dimensions in another order: Transpose, ConjugateTranspose, InvertPermutation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.checks import fail, require
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    Operation,
    Sample,
    Tensor,
    build,
    convert_to_tensor,
    export,
    name_scope,
    register_op,
    shapes,
)


def shape_transpose(c: shapes.ShapeContext) -> Shape:
    shape, given = c.shape("x"), c.shape("perm")
    perm = c.value("perm")
    count = shapes.number_of_elements(given)
    if shape is None and count is None:
        return None
    rank = len(shape) if shape is not None else count
    if shape is None:
        shape = (None,) * rank  # type: ignore[operator]
    if given is not None and len(given) != 1:
        c.fail(f"Shape must be rank 1 but is rank {len(given)}")
    if count not in (None, rank):
        c._asked.clear()
        c.fail(f"Dimension must be {rank} but is {count}")
    if perm is None:
        return (None,) * rank  # type: ignore[operator]
    for axis in perm:
        if not -rank <= axis < rank:  # type: ignore[operator]
            c.fail(f"perm dim {axis} is out of range of input rank {rank}")
    return tuple(shape[axis] for axis in perm)


def kernel_transpose(xp: ArrayModule, x: Array, perm: np.ndarray) -> Array:
    return xp.transpose(x, _checked(perm, len(x.shape)))


def kernel_conjugate_transpose(xp: ArrayModule, x: Array, perm: np.ndarray) -> Array:
    result = kernel_transpose(xp, x, perm)
    return xp.conj(result) if result.dtype.kind == "c" else result


def _checked(perm: np.ndarray, rank: int) -> tuple[int, ...]:
    if perm.ndim != 1:
        fail(f"perm must be a vector, not {shapes.show(perm.shape)}")
    axes = tuple(int(axis) for axis in perm)
    if len(axes) != rank:
        fail(
            f"transpose expects a vector of size {rank}. But input(1) is a vector of size "
            f"{len(axes)}"
        )
    for axis in axes:
        if not 0 <= axis < rank:
            fail(f"{axis} is out of range [0 .. {rank})")
    for axis in range(rank):
        if axis not in axes:
            fail(f"{axis} is missing from {{{','.join(map(str, axes))}}}.")
    return axes


def gradient_transpose(op: Operation, grad: Tensor) -> tuple[Tensor | None, ...]:
    back = build.InvertPermutation(op.inputs[1])
    return build.Transpose(grad, back, name="transpose"), None


def gradient_conjugate_transpose(op: Operation, grad: Tensor) -> tuple[Tensor, Any]:
    back = build.InvertPermutation(op.inputs[1])
    return build.ConjugateTranspose(grad, back, name="transpose"), None


def samples_transpose() -> Iterator[Sample]:
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    yield Sample(x, np.array([2, 0, 1], np.int32))
    yield Sample(x, np.array([0, 2, 1], np.int64))
    yield Sample(np.float32(3), np.array([], np.int32))
    yield Sample((x + 1j).astype(np.complex64)[0], np.array([1, 0], np.int32), gradient=())


def _register_transpose(
    name: str, kernel: Callable[..., Any], gradient: Callable[..., Any]
) -> None:
    register_op(
        name,
        inputs="x: T, perm: Tperm",
        outputs="y: T",
        attrs="T: type, Tperm: {int32, int64} = int32",
        shape=shape_transpose,
        kernel=kernel,
        gradient=gradient,
        concrete=("perm",),
        reference=(
            (lambda x, perm: np.transpose(x, perm))
            if name == "Transpose"
            else (lambda x, perm: np.conjugate(np.transpose(x, perm)))
        ),
        samples=samples_transpose,
    )


_register_transpose("Transpose", kernel_transpose, gradient_transpose)
_register_transpose("ConjugateTranspose", kernel_conjugate_transpose, gradient_conjugate_transpose)


def shape_invert_permutation(c: shapes.ShapeContext) -> Shape:
    return c.with_rank("x", 1)


def kernel_invert_permutation(xp: ArrayModule, x: Array) -> Array:
    if x.ndim != 1:
        fail("invert_permutation expects a 1D vector.")
    size = x.shape[0]
    require(xp, (x >= 0) & (x < size), lambda: _out_of_range(x, size))
    require(xp, xp.sort(x) == xp.arange(size, dtype=x.dtype), lambda: _duplicated(x))
    return xp.argsort(x).astype(x.dtype)


def _out_of_range(x: np.ndarray, size: int) -> Exception:
    wrong = next(v for v in x if not 0 <= v < size)
    return errors.InvalidArgumentError(None, None, f"{wrong} is not between 0 and {size}")


def _duplicated(x: np.ndarray) -> Exception:
    values = x.tolist()
    wrong = next(v for i, v in enumerate(values) if v in values[:i])
    return errors.InvalidArgumentError(None, None, f"{wrong} is duplicated in the input.")


def reference_invert_permutation(x: np.ndarray) -> np.ndarray:
    result = np.empty_like(x)
    result[x] = np.arange(len(x), dtype=x.dtype)
    return result


register_op(
    "InvertPermutation",
    inputs="x: T",
    outputs="y: T",
    attrs="T: {int32, int64} = int32",
    shape=shape_invert_permutation,
    kernel=kernel_invert_permutation,
    gradient=NOT_DIFFERENTIABLE,
    reference=reference_invert_permutation,
    samples=lambda: [
        Sample(np.array([2, 0, 3, 1], np.int32)),
        Sample(np.array([], np.int64)),
    ],
)


@export("transpose")
def transpose(
    a: TensorLike, perm: TensorLike | None = None, name: str = "transpose", conjugate: bool = False
) -> Tensor:
    """Puts the dimensions of a tensor into another order.

    Args:
        a: a tensor.
        perm: for each dimension of the result the one of `a`; the reverse order if None.
        name: the name of the node.
        conjugate: whether complex elements are conjugated too.

    Returns:
        A tensor of the same type.

    Raises:
        ValueError: if `perm` does not fit the rank.

    Example:
        >>> print(tf.transpose([[1, 2, 3], [4, 5, 6]]).eval())
        [[1 4]
         [2 5]
         [3 6]]
    """
    with name_scope(name, "transpose", [a]) as scope:
        a = convert_to_tensor(a, name="a") if not isinstance(a, Tensor) else a
        make = build.ConjugateTranspose if conjugate and a.dtype.is_complex else build.Transpose
        if perm is not None:
            return make(a, perm, name=scope)
        shape = a._shape
        if shape:
            return make(a, np.arange(len(shape), dtype=np.int32)[::-1], name=scope)
        rank = build.Rank(a)
        perm = (rank - 1) - build.Range(0, rank, 1)
        return make(a, perm, name=scope)


@export("matrix_transpose", "linalg.transpose", "linalg.matrix_transpose")
def matrix_transpose(
    a: TensorLike, name: str = "matrix_transpose", conjugate: bool = False
) -> Tensor:
    """Transposes the last two dimensions.

    Args:
        a: a tensor of rank 2 or more.
        name: the name scope.
        conjugate: whether complex elements are conjugated too.

    Returns:
        A tensor of the same type.

    Raises:
        ValueError: if the rank is less than 2.
    """
    with name_scope(name, values=[a]):
        a = convert_to_tensor(a, name="a")
        shape = a._shape
        if shape is None:
            rank = build.Rank(a)
            axes = build.Range(0, rank - 2, 1)
            perm: TensorLike = build.ConcatV2([axes, [rank - 1, rank - 2]], 0, name="concat")
        elif len(shape) < 2:
            raise ValueError(
                f"Argument 'a' should be a (batch) matrix, with rank >= 2.  Found: {a.get_shape()}"
            )
        else:
            order = list(range(len(shape)))
            perm = [*order[:-2], order[-1], order[-2]]
        return transpose(a, perm, conjugate=conjugate)


@export("invert_permutation", "math.invert_permutation")
def invert_permutation(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns the inverse of a permutation: y[x[i]] = i.

    Args:
        x: an integer vector that holds the numbers from 0 to its length - 1.
        name: the name of the node.

    Returns:
        A tensor like `x`.

    Raises:
        InvalidArgumentError: from `Session.run` if `x` is not a permutation.
    """
    return build.InvertPermutation(x, name=name)
