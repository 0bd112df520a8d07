"""Diagonals of matrices: Diag, MatrixDiag and their relatives; eye and trace."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.dtypes import as_dtype
from headwater.base.typing import Array, ArrayModule, DTypeLike, Shape, ShapeLike, TensorLike
from headwater.graph import (
    Operation,
    Sample,
    Tensor,
    build,
    colocate_with,
    constant_node,
    convert_to_tensor,
    export,
    name_scope,
    rank_tensor,
    register_op,
    shape_tensor,
    shapes,
    zeros_like,
    zeros_of,
)
from headwater.graph.basic_nodes import filled
from headwater.ops.linalg.compositions import (
    diagonal,
    diagonal_matrix,
    identity_matrix,
    invalid,
    with_diagonal,
)

# Diagonals of tensors of any rank


def kernel_diag(xp: ArrayModule, x: Array) -> Array:
    if x.ndim == 0:
        raise invalid("Input must be at least rank 1, got 0")
    flat = x.reshape(-1)
    eye = np.eye(flat.shape[0], dtype=bool)
    matrix = xp.where(eye, flat[:, None], x.dtype.type(0))
    return matrix.reshape(x.shape + x.shape)


def kernel_diag_part(xp: ArrayModule, x: Array) -> Array:
    half = x.ndim // 2
    if x.ndim % 2 or not x.ndim:
        raise invalid(
            f"The rank of the tensor should be even and positive, got shape {shapes.show(x.shape)}"
        )
    if x.shape[:half] != x.shape[half:]:
        raise invalid("Invalid shape " + shapes.show(x.shape) + ": dimensions do not match.")
    size = int(np.prod(x.shape[:half]))
    return xp.diagonal(x.reshape(size, size)).reshape(x.shape[:half])


def reference_diag(x: Array) -> Array:
    result = np.zeros(x.shape * 2, x.dtype)
    for position in np.ndindex(x.shape):
        result[position * 2] = x[position]
    return result


def reference_diag_part(x: Array) -> Array:
    shape = x.shape[: x.ndim // 2]
    return np.array([x[position * 2] for position in np.ndindex(shape)], x.dtype).reshape(shape)


def shape_diag(c: shapes.ShapeContext) -> Shape:
    shape = c.with_rank_at_least("diagonal", 1)
    return None if shape is None else shape + shape


def shape_diag_part(c: shapes.ShapeContext) -> Shape:
    shape = c.shape("input")
    if shape is None:
        return None
    if len(shape) % 2 or not shape:
        c.fail(f"Input must have even and non-zero rank, input rank is {len(shape)}")
    half = len(shape) // 2
    return tuple(c.merge_dims(x, y) for x, y in zip(shape[:half], shape[half:]))


def samples_diag() -> Iterator[Sample]:
    yield Sample(np.array([1.5, -2.0, 3.0], np.float32))
    yield Sample(np.array([[1, 2], [3, 4]], np.int32))


def samples_diag_part() -> Iterator[Sample]:
    yield Sample(np.arange(9, dtype=np.float32).reshape(3, 3))
    yield Sample(np.arange(36, dtype=np.float64).reshape(2, 3, 2, 3))


_NUMBERS = "T: {bfloat16, half, float, double, int32, int64, complex64, complex128}"
register_op(
    "Diag",
    inputs="diagonal: T",
    outputs="output: T",
    attrs=_NUMBERS,
    shape=shape_diag,
    kernel=kernel_diag,
    gradient=lambda op, grad: build.DiagPart(grad),
    reference=reference_diag,
    samples=samples_diag,
)
register_op(
    "DiagPart",
    inputs="input: T",
    outputs="diagonal: T",
    attrs=_NUMBERS,
    shape=shape_diag_part,
    kernel=kernel_diag_part,
    gradient=lambda op, grad: build.Diag(grad),
    reference=reference_diag_part,
    samples=samples_diag_part,
)


# Diagonals of the matrices in the last two axes


def kernel_matrix_diag(xp: ArrayModule, x: Array) -> Array:
    if x.ndim == 0:
        raise invalid("diagonal must be at least 1-dim, received shape: []")
    eye = np.eye(x.shape[-1], dtype=bool)
    return xp.where(eye, x[..., None], np.zeros((), x.dtype))


def kernel_matrix_diag_part(xp: ArrayModule, x: Array) -> Array:
    if x.ndim < 2:
        raise invalid(f"input must be at least 2-dim, received shape: {shapes.show(x.shape)}")
    return xp.diagonal(x, axis1=-2, axis2=-1)


def kernel_matrix_set_diag(xp: ArrayModule, x: Array, diagonal: Array) -> Array:
    if x.ndim < 2:
        raise invalid(f"input must be at least 2-dim, received shape: {shapes.show(x.shape)}")
    size = min(x.shape[-2:])
    expected = (*x.shape[:-2], size)
    if tuple(diagonal.shape) != expected:
        raise invalid(
            "Either first dimensions of diagonal don't match input.shape[:-2], or "
            "diagonal.shape[:-1] is not equal to the longests diagonal in range "
            "[lower_diag_index:upper_diag_index].\n"
            f"Input shape: {shapes.show(x.shape)}\nDiagonal shape: {shapes.show(diagonal.shape)}\n"
            f"Expected diagonal shape: {shapes.show(expected)}"
        )
    if xp is np:
        result = x.copy()
        index = np.arange(size)
        result[..., index, index] = diagonal
        return result
    padding = [(0, 0)] * (x.ndim - 2)
    rows = x.shape[-2]
    column = xp.pad(diagonal, [*padding, (0, rows - size)])[..., None]
    eye: np.ndarray = np.eye(x.shape[-2], x.shape[-1], dtype=bool)
    return xp.where(eye, column, x)


def reference_matrix_diag(x: Array) -> Array:
    result = np.zeros((*x.shape, x.shape[-1]), x.dtype)
    for i in range(x.shape[-1]):
        result[..., i, i] = x[..., i]
    return result


def reference_matrix_diag_part(x: Array) -> Array:
    return np.stack([x[..., i, i] for i in range(min(x.shape[-2:]))], axis=-1)


def reference_matrix_set_diag(x: Array, diagonal: Array) -> Array:
    result = np.array(x)
    for i in range(diagonal.shape[-1]):
        result[..., i, i] = diagonal[..., i]
    return result


def shape_matrix_diag(c: shapes.ShapeContext) -> Shape:
    shape = c.with_rank_at_least("diagonal", 1)
    return None if shape is None else (*shape, shape[-1])


def shape_matrix_diag_part(c: shapes.ShapeContext) -> Shape:
    shape = c.with_rank_at_least("input", 2)
    if shape is None:
        return None
    return (*shape[:-2], _smaller(shape[-2], shape[-1]))


def _smaller(x: int | None, y: int | None) -> int | None:
    if x is None or y is None:
        return 0 if 0 in (x, y) else None
    return min(x, y)


def shape_matrix_set_diag(c: shapes.ShapeContext) -> Shape:
    shape = c.with_rank_at_least("input", 2)
    diagonal = c.with_rank_at_least("diagonal", 1)
    if shape is None:
        if diagonal is None:
            return None
        return (*diagonal[:-1], None, None)
    if diagonal is None:
        return shape
    if len(diagonal) != len(shape) - 1:
        c.fail(f"Shape must be rank {len(shape) - 1} but is rank {len(diagonal)}")
    smaller = _smaller(shape[-2], shape[-1])
    if smaller is not None:
        c.merge_dims(smaller, diagonal[-1])
    batch: tuple[int | None, ...] = c.merge(diagonal[:-1], shape[:-2])
    return (*batch, *shape[-2:])


def gradient_matrix_diag_part(op: Operation, grad: Tensor) -> Tensor:
    x = op.inputs[0]
    shape = x._shape
    if shape is not None and shape[-1] == shape[-2] and shape[-1] is not None:
        return diagonal_matrix(grad)
    return with_diagonal(zeros_like(x), grad)


def gradient_matrix_set_diag(op: Operation, grad: Tensor) -> tuple[Tensor, Tensor]:
    x, values = op.inputs
    static = grad._shape
    if x._shape is not None and static is not None:
        static = tuple(a if b is None else b for a, b in zip(static, x._shape))
    shape: Any = None
    if static is not None:
        shape = (*static[:-2], _smaller(static[-2], static[-1]))
        if values._shape is not None:
            shape = tuple(a if b is None else b for a, b in zip(shape, values._shape))
    kind = grad.dtype.base_dtype
    if shape is not None and None not in shape:
        with name_scope(None, "zeros") as scope:
            zeros = filled(shape, kind, 0, scope)
    else:
        with colocate_with(grad):
            whole = shape_tensor(grad)
            rank = rank_tensor(grad)
            batch = build.Slice(whole, [0], [rank - 2])
            sizes = build.Slice(whole, [rank - 2], [2])
            smaller = build.Min(sizes, constant_node([0], dtypes.int32))
            diagonal_shape = build.ConcatV2([batch, [smaller]], 0, name="concat")
        zeros = zeros_of(diagonal_shape, kind)
    return with_diagonal(grad, zeros), diagonal(grad)


def samples_matrix_diag() -> Iterator[Sample]:
    yield Sample(np.array([1.5, -2.0, 3.0], np.float32))
    yield Sample(np.array([[1, 2], [3, 4]], np.int64))
    yield Sample(np.array([True, False]))


def samples_matrix_diag_part() -> Iterator[Sample]:
    yield Sample(np.arange(12, dtype=np.float32).reshape(3, 4))
    yield Sample(np.arange(12, dtype=np.float64).reshape(2, 3, 2))
    yield Sample(np.arange(9, dtype=np.float64).reshape(3, 3))


def samples_matrix_set_diag() -> Iterator[Sample]:
    yield Sample(np.arange(12, dtype=np.float32).reshape(3, 4), np.array([7, 8, 9], np.float32))
    yield Sample(np.arange(12.0).reshape(2, 3, 2), np.array([[7.0, 8.0], [9.0, 10.0]]))


def _register_diagonals(diag: str, diag_part: str, set_diag: str, batch: bool) -> None:
    register_op(
        diag,
        inputs="diagonal: T",
        outputs="output: T",
        attrs="T: type",
        shape=shape_matrix_diag,
        kernel=kernel_matrix_diag,
        gradient=None if batch else lambda op, grad: diagonal(grad),
        reference=reference_matrix_diag,
        samples=None if batch else samples_matrix_diag,
    )
    register_op(
        diag_part,
        inputs="input: T",
        outputs="diagonal: T",
        attrs="T: type",
        shape=shape_matrix_diag_part,
        kernel=kernel_matrix_diag_part,
        gradient=None if batch else gradient_matrix_diag_part,
        reference=reference_matrix_diag_part,
        samples=None if batch else samples_matrix_diag_part,
    )
    register_op(
        set_diag,
        inputs="input: T, diagonal: T",
        outputs="output: T",
        attrs="T: type",
        shape=shape_matrix_set_diag,
        kernel=kernel_matrix_set_diag,
        gradient=None if batch else gradient_matrix_set_diag,
        reference=reference_matrix_set_diag,
        samples=None if batch else samples_matrix_set_diag,
    )


_register_diagonals("MatrixDiag", "MatrixDiagPart", "MatrixSetDiag", batch=False)
_register_diagonals("BatchMatrixDiag", "BatchMatrixDiagPart", "BatchMatrixSetDiag", batch=True)


@export("diag", "linalg.tensor_diag")
def diag(diagonal: TensorLike, name: str | None = None) -> Tensor:
    """Makes a tensor that is zero but for the diagonal ``result[i..., i...] = diagonal[i...]``.

    Args:
        diagonal: a tensor of shape [d1, ..., dk].
        name: the name of the node.

    Returns:
        A tensor of shape [d1, ..., dk, d1, ..., dk].
    """
    return build.Diag(diagonal, name=name)


@export("diag_part", "linalg.tensor_diag_part")
def diag_part(input: TensorLike, name: str | None = None) -> Tensor:
    """Returns the diagonal ``result[i...] = input[i..., i...]``.

    Args:
        input: a tensor of shape [d1, ..., dk, d1, ..., dk].
        name: the name of the node.

    Returns:
        A tensor of shape [d1, ..., dk].
    """
    return build.DiagPart(input, name=name)


@export("matrix_diag", "linalg.diag", "batch_matrix_diag")
def matrix_diag(
    diagonal: TensorLike,
    name: str | None = "diag",
    k: TensorLike = 0,
    num_rows: TensorLike = -1,
    num_cols: TensorLike = -1,
    padding_value: TensorLike = 0,
) -> Tensor:
    """Makes matrices with given diagonals.

    Args:
        diagonal: a tensor of shape [..., n], or with a pair `k` [..., number of diagonals, n].
        name: the name of the node.
        k: the diagonal, positive above the main one, or the lowest and highest of several.
        num_rows: the number of rows; -1 takes the smallest that fits.
        num_cols: the number of columns; -1 takes the smallest that fits.
        padding_value: the value of all other elements.

    Returns:
        A tensor of shape [..., rows, columns].
    """
    plain = all(isinstance(v, (int, float)) for v in (k, num_rows, num_cols, padding_value))
    if plain and (k, num_rows, num_cols, padding_value) == (0, -1, -1, 0):
        return build.MatrixDiag(diagonal, name=name or "diag")
    diagonal = convert_to_tensor(diagonal)
    padding = convert_to_tensor(padding_value, dtype=diagonal.dtype.base_dtype)
    return build.MatrixDiagV2(diagonal, k, num_rows, num_cols, padding, name=name or "diag")


@export("matrix_diag_part", "linalg.diag_part", "batch_matrix_diag_part")
def matrix_diag_part(
    input: TensorLike,
    name: str | None = "diag_part",
    k: TensorLike = 0,
    padding_value: TensorLike = 0,
) -> Tensor:
    """Returns diagonals of matrices.

    Args:
        input: a tensor of shape [..., rows, columns].
        name: the name of the node.
        k: the diagonal, positive above the main one, or the lowest and highest of several.
        padding_value: the padding after shorter diagonals.

    Returns:
        A tensor of shape [..., n], or with a pair `k` [..., number of diagonals, n].
    """
    if (
        isinstance(k, int)
        and isinstance(padding_value, (int, float))
        and (k, padding_value) == (0, 0)
    ):
        return build.MatrixDiagPart(input, name=name or "diag_part")
    input = convert_to_tensor(input)
    padding = convert_to_tensor(padding_value, dtype=input.dtype.base_dtype)
    return build.MatrixDiagPartV2(input, k, padding, name=name or "diag_part")


@export("matrix_set_diag", "linalg.set_diag", "batch_matrix_set_diag")
def matrix_set_diag(
    input: TensorLike, diagonal: TensorLike, name: str | None = "set_diag", k: TensorLike = 0
) -> Tensor:
    """Replaces diagonals of matrices.

    Args:
        input: a tensor of shape [..., rows, columns].
        diagonal: a tensor of the same type and of shape [..., n], or with a pair `k`
            [..., number of diagonals, n].
        name: the name of the node.
        k: the diagonal, positive above the main one, or the lowest and highest of several.

    Returns:
        A tensor of the shape of `input`.
    """
    if isinstance(k, int) and k == 0:
        return build.MatrixSetDiag(input, diagonal, name=name or "set_diag")
    return build.MatrixSetDiagV2(input, diagonal, k, name=name or "set_diag")


@export("eye", "linalg.eye")
def eye(
    num_rows: TensorLike,
    num_columns: TensorLike | None = None,
    batch_shape: ShapeLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Makes identity matrices.

    Args:
        num_rows: the number of rows.
        num_columns: the number of columns; None makes square matrices.
        batch_shape: the leading dimensions of the result.
        dtype: the type of the elements.
        name: the name scope.

    Returns:
        A tensor of shape [*batch_shape, num_rows, num_columns].
    """
    return identity_matrix(num_rows, num_columns, batch_shape, as_dtype(dtype), name)


@export("trace", "linalg.trace")
def trace(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns the sums of the diagonals of matrices.

    Args:
        x: a tensor of shape [..., n, m].
        name: the name of the node.

    Returns:
        A tensor of shape [...].
    """
    with name_scope(name, "Trace", [x]) as scope:
        return build.Sum(diagonal(convert_to_tensor(x, name="x")), [-1], name=scope)
